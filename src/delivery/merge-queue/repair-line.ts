// Repairs of one area come one after the other. Of work that touches the same files at most one repair is under way, and
// the rest waits to be merged: each repair then starts from the result of the one before, and is done once.
import type { Merges } from "../../git/port.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { fixIdOf, isFixId } from "../../tasks/fix-task.ts"
import type { Candidate, Outcome } from "./candidate.ts"
import { mayConflict, readTouched, type Touched } from "./touched-paths.ts"

/** A repair that is not merged yet. */
export interface Repair {
  /** The task that does it. */
  readonly fix: TaskId
  /** The work that it mends. */
  readonly base: string
  readonly head: string
  /** What it waits for itself must not wait for it. */
  readonly needs: ReadonlySet<string>
}

export interface RepairLine {
  /**
   * Of work that merges: where a repair would not fit any more after it. Also for one that nobody has claimed: it may be
   * begun while this batch is judged. One of this batch begins later, on top of it.
   */
  beforeMerge(candidate: Candidate): Promise<Outcome | undefined>
  /** Of work that does not merge: as it is when it is the first of its area, and a repair from now on; else queued. */
  afterFailure(candidate: Candidate, outcome: Outcome): Promise<Outcome>
  /** These are looked at anew. */
  forget(candidates: readonly Candidate[]): void
}

const REPAIRED: readonly Outcome["kind"][] = ["conflict", "guilty", "refused"]

export function makeRepairLine(
  merges: Pick<Merges, "changes" | "merge">,
  { repairs, isJoint }: { readonly repairs: readonly Repair[]; readonly isJoint: (path: string) => boolean },
): RepairLine {
  const touched = new Map<string, Promise<Touched>>()
  /** Of this batch, in the order in which they were found. */
  const fresh = new Map<Candidate, Repair>()

  function touchedBy(work: { readonly base: string; readonly head: string }): Promise<Touched> {
    const key = `${work.base} ${work.head}`
    const known = touched.get(key) ?? readTouched(merges, work, isJoint)
    touched.set(key, known)
    return known
  }

  async function share(candidate: Candidate, repair: Repair): Promise<boolean> {
    return mayConflict(await touchedBy(candidate), await touchedBy(repair))
  }

  /** Only in what it changed itself: its history may hold what the repair is about. */
  async function collide(candidate: Candidate, repair: Repair): Promise<boolean> {
    if (!(await share(candidate, repair))) return false
    const merged = await merges.merge(repair.head, candidate.head)
    if (merged.isClean) return false
    const { paths } = await touchedBy(candidate)
    return merged.conflicts.some(({ path }) => paths.has(path))
  }

  const othersThan = (candidate: Candidate) =>
    repairs.filter(({ fix, needs }) => fix !== candidate.taskId && !needs.has(candidate.taskId))

  return {
    async beforeMerge(candidate) {
      for (const repair of othersThan(candidate)) {
        if (await collide(candidate, repair)) return { kind: "queued", behind: repair.fix }
      }
      return undefined
    },
    async afterFailure(candidate, outcome) {
      const { taskId: id, attempt, base, head } = candidate
      const fix = isFixId(id) ? id : fixIdOf({ id, attempt })
      const own: Repair = { fix, base, head, needs: new Set() }
      // A repair that only waits to be merged, or is to be done anew, is still the one that others wait for.
      if (outcome.kind === "waiting" && isFixId(id)) fresh.set(candidate, own)
      if (!REPAIRED.includes(outcome.kind)) return outcome
      const ahead = outcome.kind === "refused" ? undefined : await findAhead(candidate)
      // Others wait for it as well, also while it waits.
      if (ahead === undefined || isFixId(id)) fresh.set(candidate, own)
      return ahead === undefined ? outcome : { kind: "queued", behind: ahead.fix }
    },
    forget(candidates) {
      for (const candidate of candidates) fresh.delete(candidate)
    },
  }

  async function findAhead(candidate: Candidate): Promise<Repair | undefined> {
    for (const repair of [...othersThan(candidate), ...fresh.values()])
      if (await share(candidate, repair)) return repair
    return undefined
  }
}
