import * as v from "valibot"
import { command, type Session } from "../../app/command.ts"
import { findTools, sourceDirField } from "../../app/wiring/workspace-tools.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import { describeTeam, type TeamName } from "../../kernel/team.ts"
import { machineName } from "../../lib/process/machine-name.ts"
import { flag } from "../../lib/schema.ts"
import { sleep } from "../../lib/sleep.ts"
import { teamStatus } from "../../reporting/operations/team-status.ts"
import { teamFields, textField } from "../../store/operation.ts"
import { type StoppedWorker, stopWorkers } from "../../workers/swarm/stop-workers.ts"
import { type KnownWorker, listKnownWorkers } from "../../workers/swarm/worker-processes.ts"
import { cleanTeam } from "../operations/clean-team.ts"
import { findLead } from "../operations/lead-team.ts"
import { cancelTeam } from "../operations/steer-team.ts"

const input = {
  ...teamFields,
  reason: v.optional(textField("why", 2000)),
  force: flag("stop the workers now, without waiting for their agents to finish"),
  purge: flag("also delete the team with its tasks, messages and history; commits stay"),
  sourceDir: sourceDirField,
}

export const cancel = command({
  summary: "Cancel a team: stop its run and its workers, keep its state and its commits",
  fields: input,
  example: "teamwork cancel",
  async run(session, { reason, force, purge, sourceDir, ...name }) {
    const context = await session.context()
    const configured = await session.configured()
    const machine = machineName()
    const before = await listKnownWorkers(context, name, machine)
    await cancelTeam(context, name, reason ?? "cancelled by user")
    const graceMs = force === true ? 0 : (await configured.engine()).shutdownTimeoutMs
    // The leader stops its workers. Those that remain, as after a crash, are stopped here.
    if (force !== true) await untilLeft(session, name, graceMs)
    const stoppedHere = await stopWorkers(context, {
      ...name,
      worker: null,
      graceMs,
      machine,
      runtime: (of) => configured.runtime(name, of),
      workspaces: await findTools(session, { ...name, sourceDir }),
    })
    const stopped = listStopped(before, await listKnownWorkers(context, name, machine), stoppedHere)
    const { stats } = await teamStatus.run(context, name)
    const [done, total] = [stats.resolved + stats.skipped, stats.total]
    if (purge === true) await cleanTeam.run(context, { ...name, purge: true, force: force === true })
    const counts = `${stopped.length} workers stopped. ${done}/${total} tasks were completed before cancellation.`
    const how = force === true ? "force-cancelled" : "cancelled"
    const next = purge === true ? "It is deleted." : "Continue with: teamwork run"
    return {
      data: { ...name, stopped, done, total, isPurged: purge === true },
      text: () => `Team ${describeTeam(name)} ${how}. ${counts} ${next}`,
    }
  },
})

function listStopped(
  before: readonly KnownWorker[],
  after: readonly KnownWorker[],
  stoppedHere: readonly StoppedWorker[],
): WorkerId[] {
  const ended = new Set(after.filter(({ state }) => state === "ended").map(({ id }) => id))
  const worked = before.filter(({ id, state }) => ["spawning", "running"].includes(state) && ended.has(id))
  return [...new Set([...worked, ...stoppedHere].map(({ id }) => id))]
}

async function untilLeft(session: Session, name: TeamName, graceMs: number): Promise<void> {
  const context = await session.context()
  await using watch = await context.store.watch()
  const { clock, io } = session.host
  // The leader gives its workers that time, and needs a little more to leave.
  const deadline = clock.now() + graceMs + 2000
  while ((await findLead(context, name)) !== undefined && clock.now() < deadline && !io.interrupted.aborted) {
    await watch.next(Math.min(1000, deadline - clock.now()), io.interrupted)
    await sleep(20)
  }
}
