import { ENGINE } from "../../kernel/actor.ts"
import { type EventData, type NewEvent, ofType } from "../../kernel/events.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { keepApart } from "../../ownership/operations/plan-files.ts"
import { raiseEscalation } from "../../requests/operations/raise-escalation.ts"
import type { Context, Settings } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { fixIdOf, isFixId } from "../../tasks/fix-task.ts"
import { getTeam, lockTeam } from "../../tasks/operations/lookup.ts"
import { failResolved, leaveComplete, startAttempt, withdrawWaveVerdict } from "../../tasks/operations/task-moves.ts"
import type { Task } from "../../tasks/task.ts"

export interface MergeRecord extends TeamName {
  readonly merged: readonly { taskId: TaskId; attempt: number; commit: string }[]
  readonly failed: readonly FailedMerge[]
  /** They wait for a repair of the same files. */
  readonly queued: readonly QueuedMerge[]
  /** They cannot be repaired and are done again. */
  readonly anew: readonly FailedMerge[]
  /** Where the integration branch is now, if it moved. */
  readonly moved: EventData<"integration.moved"> | undefined
  readonly empty: readonly { taskId: TaskId; attempt: number }[]
  /**
   * Give a fix to the worker that did the work, if it is idle. Set this only where the engine can free the fix
   * again.
   */
  readonly assignsFixes?: boolean
  /** How often a task may fail to merge for the same reason before it fails; no limit by default. */
  readonly maxRuns?: number | undefined
}

export interface QueuedMerge {
  readonly taskId: TaskId
  readonly attempt: number
  readonly behind: TaskId
}

export interface FailedMerge {
  readonly taskId: TaskId
  readonly attempt: number
  /** Other tasks with the same commits. */
  readonly alsoFor: readonly TaskId[]
  /** In a word. */
  readonly reason: string
  /** What the agent that fixes it must know. */
  readonly description: string
}

export interface Fix {
  readonly taskId: TaskId
  /** The task that repairs it; a fix that fails is done again itself. */
  readonly fix: TaskId
  readonly isNew: boolean
}

/** Records that a merge starts or ends, for the live view. */
export async function noteMerge(
  { store }: Context,
  name: TeamName,
  event: Extract<NewEvent, { type: "merge.started" | "merge.ended" }>,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, name)
    await tx.events.append(key, ENGINE, event)
  })
}

/**
 * Records what was merged and makes a fix task of what was not, in the same wave. A task in review is resolved by
 * its merge. A task that failed to merge is resolved too, since the fix starts from its commits; a failed fix is
 * reopened. Safe to repeat.
 */
export async function recordMerges({ store, settings }: Context, record: MergeRecord): Promise<Fix[]> {
  const { merged, failed, queued, anew, empty } = record
  if (merged.length + failed.length + queued.length + anew.length + empty.length === 0) return []
  return store.write(async (tx) => {
    const team = await lockTeam(tx, record)
    if (record.moved !== undefined)
      await tx.events.append(team.key, ENGINE, { type: "integration.moved", data: record.moved })
    await tellMerged(tx, team, merged)
    for (const done of [...merged, ...empty]) await resolveReviewed(tx, team, done)
    const fixes: Fix[] = []
    for (const each of [...failed, ...anew]) {
      // Tasks that need it are held below, in the same transaction.
      await resolveReviewed(tx, team, each)
      const task = await tx.tasks.lock(team.key, each.taskId)
      // A newer attempt exists, so this outcome no longer matters.
      if (task === undefined || task.attempt !== each.attempt || task.status !== "resolved") continue
      const assignee = record.assignsFixes === true ? await findIdle(tx, team, task) : null
      const needed = { task, failed: each, queued, settings, assignee }
      const isDoneAnew = isFixId(task.id) || anew.includes(each)
      fixes.push(
        isDoneAnew ? await redo(tx, team, task, { ...each, maxRuns: record.maxRuns }) : await makeFix(tx, team, needed),
      )
    }
    for (const each of queued) await tellQueued(tx, team, each)
    return fixes
  })
}

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

/** Not when a newer attempt exists, or the evidence does not count. */
async function resolveReviewed(
  tx: Tx,
  { key, project, team }: StoredTeam,
  { taskId, attempt }: { readonly taskId: TaskId; readonly attempt: number },
): Promise<void> {
  const task = await tx.tasks.lock(key, taskId)
  if (task?.status !== "in_review" || task.attempt !== attempt) return
  const { claimedBy: owner, claimToken: token } = task
  await tx.finishTask({
    project,
    team,
    taskId,
    owner,
    token,
    workerId: null,
    result: null,
    evidence: [],
    notice: null,
    // Only work that passed QA is merged, see `collect-candidates.ts`.
    isQaChecked: true,
  })
}

async function tellMerged(tx: Tx, team: StoredTeam, merged: MergeRecord["merged"]): Promise<void> {
  for (const { taskId, attempt, commit } of merged) {
    const { events } = await tx.events.list(team.key, { type: "task.merged", task: taskId, limit: 1_000_000 })
    if (ofType(events, "task.merged").some(({ data }) => data.attempt === attempt)) continue
    await tx.events.append(team.key, ENGINE, { type: "task.merged", data: { task: taskId, attempt, commit } })
  }
}

async function redo(
  tx: Tx,
  team: StoredTeam,
  task: Task,
  failed: FailedMerge & Pick<MergeRecord, "maxRuns">,
): Promise<Fix> {
  const { maxRuns = Number.POSITIVE_INFINITY } = failed
  const times = (await countRedone(tx, team, failed)) + 1
  if (times < maxRuns) {
    await tellFailed(tx, team, failed, task.id)
    await startAttempt(tx, team, { task, by: ENGINE, reason: failed.description })
  } else {
    const summary = `its work was not merged, ${times} times for the same reason (${failed.reason}): ${failed.description}`
    const ended = await failResolved(tx, team, { task, by: ENGINE, reason: summary })
    await raiseEscalation(tx, team, { trigger: "repeated_failure", summary, task: ended, by: ENGINE })
  }
  return { taskId: task.id, fix: task.id, isNew: times < maxRuns }
}

/** How often the task was repeated for this reason since a person last reopened it. */
async function countRedone(tx: Tx, team: StoredTeam, { taskId, reason }: FailedMerge): Promise<number> {
  const about = { task: taskId, limit: 1_000_000 }
  const reopened = await tx.events.list(team.key, { ...about, type: "task.reopened" })
  const asked = reopened.events.findLast(({ by }) => by !== ENGINE)?.seq ?? 0
  const { events } = await tx.events.list(team.key, { ...about, type: "task.merge_failed" })
  return ofType(events, "task.merge_failed").filter(
    ({ seq, data }) => seq > asked && data.reason === reason && data.fix === taskId,
  ).length
}

/** Record it once for each repair that it waits for. */
async function tellQueued(tx: Tx, team: StoredTeam, { taskId, attempt, behind }: QueuedMerge): Promise<void> {
  const { events } = await tx.events.list(team.key, { type: "task.merge_queued", task: taskId, limit: 1_000_000 })
  const isTold = ofType(events, "task.merge_queued").some(
    ({ data }) => data.attempt === attempt && data.behind === behind,
  )
  if (isTold) return
  const data = { task: taskId, attempt, behind }
  await tx.events.append(team.key, ENGINE, { type: "task.merge_queued", data })
  // Tasks that need it need it merged, so they must wait although it is resolved.
  const task = await tx.tasks.find(team.key, taskId)
  if (task?.status === "resolved") await hold(tx, team, await tx.tasks.dependants(team.key, taskId), behind)
}

interface Needed {
  readonly task: Task
  readonly failed: FailedMerge
  readonly queued: readonly QueuedMerge[]
  readonly settings: Settings
  readonly assignee: WorkerId | null
}

/** The worker that did the task, if idle: its agent knows the work. */
async function findIdle(tx: Tx, { key }: StoredTeam, { workerId }: Task): Promise<WorkerId | null> {
  const worker = workerId === null ? undefined : await tx.workers.find(key, workerId)
  return worker?.status === "idle" && worker.currentTask === null ? worker.id : null
}

async function makeFix(tx: Tx, team: StoredTeam, needed: Needed): Promise<Fix> {
  const { task, failed, queued, settings, assignee } = needed
  const id = fixIdOf(task)
  const { role, complexity, acceptance, checks, files, agentType, work, wave } = task
  const title = `Fix the merge of task ${task.id}: ${task.title}`.slice(0, 500)
  const { waitsFor: others, waiting } = await keepApart(tx, team, settings, { id, blockedBy: [], files })
  // Tasks that wait for this fix no longer write their files.
  const waitsFor = others.filter((other) => !queued.some(({ taskId }) => taskId === other))
  const brief = { title, description: failed.description, blockedBy: waitsFor, assignee }
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

/** Other tasks need its merge, and must not write its files meanwhile. */
async function hold(tx: Tx, team: StoredTeam, tasks: readonly TaskId[], fix: TaskId): Promise<void> {
  for (const id of tasks) {
    const task = await tx.tasks.lock(team.key, id)
    if (task?.status !== "open" || task.blockedBy.includes(fix)) continue
    await tx.tasks.setNeeds(team.key, id, [...task.blockedBy, fix])
    const data = { task: id, added: [fix], removed: [] }
    await tx.events.append(team.key, ENGINE, { type: "task.needs_changed", data })
  }
}
