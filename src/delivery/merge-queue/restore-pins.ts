import type { Merges, RefMove } from "../../git/port.ts"
import { pinRef } from "../../kernel/branches.ts"
import type { RunName } from "../../kernel/team.ts"
import { type CommittedByAttempt, type CommittedWork, findCommitted } from "../../tasks/committed-work.ts"
import type { Task } from "../../tasks/task.ts"
import { type Attempt, attemptName, type Pinned } from "./candidate.ts"

/** A pin that others moved or deleted, and that is back. */
export interface RestoredPin extends Attempt {
  readonly ref: string
  /** Null where it was deleted. */
  readonly from: string | null
  readonly to: string
  /** The ref that keeps what it was moved to. */
  readonly kept: string | null
}

export interface KnownWork {
  /** Known work by attempt. */
  readonly known: ReadonlyMap<string, CommittedWork>
  /** Attempts whose commit this repository does not have. */
  readonly missing: ReadonlySet<string>
  readonly restored: readonly RestoredPin[]
}

interface Request {
  readonly name: RunName
  readonly tasks: readonly Task[]
  readonly committed: CommittedByAttempt
  readonly refs: ReadonlyMap<string, string>
  readonly pins: Map<string, Pinned>
}

const DONE: readonly Task["status"][] = ["resolved", "in_review"]

/**
 * The worker's recorded commit counts, not the ref: anyone can move a ref, and refs of another repository are not
 * here. A pin that differs is put back, and what it was moved to stays reachable.
 */
export async function restorePins(merges: Merges, request: Request): Promise<KnownWork> {
  const { tasks, committed, pins } = request
  const known = new Map<string, CommittedWork>()
  const missing = new Set<string>()
  const restored: RestoredPin[] = []
  for (const task of tasks) {
    const work = DONE.includes(task.status) ? findCommitted(committed, task) : undefined
    if (work === undefined) continue
    const key = attemptName({ taskId: task.id, attempt: task.attempt })
    known.set(key, work)
    const pinned = pins.get(key)
    if (pinned?.head === work.commit && pinned.base === work.base) continue
    if (work.commit === work.base && pinned === undefined) continue
    if ((await merges.find(work.commit)) === undefined) {
      pins.delete(key)
      missing.add(key)
      continue
    }
    const again = await restore(merges, request, work)
    pins.set(key, { base: work.base, head: work.commit })
    if (again !== undefined) restored.push(again)
  }
  return { known, missing, restored }
}

/** Undefined where there is nothing to report: the work came from another repository without its pins. */
async function restore(
  merges: Merges,
  { name, refs }: Request,
  { taskId, attempt, base, commit, place }: CommittedWork,
): Promise<RestoredPin | undefined> {
  const own = { taskId, attempt }
  const head = pinRef(name, own, "head")
  const from = refs.get(head) ?? null
  const isLost = from !== null && from !== commit && !(await merges.contains(commit, from))
  const kept = isLost ? pinRef(name, own, `earlier/${from.slice(0, 16)}`) : null
  const wanted: RefMove[] = [
    { ref: head, from, to: commit },
    { ref: pinRef(name, own, "base"), from: refs.get(pinRef(name, own, "base")) ?? null, to: base },
  ]
  if (kept !== null && !refs.has(kept)) wanted.push({ ref: kept, from: null, to: from })
  // If someone moves it again meanwhile, the next merge puts it back.
  await merges.move(wanted.filter((move) => move.from !== move.to))
  const isOurs = from !== null || place.repository === (await merges.place()).repository
  return isOurs && from !== commit ? { ...own, ref: head, from, to: commit, kept } : undefined
}
