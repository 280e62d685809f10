import { command, type Outcome, type Session } from "../../app/command.ts"
import { openDelivery } from "../../app/wiring/deliver-here.ts"
import { trustHere } from "../../app/wiring/trust-here.ts"
import { sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { resolvePath } from "../../lib/paths.ts"
import { flag } from "../../lib/schema.ts"
import { teamStatus } from "../../reporting/operations/team-status.ts"
import { teamFields } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { type DeliveryPorts, type DeliveryReport, deliver, makeReady } from "../target/deliver.ts"
import { preparePart } from "../target/deliver-part.ts"
import { openPullRequest, pushTarget } from "../target/publish.ts"
import { short } from "../views/merge-view.ts"
import { sayLeftOut } from "../views/part-view.ts"

const input = {
  ...teamFields,
  partial: flag("deliver what is finished and passes the final gate, without the tasks that are not"),
  push: flag("then push the target branch to its remote"),
  pr: flag("push the integration branch and ask for its merge there, instead of moving the target here"),
  sourceDir: sourceDirField,
}

export const deliverCommand = command({
  summary: "Move the target branch to the team's merged work, past a green final gate",
  fields: input,
  example: "teamwork deliver --push",
  async run(session, { push, pr, partial, sourceDir, ...name }) {
    if (push === true && pr === true) {
      throw new AppError(
        "usage",
        (say) => `${say.field("push")} moves the target and ${say.field("pr")} leaves that to others; use one of them`,
      )
    }
    const folder = resolvePath(sourceDir ?? ".", session.host.io.cwd)
    await trustHere(session, { folder })
    const context = await session.context()
    const ports = await openDelivery(session, { name, sourceDir, isPartial: partial === true })
    if (partial === true) await preparePart(ports, await resolveRun(context, name))
    if (pr === true) return askForMerge(session, { ports, name, folder })
    const report = await deliver(context, ports, name)
    const pushed = push === true ? await pushTarget(ports.targets, report.target) : null
    return {
      data: { ...report, pushed },
      text: () =>
        [
          report.isMoved
            ? `${report.target} moved from ${short(report.from)} to ${short(report.to)}; take it back with: teamwork undo`
            : `${report.target} has everything already, at ${short(report.to)}`,
          ...sayLeftOut(report.leftOut),
          ...sayDropped(report),
          ...report.notes,
          ...(pushed === null ? [] : [`Pushed ${pushed.branch} to ${pushed.remote}`]),
          ...report.mended,
        ].join("\n"),
    }
  },
})

function sayDropped({ target, dropped }: DeliveryReport): string[] {
  if (dropped.length === 0) return []
  return [`${target} no longer has ${dropped.join(", ")}; your history counts, and the work was carried over without`]
}

async function askForMerge(
  { host, context }: Session,
  { ports, name, folder }: { ports: DeliveryPorts; name: TeamName; folder: string },
): Promise<Outcome> {
  const { target, from, to } = await makeReady(ports, await resolveRun(await context(), name))
  if (from === to) throw new AppError("merge.nothing", `${target} has everything already; there is nothing to ask for`)
  const { goal } = await teamStatus.run(await context(), name)
  const title = (goal.split("\n", 1)[0] ?? "").slice(0, 200) || `Work of ${name.team}`
  const request = await openPullRequest(
    { targets: ports.targets, processes: host.processes, cwd: folder, env: host.env },
    { name, target, title, body: goal },
  )
  return {
    data: { target, from, to, isMoved: false, pullRequest: request },
    text: () =>
      [
        `Pushed ${request.branch} to ${request.remote}`,
        request.url === null ? `To ask for its merge: ${request.next}` : `Pull request: ${request.url}`,
      ].join("\n"),
  }
}
