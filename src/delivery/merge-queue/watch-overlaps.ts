import type { Merges } from "../../git/port.ts"
import { branchRef, integrationBranch, workerRefs } from "../../kernel/branches.ts"
import type { TeamName } from "../../kernel/team.ts"
import { readCoordinated } from "../../ownership/operations/coordinator.ts"
import { type Overlap, warnOverlap } from "../../ownership/operations/warn-overlap.ts"
import type { Context } from "../../store/operation.ts"
import { findRule } from "../shared-files/find-rule.ts"
import { isLockFile } from "../shared-files/lock-files.ts"
import { mayConflict, readTouched, type Touched } from "./touched-paths.ts"

export interface OverlapWatch {
  /** Examines the branches, warns their workers, and returns the overlaps. */
  look(): Promise<Overlap[]>
}

/**
 * Warns early: trial merges of unfinished branches, only for pairs that changed the same paths, and once for each
 * pair of heads.
 */
export function watchOverlaps(context: Context, merges: Merges, name: TeamName): OverlapWatch {
  const changed = remembering<Promise<Touched>>()
  const tried = remembering<Promise<readonly string[]>>()
  return {
    async look() {
      const branches = await listBranches(merges, name)
      const isCoordinated = await readCoordinated(context, name)
      const found: Overlap[] = []
      for (const [index, one] of branches.entries()) {
        for (const other of branches.slice(index + 1)) {
          const all = await tried.get(`${one.head} ${other.head}`, () => findConflicts(one, other))
          // Rules merge these files, so workers need not agree on them.
          const paths = all.filter(
            (path) => !(isCoordinated(path) && (findRule(path) !== undefined || isLockFile(path))),
          )
          if (paths.length > 0) found.push({ workers: [one.worker, other.worker], paths })
        }
      }
      for (const memory of [changed, tried]) memory.forgetUnused()
      for (const overlap of found) await warnOverlap(context, name, overlap)
      return found
    },
  }

  async function findConflicts(one: WorkerBranch, other: WorkerBranch): Promise<readonly string[]> {
    const touched = ({ base, head }: WorkerBranch) =>
      changed.get(`${base} ${head}`, () => readTouched(merges, { base, head }))
    if (!mayConflict(await touched(one), await touched(other))) return []
    const merged = await merges.merge(one.head, other.head)
    return merged.isClean ? [] : [...new Set(merged.conflicts.map((conflict) => conflict.path))].sort()
  }
}

interface WorkerBranch {
  readonly worker: string
  readonly base: string
  readonly head: string
}

/** Branches with commits that the integration branch lacks. */
async function listBranches(merges: Merges, name: TeamName): Promise<WorkerBranch[]> {
  const tip = (await merges.find(branchRef(integrationBranch(name)))) ?? (await merges.find("HEAD"))
  if (tip === undefined) return []
  const branches: WorkerBranch[] = []
  for (const [ref, head] of await merges.refs(workerRefs(name))) {
    const worker = ref.slice(workerRefs(name).length + 1)
    if (ref === branchRef(integrationBranch(name)) || worker.includes("/")) continue
    const base = await merges.mergeBase(tip, head)
    if (base !== undefined && base !== head) branches.push({ worker, base, head })
  }
  return branches.sort((a, b) => (a.worker < b.worker ? -1 : 1))
}

/** Keeps results for as long as callers ask for them. */
function remembering<T>(): { get(key: string, work: () => T): T; forgetUnused(): void } {
  let known = new Map<string, T>()
  let used = new Map<string, T>()
  return {
    get(key, work) {
      const value = used.get(key) ?? known.get(key) ?? work()
      used.set(key, value)
      return value
    },
    forgetUnused() {
      known = used
      used = new Map()
    },
  }
}
