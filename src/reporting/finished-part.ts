import type { TeamView } from "./team-view.ts"

/** Finished work that is not delivered while the rest is stuck. */
export interface FinishedPart {
  readonly finished: number
  readonly total: number
  readonly command: string
}

const DELIVER_PART = "teamwork deliver --partial"

/** Undefined when all or nothing is done, or the target has it. */
export function finishedPart({
  tasks,
  stats,
  history,
}: Pick<TeamView, "tasks" | "stats" | "history">): FinishedPart | undefined {
  const { total, resolved, skipped } = stats
  if (resolved === 0 || resolved + skipped === total) return undefined
  const since = history.deliveredAt ?? 0
  const isNew = [...tasks.values()].some(
    ({ id, status }) => status === "resolved" && (history.tasks.get(id)?.endedAt ?? 0) > since,
  )
  return isNew ? { finished: resolved, total, command: DELIVER_PART } : undefined
}

/** `4 of 6 tasks are finished` */
export function describeFinished({ finished, total }: FinishedPart): string {
  return `${finished} of ${total} tasks ${finished === 1 ? "is" : "are"} finished and not delivered`
}
