import { ENGINE } from "../../kernel/actor.ts"
import { type EventData, ofType } from "../../kernel/events.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { keepApart } from "../../ownership/operations/plan-files.ts"
import type { Context, Settings } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { fixIdOf, isFixId } from "../../tasks/fix-task.ts"
import { getTeam, lockTeam } from "../../tasks/operations/lookup.ts"
import { leaveComplete, startAttempt, withdrawWaveVerdict } from "../../tasks/operations/task-moves.ts"
import type { Task } from "../../tasks/task.ts"

export interface MergeRecord extends TeamName {
  readonly merged: readonly { taskId: TaskId; attempt: number; commit: string }[]
  readonly failed: readonly FailedMerge[]
  /** Those that cannot be mended and are done once more. */
  readonly anew: readonly FailedMerge[]
  /** Where the integration branch is now, if it moved. */
  readonly moved: EventData<"integration.moved"> | undefined
  /** Done without a commit to merge. */
  readonly empty: readonly { taskId: TaskId; attempt: number }[]
}

export interface FailedMerge {
  readonly taskId: TaskId
  readonly attempt: number
  /** Other tasks that are part of the same commits. */
  readonly alsoFor: readonly TaskId[]
  /** In a word. */
  readonly reason: string
  /** All that whoever fixes it must know. */
  readonly description: string
}

export interface Fix {
  readonly taskId: TaskId
  /** The task that mends it; the same one where a fix itself is done once more. */
  readonly fix: TaskId
  readonly isNew: boolean
}

/**
 * Writes down what was merged, and makes a task of whatever was not: in the same wave, which so is in progress again.
 * What waited in review to be merged is resolved by it. What failed is resolved too, as its commits are what the fix
 * starts from; a fix that fails is reopened. Safe to repeat.
 */
export async function recordMerges({ store, settings }: Context, record: MergeRecord): Promise<Fix[]> {
  const { merged, failed, anew, empty } = record
  if (merged.length + failed.length + anew.length + empty.length === 0) return []
  return store.write(async (tx) => {
    const team = await lockTeam(tx, record)
    if (record.moved !== undefined)
      await tx.events.append(team.key, ENGINE, { type: "integration.moved", data: record.moved })
    await tellMerged(tx, team, record.merged)
    for (const done of [...record.merged, ...record.empty]) await resolveReviewed(tx, team, done)
    const fixes: Fix[] = []
    for (const failed of [...record.failed, ...record.anew]) {
      // Whoever needs it is held below, before anybody can see that it is resolved.
      await resolveReviewed(tx, team, failed)
      const task = await tx.tasks.lock(team.key, failed.taskId)
      // Somebody has started another attempt meanwhile, so this one is nobody's concern any more.
      if (task === undefined || task.attempt !== failed.attempt || task.status !== "resolved") continue
      fixes.push(
        isFixId(task.id) || record.anew.includes(failed)
          ? await redo(tx, team, task, failed)
          : await makeFix(tx, team, { task, failed, settings }),
      )
    }
    return fixes
  })
}

/** The commits by which tasks were merged, as far as it was written down. */
export async function readMergeCommits({ store }: Context, name: TeamName): Promise<ReadonlySet<string>> {
  return store.read(async (tx) => {
    const team = await getTeam(tx, name)
    const merged = await tx.events.list(team.key, { type: "task.merged", limit: 1_000_000 })
    const shared = await tx.events.list(team.key, { type: "task.shared_files_merged", limit: 1_000_000 })
    return new Set([
      ...ofType(merged.events, "task.merged").map(({ data }) => data.commit),
      ...ofType(shared.events, "task.shared_files_merged").map(({ data }) => data.commit),
    ])
  })
}

/** Unless somebody has started another attempt, or evidence came that cannot count. */
async function resolveReviewed(
  tx: Tx,
  { key, project, team }: StoredTeam,
  { taskId, attempt }: { readonly taskId: TaskId; readonly attempt: number },
): Promise<void> {
  const task = await tx.tasks.lock(key, taskId)
  if (task?.status !== "in_review" || task.attempt !== attempt) return
  const { claimedBy: owner, claimToken: token } = task
  await tx.finishTask({ project, team, taskId, owner, token, workerId: null, result: null, evidence: [], notice: null })
}

async function tellMerged(tx: Tx, team: StoredTeam, merged: MergeRecord["merged"]): Promise<void> {
  for (const { taskId, attempt, commit } of merged) {
    const { events } = await tx.events.list(team.key, { type: "task.merged", task: taskId, limit: 1_000_000 })
    if (ofType(events, "task.merged").some(({ data }) => data.attempt === attempt)) continue
    await tx.events.append(team.key, ENGINE, { type: "task.merged", data: { task: taskId, attempt, commit } })
  }
}

async function redo(tx: Tx, team: StoredTeam, task: Task, failed: FailedMerge): Promise<Fix> {
  await tellFailed(tx, team, failed, task.id)
  await startAttempt(tx, team, { task, by: ENGINE, reason: failed.description })
  return { taskId: task.id, fix: task.id, isNew: true }
}

interface Needed {
  readonly task: Task
  readonly failed: FailedMerge
  readonly settings: Settings
}

async function makeFix(tx: Tx, team: StoredTeam, { task, failed, settings }: Needed): Promise<Fix> {
  const id = fixIdOf(task)
  const { role, complexity, acceptance, checks, files, agentType, work, wave } = task
  const title = `Fix the merge of task ${task.id}: ${task.title}`.slice(0, 500)
  const { waitsFor, waiting } = await keepApart(tx, team, settings, { id, blockedBy: [], files })
  const brief = { title, description: failed.description, blockedBy: waitsFor, assignee: null }
  const known = { role, complexity, acceptance, checks, files, agentType, work }
  if ((await tx.tasks.create(team.key, id, { ...known, ...brief }, wave)) === undefined) {
    return { taskId: task.id, fix: id, isNew: false }
  }
  await tx.events.append(team.key, ENGINE, { type: "task.created", data: { task: id, title, blocked_by: waitsFor } })
  await tellFailed(tx, team, failed, id)
  for (const each of [task.id, ...failed.alsoFor]) await hold(tx, team, await tx.tasks.dependants(team.key, each), id)
  await hold(tx, team, waiting, id)
  if (wave !== null) await withdrawWaveVerdict(tx, team, { wave, by: ENGINE })
  await leaveComplete(tx, team, ENGINE)
  return { taskId: task.id, fix: id, isNew: true }
}

async function tellFailed(tx: Tx, team: StoredTeam, failed: FailedMerge, fix: TaskId): Promise<void> {
  const { taskId, attempt, reason } = failed
  await tx.events.append(team.key, ENGINE, { type: "task.merge_failed", data: { task: taskId, attempt, reason, fix } })
}

/** Whoever needs the task needs it merged, and nobody else writes its files meanwhile. */
async function hold(tx: Tx, team: StoredTeam, tasks: readonly TaskId[], fix: TaskId): Promise<void> {
  for (const id of tasks) {
    const task = await tx.tasks.lock(team.key, id)
    if (task?.status !== "open" || task.blockedBy.includes(fix)) continue
    await tx.tasks.setNeeds(team.key, id, [...task.blockedBy, fix])
    const data = { task: id, added: [fix], removed: [] }
    await tx.events.append(team.key, ENGINE, { type: "task.needs_changed", data })
  }
}
