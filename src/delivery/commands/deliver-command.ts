import { command, type Outcome, type Session } from "../../app/command.ts"
import { verifierFor } from "../../app/wiring/verifier-for.ts"
import { sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { flag } from "../../lib/fields.ts"
import { resolvePath } from "../../lib/paths.ts"
import { listVerdicts } from "../../quality/operations/record-verdict.ts"
import { teamStatus } from "../../reporting/operations/team-status.ts"
import { teamFields } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { connectGates } from "../merge-queue/connect-gates.ts"
import { type DeliveryPorts, deliver, makeReady } from "../target/deliver.ts"
import { whyNotGreen } from "../target/final-verdict.ts"
import { openPullRequest, pushTarget } from "../target/publish.ts"
import { short } from "../views/merge-view.ts"

const input = {
  ...teamFields,
  push: flag("then push the target branch to its remote"),
  pr: flag("push the integration branch and ask for its merge there, instead of moving the target here"),
  sourceDir: sourceDirField,
}

export const deliverCommand = command({
  summary: "Move the target branch to the team's merged work, past a green final gate",
  fields: input,
  example: "teamwork deliver --push",
  async run(session, { push, pr, sourceDir, ...name }) {
    if (push === true && pr === true) {
      throw new AppError(
        "usage",
        (say) => `${say.field("push")} moves the target and ${say.field("pr")} leaves that to others; use one of them`,
      )
    }
    const folder = resolvePath(sourceDir ?? ".", session.host.io.cwd)
    const merging = await (await session.configured()).merging(folder)
    const context = await session.context()
    const { finalGate } = connectGates(await verifierFor(session, { folder }), name)
    const ports: DeliveryPorts = {
      ...merging,
      finalGate,
      whyNotGreen: async (commit) => whyNotGreen(merging.merges, await listVerdicts.run(context, name), commit),
    }
    if (pr === true) return askForMerge(session, { ports, name, folder })
    const report = await deliver(context, ports, name)
    const pushed = push === true ? await pushTarget(merging.targets, report.target) : null
    return {
      data: { ...report, pushed },
      text: () =>
        [
          report.isMoved
            ? `${report.target} moved from ${short(report.from)} to ${short(report.to)}; take it back with: teamwork undo`
            : `${report.target} has everything already, at ${short(report.to)}`,
          ...(pushed === null ? [] : [`Pushed ${pushed.branch} to ${pushed.remote}`]),
          ...report.mended,
        ].join("\n"),
    }
  },
})

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
