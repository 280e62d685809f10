// Earlier agent runs, from the events, so that a restart forgets nothing.
import type { Session, Usage } from "../../agents/port.ts"
import type { RunFact } from "../../reporting/history-facts.ts"
import { isRepeatedFailure, isTaskFault, isUsedUp, type PastRun, type Spent } from "../../tasks/retry.ts"
import type { Task } from "../../tasks/task.ts"
import type { FixFacts } from "./agent-job.ts"
import type { WorkerRun } from "./worker-ports.ts"

type Past = Pick<WorkerRun, "history">

/** They do not count against the task. */
export const PLANNING_TURN = 0

export async function spentOn(past: Past, task: Task): Promise<Spent> {
  const runs = (await listRuns(past, task)).filter(({ turn }) => turn !== PLANNING_TURN).map(toPastRun)
  const last = runs.at(-1)
  return {
    runs: runs.filter(isTaskFault).length,
    isLastCounted: last !== undefined && isTaskFault(last),
    isRepeating: isRepeatedFailure(runs),
  }
}

export async function mayRunAgain(run: WorkerRun, task: Task): Promise<boolean> {
  return !isUsedUp((await spentOn(run, task)).runs, run.options.settings.retry)
}

export async function listRuns({ history }: Past, { id, attempt }: Task): Promise<RunFact[]> {
  const { runs } = await history.read()
  return [...runs.values()].filter((run) => run.task === id && run.attempt === attempt)
}

function toPastRun({ agent, reason, error, startedAt, endedAt, tokens }: RunFact): PastRun {
  return { agent, reason, error, durationMs: endedAt === null ? 0 : endedAt - startedAt, tokens }
}

export interface EarlierSession {
  readonly agent: string
  readonly model: string | null
  readonly session: Session
  /** Its folder has the agent's state. */
  readonly firstRun: string
}

/**
 * For a task that repairs a merge: the session that did the work, which knows its reasons. Only of this worker,
 * because agents find their sessions by folder, and only for the first try: a later one must know what the first
 * did.
 */
export async function findEarlierSession(
  { history, worker }: Pick<WorkerRun, "history" | "worker">,
  task: Task,
  fix: FixFacts | undefined,
): Promise<EarlierSession | undefined> {
  if (fix === undefined) return undefined
  const runs = [...(await history.read()).runs.values()]
  if (runs.some((run) => run.task === task.id)) return undefined
  const all = runs.filter((run) => run.task === fix.of)
  const last = all.findLastIndex(({ reason, session }) => reason === "done" && session !== null)
  return all[last]?.worker === worker ? toSession(all, last) : undefined
}

/** Of any worker. */
export function findLastSession(runs: readonly RunFact[], task: string): EarlierSession | undefined {
  const all = runs.filter((run) => run.task === task)
  return toSession(
    all,
    all.findLastIndex(({ session }) => session !== null),
  )
}

function toSession(runs: readonly RunFact[], index: number): EarlierSession | undefined {
  const last = runs[index]
  if (last === undefined || last.session === null) return undefined
  const { agent, model, session: id } = last
  const held = runs.slice(beginningOf(runs, index), index + 1)
  return { agent, model, session: { id, usage: sumUsage(held) }, firstRun: held[0]?.id ?? last.id }
}

/** Where the turns of the same claim begin: their numbers rise, and only planning turns share one. */
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

/** Some agents continue counting from the last known cost. */
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
