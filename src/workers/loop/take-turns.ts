import type { AgentResult } from "../../agents/port.ts"
import { agentRunId } from "../swarm/places.ts"
import type { EarlierSession } from "./find-session.ts"
import type { Hold } from "./hold-claim.ts"
import { listRuns } from "./run-budget.ts"
import { runTurn, type Turn } from "./run-turn.ts"
import { Setback } from "./setback.ts"
import type { Shift } from "./shift.ts"

/** What stays the same for all turns of a claim. */
type Same = Pick<Turn, "doer" | "workspace" | "fix" | "identity"> & { readonly earlier: EarlierSession | undefined }
type Next = Pick<Turn, "number" | "session" | "verdict" | "planning" | "aside">

/** What a session that is gone, or that is full, ends with. */
const NOT_RESUMED: readonly Setback["kind"][] = ["crashed", "protocol", "context-overflow"]

/**
 * One run of the agent after the other. The first that mends a merge goes on with the session that the work was done in;
 * where that does not work it is a run like any other.
 */
export async function makeTurns(
  shift: Shift,
  hold: Hold,
  { earlier, ...same }: Same,
): Promise<(turn: Next) => Promise<AgentResult>> {
  const { ports, team } = shift
  const { task } = hold
  const { agent } = same.doer.ready
  const before = (await listRuns(shift, task)).length
  const run = (turn: number) => agentRunId(team, task, before + turn)
  let resumed = earlier?.agent === agent.name ? earlier : undefined
  let firstRun = resumed?.firstRun
  let taken = 0
  const take = (turn: Next, isMerge = false) => {
    const name = run(++taken)
    ports.say(`Task ${task.id}: ${agent.name} runs (${name})${isMerge ? " in the session that did the work" : ""}`)
    firstRun ??= name
    return runTurn(shift, hold, { ...same, ...turn, isMerge, firstRun, run: name })
  }
  return async (turn) => {
    const going = resumed
    resumed = undefined
    // Somebody who planned the fix has a session for it.
    if (going === undefined || turn.planning !== undefined) {
      if (going !== undefined) firstRun = undefined
      return take(turn)
    }
    try {
      return await take({ ...turn, session: going.session }, true)
    } catch (error) {
      if (!(error instanceof Setback && NOT_RESUMED.includes(error.kind))) throw error
      ports.say(`Task ${task.id}: the session that did the work cannot go on (${error.kind}); it is done in a new one`)
      firstRun = undefined
      return take(turn)
    }
  }
}
