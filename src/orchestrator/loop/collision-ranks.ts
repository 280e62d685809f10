import { attemptName } from "../../delivery/merge-queue/candidate.ts"
import { readPins } from "../../delivery/merge-queue/collect-candidates.ts"
import { readTouched } from "../../delivery/merge-queue/touched-paths.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { RunName } from "../../kernel/team.ts"
import { isFixId } from "../../tasks/fix-task.ts"
import { setRanks } from "../../tasks/operations/set-ranks.ts"
import { isHeld, type Task } from "../../tasks/task.ts"
import type { EngineSnapshot } from "../actions.ts"
import { listClaimable } from "../claimable.ts"
import { type ExpectedFiles, expectFiles, isMergedByRule, type RankedWork, rankCollisions } from "../rank-collisions.ts"
import type { OrchestratorPorts } from "./engine-ports.ts"

/** Tasks that collide least with running work are claimed first. */
export interface CollisionRanks {
  look(snapshot: EngineSnapshot): Promise<void>
}

/** The rest keeps the order of the plan. */
const MOST_READY = 200
const MOST_REMEMBERED = 2000

/** Looks only when tasks changed, and asks git only about new work. A rank never blocks a claim. */
export function makeCollisionRanks(
  { context, merging, say }: Pick<OrchestratorPorts, "context" | "merging" | "say">,
  name: RunName,
): CollisionRanks {
  const touched = new Map<string, readonly string[]>()
  const expected = new Map<string, ExpectedFiles>()
  let known = new Map<string, number>()
  let seen = ""

  async function readTouchedBy(base: string, head: string): Promise<readonly string[]> {
    const key = `${base} ${head}`
    const paths = touched.get(key) ?? [...(await readTouched(merging.merges, { base, head }, isMergedByRule)).paths]
    if (touched.size > MOST_REMEMBERED) touched.clear()
    touched.set(key, paths)
    return paths
  }

  /** From text and commits. */
  async function expect(tasks: readonly Task[]): Promise<RankedWork[]> {
    const pins = tasks.some(isToldByGit) ? await readPins(merging.merges, name) : new Map<string, never>()
    const found: RankedWork[] = []
    for (const task of tasks) {
      const plan = expected.get(`${task.id} ${task.version}`) ?? expectFiles(task)
      if (expected.size > MOST_REMEMBERED) expected.clear()
      expected.set(`${task.id} ${task.version}`, plan)
      const paths = new Set<string>()
      for (let attempt = 1; attempt <= task.attempt; attempt++) {
        const pin = pins.get(attemptName({ taskId: task.id, attempt }))
        if (pin !== undefined) for (const path of await readTouchedBy(pin.base, pin.head)) paths.add(path)
      }
      // Finished work changes nothing else.
      const isDone = paths.size > 0 && task.status !== "open" && task.status !== "in_progress"
      found.push({
        id: task.id,
        patterns: isDone ? [] : plan.patterns,
        paths: [...paths, ...(isDone ? [] : plan.paths)],
      })
    }
    return found
  }

  async function rank(snapshot: EngineSnapshot, ready: readonly Task[]): Promise<void> {
    const { tasks, settled } = snapshot
    const ids = new Set<string>(ready.map(({ id }) => id))
    const isAhead = (task: Task) =>
      isHeld(task.status) ||
      (task.status === "resolved" && !settled.has(`${task.id}/${task.attempt}`) && !hasMerged(snapshot, task)) ||
      (isFixId(task.id) && task.status === "open")
    const ahead = tasks.filter((task) => !ids.has(task.id) && isAhead(task))
    const all = await expect([...ready, ...ahead])
    const ranks = rankCollisions(all.slice(0, ready.length), all.slice(ready.length))
    const changed = [...ranks].filter(([id, rank]) => (known.get(id) ?? 0) !== rank)
    // An earlier orchestrator may have written other ranks.
    const written = known.size === 0 ? [...ranks] : changed
    if (written.length > 0)
      await setRanks(
        context,
        name,
        written.map(([id, rank]) => ({ id: id as TaskId, rank })),
      )
    known = new Map([...known, ...ranks])
  }

  return {
    async look(snapshot) {
      const ready = listClaimable(snapshot).filter(({ id, status }) => status === "open" && !isFixId(id))
      if (ready.length < 2) return
      const now = describe(snapshot)
      if (now === seen) return
      seen = now
      await rank(snapshot, ready.slice(0, MOST_READY)).catch((error) => {
        // The old order still works; the next look tries again.
        seen = ""
        say(`Tasks are not ordered by collisions: ${error instanceof Error ? error.message : error}`)
      })
    },
  }
}

/** A task that owns files changes nothing else, so its commits add nothing to the plan. */
function isToldByGit({ files, attempt, status }: Task): boolean {
  return files.length === 0 && (attempt > 1 || status !== "open")
}

function hasMerged({ history }: EngineSnapshot, { id, attempt }: Task): boolean {
  return history.tasks.get(id)?.mergedAttempt === attempt
}

/** All inputs of the ranks, as a text to compare. */
function describe({ tasks, history }: EngineSnapshot): string {
  let text = ""
  for (const task of tasks) {
    const { id, status, attempt, version } = task
    const fact = history.tasks.get(id)
    if (fact?.mergedAttempt === attempt && status === "resolved") continue
    // Each step may have pinned something.
    const step = status === "in_progress" && isToldByGit(task) ? fact?.step?.name : ""
    text += `${id} ${status} ${attempt} ${status === "open" ? version : ""} ${step}\n`
  }
  return text
}
