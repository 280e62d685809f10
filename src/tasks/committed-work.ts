import { taskRefs } from "../kernel/branches.ts"
import type { TaskId } from "../kernel/ids.ts"
import type { WorkPlace } from "../kernel/repository.ts"
import type { RunName } from "../kernel/team.ts"
import type { Task } from "./task.ts"

/** As the worker reported it. Later moves of refs do not change it. */
export interface CommittedWork {
  readonly taskId: TaskId
  readonly attempt: number
  /** The claim of the work. */
  readonly token: number
  readonly base: string
  /** The base, if nothing was changed. */
  readonly commit: string
  readonly place: WorkPlace
}

/** The worker stops because another one ended the task. Its commits are pinned by then. */
export const GIVEN_UP = "given-up"

/** By `task/attempt`. */
export type CommittedByAttempt = ReadonlyMap<string, CommittedWork>

/** Undefined without a report, or if another worker took the task over. */
export function findCommitted(
  committed: CommittedByAttempt,
  { id, attempt, claimToken }: Pick<Task, "id" | "attempt" | "claimToken">,
): CommittedWork | undefined {
  const work = committed.get(`${id}/${attempt}`)
  return work?.token === claimToken ? work : undefined
}

/** Where the work is, and why it does not count. */
export function describeElsewhere({ commit, place }: CommittedWork, here: WorkPlace): string {
  const short = commit.slice(0, 12)
  if (isSamePlace(place, here)) return `its commit ${short} is gone from this repository`
  const where = place.machine === here.machine ? place.folder : `${place.folder} on ${place.machine}`
  return `its commit ${short} is in ${where}, and not in this repository`
}

/** Works in any folder of the machine that merges. */
export function bringCommand(name: RunName, work: CommittedWork, here: WorkPlace): string {
  const { taskId, attempt, place } = work
  if (isSamePlace(place, here)) return `teamwork task reopen ${taskId}`
  const refs = `${taskRefs(name, taskId)}/${attempt}/*`
  const from = place.machine === here.machine ? place.folder : `${place.machine}:${place.folder}`
  return ["git", "-C", here.folder, "fetch", from, `+${refs}:${refs}`].map(quoteWord).join(" ")
}

export function isSamePlace(one: WorkPlace, other: WorkPlace): boolean {
  if (one.repository !== null && other.repository !== null) return one.repository === other.repository
  return one.machine === other.machine && one.folder === other.folder
}

function quoteWord(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
