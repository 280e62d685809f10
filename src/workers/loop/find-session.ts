import type { Session, Usage } from "../../agents/port.ts"
import type { RunFact } from "../../reporting/history-facts.ts"
import type { Task } from "../../tasks/task.ts"
import type { FixFacts } from "./script-variables.ts"
import type { Shift } from "./shift.ts"

/** A session of an agent that did the work which is to be mended, and so knows why it is as it is. */
export interface EarlierSession {
  readonly agent: string
  readonly model: string | null
  readonly session: Session
  /** The run that what the agent keeps lies with. */
  readonly firstRun: string
}

/**
 * For a task that mends a merge: the session that the work was done in. Only of this worker, as an agent knows its
 * sessions by the folder it worked in, and only for the first try: what a later one needs to know is not in it. Undefined
 * where there is none.
 */
export async function findEarlierSession(
  { history, worker }: Pick<Shift, "history" | "worker">,
  task: Task,
  fix: FixFacts | undefined,
): Promise<EarlierSession | undefined> {
  if (fix === undefined) return undefined
  const runs = [...(await history.read()).runs.values()]
  if (runs.some((run) => run.task === task.id)) return undefined
  const all = runs.filter((run) => run.task === fix.of)
  const at = all.findLastIndex(({ reason, session }) => reason === "done" && session !== null)
  const last = all[at]
  if (last === undefined || last.session === null || last.worker !== worker) return undefined
  const held = all.slice(beginningOf(all, at), at + 1)
  const { agent, model, session: id } = last
  const usage = sumUsage(held)
  return { agent, model, session: { id, usage }, firstRun: held[0]?.id ?? last.id }
}

/** The session that last worked on a task, whoever ran it. Undefined where none was recorded. */
export function findLastSession(runs: readonly RunFact[], task: string): EarlierSession | undefined {
  const all = runs.filter((run) => run.task === task)
  const at = all.findLastIndex(({ session }) => session !== null)
  const last = all[at]
  if (last === undefined || last.session === null) return undefined
  const held = all.slice(beginningOf(all, at), at + 1)
  const session = { id: last.session, usage: sumUsage(held) }
  return { agent: last.agent, model: last.model, session, firstRun: held[0]?.id ?? last.id }
}

/** Where the turns of the same claim begin: their numbers go up, and only those that plan have the same. */
function beginningOf(runs: readonly RunFact[], at: number): number {
  let first = at
  for (; first > 0; first--) {
    const [before, run] = [runs[first - 1], runs[first]]
    if (before === undefined || run === undefined) break
    const isSameWork = before.task === run.task && before.attempt === run.attempt && before.worker === run.worker
    if (!isSameWork || before.turn > run.turn || (before.turn === run.turn && run.turn > 0)) break
  }
  return first
}

/** What the session had cost when it was last seen: some agents count on from there. */
function sumUsage(runs: readonly RunFact[]): Usage {
  const sum = (amount: (run: RunFact) => number) => runs.reduce((total, run) => total + amount(run), 0)
  const isKnown = runs.every(({ dollars }) => dollars !== null)
  return {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ tokens, inputTokens }) => tokens - inputTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    dollars: isKnown ? sum(({ dollars }) => dollars ?? 0) : null,
  }
}
