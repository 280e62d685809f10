import { isGranted } from "../domain/exception.ts"
import type { TaskId } from "../domain/ids.ts"
import { judgePath, type Ownership, type PathJudgement } from "../domain/judge-path.ts"
import { listOverlaps, makeConcurrency, type Overlap } from "../domain/overlaps.ts"
import type { Task } from "../domain/task.ts"
import { list, optional, withDefault } from "../lib/fields.ts"
import type { Tx } from "../store/port.ts"
import { getTask, getTeam } from "./lookup.ts"
import { operation, ownerField, type Settings, taskIdField, teamFields, textField, tokenField } from "./operation.ts"
import { assertHolds } from "./ownership.ts"
import { sharedPatterns } from "./plan-files.ts"

/** Everything that decides what may be written for a task, or by the lead where there is none. */
export async function readOwnership(
  tx: Tx,
  key: number,
  { task, settings }: { readonly task: Task | null; readonly settings: Settings },
): Promise<Ownership> {
  const owning = await tx.tasks.owning(key)
  const exceptions = task === null ? [] : await tx.exceptions.list(key, task.id)
  return {
    task: task === null ? null : { id: task.id, files: task.files },
    others: owning.filter((other) => other.id !== task?.id),
    granted: exceptions.filter((entry) => task !== null && isGranted(entry, task)).map((entry) => entry.pattern),
    shared: sharedPatterns(settings),
  }
}

export interface TaskOwnership {
  readonly title: string
  readonly attempt: number
  readonly ownership: Ownership
}

/** For whoever judges many paths: hooks, what is committed, what is merged. */
export const ownershipFacts = operation({
  name: "ownership.facts",
  summary: "Collect what decides which files may be written for a task",
  input: { ...teamFields, task: taskIdField, owner: optional(ownerField), token: optional(tokenField) },
  run: ({ store, settings }, input): Promise<TaskOwnership> =>
    store.read(async (tx) => {
      const { key } = await getTeam(tx, input)
      const task = await getTask(tx, key, input.task)
      assertHolds(task, input.owner, input.token)
      return { title: task.title, attempt: task.attempt, ownership: await readOwnership(tx, key, { task, settings }) }
    }),
})

export interface OwnershipReport {
  readonly task: TaskId | null
  readonly paths: readonly PathJudgement[]
  /** Of the whole plan, when no path was asked about. */
  readonly overlaps: readonly Overlap[]
}

export const checkOwnership = operation({
  name: "ownership.check",
  summary: "Say who owns a file and whether it may be written; without a file, check the plan for overlaps",
  input: {
    ...teamFields,
    task: optional({ ...taskIdField, description: "the task to write for; without it, seen by the lead" }),
    paths: withDefault(list(textField("path"), "file, from the repository's root; may be repeated"), []),
  },
  run: ({ store, settings }, input): Promise<OwnershipReport> =>
    store.read(async (tx) => {
      const { key } = await getTeam(tx, input)
      const task = input.task === undefined ? null : await getTask(tx, key, input.task)
      if (input.paths.length === 0)
        return { task: null, paths: [], overlaps: await readOverlaps(tx, key, task, settings) }
      const ownership = await readOwnership(tx, key, { task, settings })
      return { task: task?.id ?? null, paths: input.paths.map((path) => judgePath(path, ownership)), overlaps: [] }
    }),
})

/** Those of tasks that could run at the same time: an import or `project clean` may bring some in. */
async function readOverlaps(tx: Tx, key: number, task: Task | null, settings: Settings): Promise<Overlap[]> {
  const canMeet = makeConcurrency(await tx.tasks.graph(key))
  const found = listOverlaps(await tx.tasks.owning(key), sharedPatterns(settings))
  return found.filter(
    (each) => canMeet(each.task, each.other) && (task === null || task.id === each.task || task.id === each.other),
  )
}
