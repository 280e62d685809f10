import * as v from "valibot"
import type { TaskId } from "../../kernel/ids.ts"
import { mayWrite } from "../../kernel/phase.ts"
import type { TeamName } from "../../kernel/team.ts"
import { described, list } from "../../lib/schema.ts"
import { findReadOnlyRole, type RoleDefinition } from "../../planning/roles/roles.ts"
import {
  type Context,
  operation,
  ownerField,
  type Settings,
  taskIdField,
  teamFields,
  textField,
  tokenField,
} from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { findFixed, isFixId } from "../../tasks/fix-task.ts"
import { assertHolds } from "../../tasks/operations/assert-holds.ts"
import { getTask, getTeam } from "../../tasks/operations/lookup.ts"
import type { Task } from "../../tasks/task.ts"
import { isGranted } from "../exception.ts"
import { judgePath, type Ownership, type PathJudgement } from "../judge-path.ts"
import { listOverlaps, makeConcurrency, type Overlap } from "../overlaps.ts"
import { type FileChange, judgeChanges } from "../scope.ts"
import { isCoordinated } from "./coordinator.ts"
import { readJoint, sharedPatterns } from "./plan-files.ts"

interface Writer {
  /** Null for the lead. */
  readonly task: Task | null
  readonly settings: Settings
  /** From `Context.roles()`, which must not be called inside of a transaction. */
  readonly roles: readonly RoleDefinition[]
}

/** Without a task, for the lead. */
export async function readOwnership(tx: Tx, key: number, writer: Writer): Promise<Ownership> {
  return withOthers(tx, key, await readAlone(tx, key, writer))
}

/** Without the other tasks. */
async function readAlone(tx: Tx, key: number, { task, settings, roles }: Writer): Promise<Ownership> {
  const readOnly = task === null ? undefined : findReadOnlyRole(task, roles)
  return {
    task: task === null ? null : { id: task.id, files: task.files },
    others: [],
    granted: task === null ? [] : await readGranted(tx, key, task),
    shared: sharedPatterns(settings),
    ...(task !== null && (await isCoordinated(tx, key)) ? { isCoordinated: true } : {}),
    ...(readOnly === undefined ? {} : { readOnlyRole: readOnly.name }),
    ...(task === null || mayWrite(task.phase) ? {} : { locked: `task ${task.id} is in ${task.phase}` }),
  }
}

/** A fix task contains the work that it fixes, so the exceptions of that task apply too. */
async function readGranted(tx: Tx, key: number, task: Task): Promise<string[]> {
  const fixed = isFixId(task.id) ? findFixed(task.id, await tx.tasks.list(key)) : undefined
  const granted: string[] = []
  for (const attempt of fixed === undefined ? [task] : [task, fixed])
    for (const entry of await tx.exceptions.list(key, attempt.id))
      if (isGranted(entry, attempt)) granted.push(entry.pattern)
  return granted
}

async function withOthers(tx: Tx, key: number, alone: Ownership): Promise<Ownership> {
  const owning = await tx.tasks.owning(key)
  return { ...alone, others: owning.filter((other) => other.id !== alone.task?.id) }
}

export interface TaskOwnership {
  readonly title: string
  readonly attempt: number
  readonly ownership: Ownership
}

/** For callers that judge many paths: hooks, commits, merges. */
export const ownershipFacts = operation({
  name: "ownership.facts",
  summary: "Collect what decides which files may be written for a task",
  input: { ...teamFields, task: taskIdField, owner: v.optional(ownerField), token: v.optional(tokenField) },
  async run(context, input): Promise<TaskOwnership> {
    const { store, settings } = context
    const roles = await context.roles()
    return store.read(async (tx) => {
      const { key } = await getTeam(tx, input)
      const task = await getTask(tx, key, input.task)
      assertHolds(task, input.owner, input.token)
      const ownership = await readOwnership(tx, key, { task, settings, roles })
      return { title: task.title, attempt: task.attempt, ownership }
    })
  },
})

/** One line for each refused change. Reads other tasks only if needed. */
export async function judgeScope(
  context: Pick<Context, "store" | "settings" | "roles">,
  name: TeamName,
  { task: id, changes }: { readonly task: TaskId; readonly changes: readonly FileChange[] },
): Promise<readonly string[]> {
  const { store, settings } = context
  const roles = await context.roles()
  return store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    const task = await getTask(tx, key, id)
    const alone = await readAlone(tx, key, { task, settings, roles })
    if (task.files.length > 0 && judgeChanges(changes, alone).aside.length === 0) return []
    const { aside } = judgeChanges(changes, await withOthers(tx, key, alone))
    return aside.map((change) => change.message)
  })
}

export interface OwnershipReport {
  readonly task: TaskId | null
  readonly paths: readonly PathJudgement[]
  /** Of the whole plan without a path. */
  readonly overlaps: readonly Overlap[]
}

export const checkOwnership = operation({
  name: "ownership.check",
  summary: "Say who owns a file and whether it may be written; without a file, check the plan for overlaps",
  input: {
    ...teamFields,
    task: v.optional(described(taskIdField, "the task to write for; without it, seen by the lead")),
    paths: v.optional(list(textField("path"), "file, from the repository's root; may be repeated"), []),
  },
  async run(context, input): Promise<OwnershipReport> {
    const { store, settings } = context
    const roles = input.task === undefined ? [] : await context.roles()
    return store.read(async (tx) => {
      const { key } = await getTeam(tx, input)
      const task = input.task === undefined ? null : await getTask(tx, key, input.task)
      if (input.paths.length === 0)
        return { task: null, paths: [], overlaps: await readOverlaps(tx, key, task, settings) }
      const ownership = await readOwnership(tx, key, { task, settings, roles })
      return { task: task?.id ?? null, paths: input.paths.map((path) => judgePath(path, ownership)), overlaps: [] }
    })
  },
})

/** Overlaps of tasks that could run at the same time. An import may create some. */
async function readOverlaps(tx: Tx, key: number, task: Task | null, settings: Settings): Promise<Overlap[]> {
  const canMeet = makeConcurrency(await tx.tasks.graph(key))
  const shared = sharedPatterns(settings)
  const found = listOverlaps(await tx.tasks.owning(key), shared, await readJoint(tx, key, shared))
  return found.filter(
    (each) => canMeet(each.task, each.other) && (task === null || task.id === each.task || task.id === each.other),
  )
}
