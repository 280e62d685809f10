import { ENGINE } from "../../kernel/actor.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { keepApart } from "../../ownership/operations/plan-files.ts"
import type { Context, Settings } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { type BlockerChoice, listWaiting } from "../blocker.ts"
import type { Task } from "../task.ts"
import { changeNeeds } from "./change-needs.ts"
import { lockTask, lockTeam } from "./lookup.ts"
import { moveTask, startAttempt } from "./task-moves.ts"

export interface BlockerRequest extends TeamName {
  readonly task: TaskId
  readonly choice: BlockerChoice
}

/**
 * A failed task that others need gets another attempt, or is skipped: with those others, or only with their need.
 * Returns the changed tasks; none if it is no longer failed.
 */
export async function settleBlocker({ store, settings }: Context, request: BlockerRequest): Promise<TaskId[]> {
  return store.write(async (tx) => {
    const team = await lockTeam(tx, request)
    const task = await lockTask(tx, team.key, request.task)
    if (task.status !== "failed") return []
    if (request.choice === "retry") return retry(tx, team, task, settings)
    const changed =
      request.choice === "remove-need" ? await removeNeed(tx, team, task, settings) : await skipWaiting(tx, team, task)
    // A failed task would still hold up its wave.
    await moveTask(tx, team, { task, to: "skipped", by: ENGINE, reason: "it failed, and the others go on without it" })
    return [task.id, ...changed]
  })
}

/** Keeps it apart from later tasks with the same files. */
async function retry(tx: Tx, team: StoredTeam, task: Task, settings: Settings): Promise<TaskId[]> {
  const { waitsFor, waiting } = await keepApart(tx, team, settings, task)
  await startAttempt(tx, team, { task, by: ENGINE, reason: "it failed, and others wait for it" })
  const change = { remove: [], by: ENGINE, settings }
  if (waitsFor.length > 0) await changeNeeds(tx, team, task, { ...change, add: waitsFor })
  for (const id of waiting) await changeNeeds(tx, team, await lockTask(tx, team.key, id), { ...change, add: [task.id] })
  return [task.id, ...waiting]
}

async function removeNeed(tx: Tx, team: StoredTeam, task: Task, settings: Settings): Promise<TaskId[]> {
  const changed: TaskId[] = []
  for (const id of await tx.tasks.dependants(team.key, task.id)) {
    const other = await lockTask(tx, team.key, id)
    if (other.status !== "open" && other.status !== "paused") continue
    await changeNeeds(tx, team, other, { add: [], remove: [task.id], by: ENGINE, settings })
    changed.push(id)
  }
  return changed
}

/** One transaction, so that no worker claims a task that waited only for the first of them. */
async function skipWaiting(tx: Tx, team: StoredTeam, task: Task): Promise<TaskId[]> {
  const waiting = listWaiting(await tx.tasks.lockAll(team.key), task.id)
  const reason = `task ${task.id} failed, and it cannot be done without`
  for (const each of waiting) await moveTask(tx, team, { task: each, to: "skipped", by: ENGINE, reason })
  return waiting.map(({ id }) => id)
}
