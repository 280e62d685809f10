// Repairs that touch the same files happen one after the other; other work on these files waits. Each repair then
// starts from the result of the one before, and is done once.
import type { Merges } from "../../git/port.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { fixIdOf, isFixId } from "../../tasks/fix-task.ts"
import type { Candidate, Outcome } from "./candidate.ts"
import { mayConflict, readTouched, type Touched } from "./touched-paths.ts"

export interface Repair {
  readonly fix: TaskId
  readonly base: string
  readonly head: string
  /** Work that it needs must not wait for it. */
  readonly needs: ReadonlySet<string>
}

export interface RepairLine {
  /**
   * For work that merges: returns the repair that would no longer fit afterwards. An unclaimed repair counts too,
   * since a worker may begin it during this batch. A repair from this batch starts later, on top.
   */
  beforeMerge(candidate: Candidate): Promise<Outcome | undefined>
  /** For work that does not merge: the first one in its area becomes a repair, later ones are queued. */
  afterFailure(candidate: Candidate, outcome: Outcome): Promise<Outcome>
  forget(candidates: readonly Candidate[]): void
}

const REPAIRED: readonly Outcome["kind"][] = ["conflict", "guilty", "refused"]

export function makeRepairLine(
  merges: Pick<Merges, "changes" | "merge">,
  { repairs, isJoint }: { readonly repairs: readonly Repair[]; readonly isJoint: (path: string) => boolean },
): RepairLine {
  const touched = new Map<string, Promise<Touched>>()
  /** Repairs of this batch, in the order found. */
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

  /** Compare only its own changes: its history may contain the repaired work. */
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
      // Others still wait for a repair that waits to be merged or must be repeated.
      if (outcome.kind === "waiting" && isFixId(id)) fresh.set(candidate, own)
      if (!REPAIRED.includes(outcome.kind)) return outcome
      const ahead = outcome.kind === "refused" ? undefined : await findAhead(candidate)
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
