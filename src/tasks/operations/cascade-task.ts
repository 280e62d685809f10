import { ENGINE } from "../../kernel/actor.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { type CascadeKind, cascadeIdOf, FOLLOW_UP_ROLES, mayCascade, titleOfFollowUp } from "../follow-up.ts"
import { NO_WORK, type Task, type TaskBrief } from "../task.ts"
import { addTask } from "./create-task.ts"
import { lockTask, lockTeam } from "./lookup.ts"

export interface CascadeRequest extends TeamName {
  readonly of: TaskId
  readonly kind: CascadeKind
}

/**
 * It owns no files, so it may write what no active task owns. Undefined if it exists already, or the task is no
 * longer finished.
 */
export async function cascadeTask({ store, settings }: Context, request: CascadeRequest): Promise<Task | undefined> {
  return store.write(async (tx) => {
    const team = await lockTeam(tx, request)
    const before = await lockTask(tx, team.key, request.of)
    if (before.status !== "resolved" || !mayCascade(before)) return undefined
    const id = cascadeIdOf(before.id, request.kind)
    if ((await tx.tasks.find(team.key, id)) !== undefined) return undefined
    return addTask(tx, team, settings, { id, by: ENGINE, brief: describe(before, request.kind) })
  })
}

function describe(before: Task, kind: CascadeKind): TaskBrief {
  return {
    ...(kind === "test" ? testOf(before) : reviewOf(before)),
    ...FOLLOW_UP_ROLES[kind],
    title: titleOfFollowUp(kind, before),
    complexity: "standard",
    blockedBy: [before.id],
    checks: [],
    files: [],
    assignee: null,
    work: { ...NO_WORK, cascadeOf: before.id, cascadeDepth: before.work.cascadeDepth + 1 },
  }
}

function testOf({ id, title, files }: Task) {
  const where = files.length === 0 ? "" : ` Its files: ${files.join(", ")}.`
  return {
    description: `Task ${id} (${title}) is done and merged.${where} Write its missing tests: what it promises, its edge cases, and how it fails. Do not change its behaviour; report faults instead.`,
    acceptance: [`the tests fail when what task ${id} delivered is broken`, "all tests pass"],
  } as const
}

function reviewOf({ id, title }: Task) {
  return {
    description: `Task ${id} (${title}) is done. Read everything it changed, and what it had to test. Report every fault with file, line and consequence; say so when there is none. Change nothing.`,
    acceptance: [`everything task ${id} changed was read`, "each finding names file, line and consequence"],
  } as const
}
