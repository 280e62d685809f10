import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { parseWorkerId, type TaskId, type WorkerId } from "../../kernel/ids.ts"
import { choice, flag, type InputOf, list, text } from "../../lib/schema.ts"
import { idleMessage } from "../../messages/message.ts"
import { planFiles } from "../../ownership/operations/plan-files.ts"
import { assertCapable, type RoleDefinition } from "../../planning/roles/roles.ts"
import { assertQaHolds } from "../../quality/operations/hold-qa.ts"
import { noteDisagreement } from "../../requests/operations/disputes.ts"
import { assertMayEnd } from "../../requests/operations/phases.ts"
import {
  type Context,
  commaList,
  operation,
  ownerField,
  planFields,
  priorityField,
  roleField,
  type Settings,
  taskIdField,
  teamFields,
  textField,
  titleField,
  tokenField,
  workerIdField,
} from "../../store/operation.ts"
import type { FinishRequest, StoredTeam, TaskChange, Tx } from "../../store/port.ts"
import type { NewEvidence } from "../evidence.ts"
import { assertMove, COMPLEXITIES, canMove, hasEnded, isHeld, TASK_STATUSES, type Task } from "../task.ts"
import { assertHolds, renewFor } from "./assert-holds.ts"
import { changeNeeds } from "./change-needs.ts"
import { assertNotBlocked, evidenceFields, readEvidence, warnOfEvidence } from "./evidence-input.ts"
import { getTask, getTeam, lockTask, lockTeam } from "./lookup.ts"
import { moveTask, releaseTask, reopenTask } from "./task-moves.ts"
import { tellAssigned } from "./tell-assignee.ts"

const input = {
  ...teamFields,
  id: taskIdField,
  owner: v.optional(ownerField),
  token: v.optional(tokenField),
  status: v.optional(choice(TASK_STATUSES, "new status")),
  ...evidenceFields,
  title: v.optional(titleField("new title")),
  description: v.optional(textField("new description")),
  role: v.optional(roleField),
  complexity: v.optional(choice(COMPLEXITIES, "complexity")),
  files: v.optional(list(textField("glob"), "the patterns of the files it owns from now on; empty for none")),
  ...planFields,
  priority: v.optional(priorityField),
  assignee: v.optional(text("the only worker that may claim it; empty for any worker")),
  addBlockedBy: v.optional(commaList(taskIdField, "tasks it needs as well, as 1,2")),
  removeBlockedBy: v.optional(commaList(taskIdField, "tasks it no longer needs, as 1,2")),
  result: v.optional(textField("the outcome, in a few words")),
  reason: v.optional(textField("why the status changes", 2000)),
  release: flag("give the task back, so that any worker can claim it"),
  workerId: v.optional(workerIdField),
  commit: v.optional(text("the commit that QA passed")),
  tree: v.optional(text("the tree of that commit")),
}
type Input = InputOf<typeof input>

export interface UpdateResult {
  readonly task: Task
  readonly warnings: string[]
}

interface Updated {
  readonly task: Task
  /** The same caller resolved it before; nothing changed. */
  readonly isRepeat: boolean
}

export const updateTask = operation({
  name: "task.update",
  summary: "Change a task: status, evidence, texts, needs; or release it",
  input,
  async run(context, input): Promise<UpdateResult> {
    const evidence = readEvidence(input, context.settings)
    const to = input.release === true ? "open" : input.status
    if (input.release === true && input.status !== undefined && input.status !== "open") {
      throw new AppError(
        "usage",
        (say) => `${say.field("release")} gives the task back; it cannot become ${input.status} as well`,
      )
    }
    if (to === "resolved") assertNotBlocked(evidence)
    const change = fieldChange(input)
    const changesPlan = isPlanChange(input)
    if (to === undefined && change === undefined && evidence.length === 0 && !changesPlan) {
      const fields = { id: input.id, status: "STATUS" }
      throw new AppError(
        "usage",
        "nothing to change",
        {},
        { remedy: { operation: "task update", fields, to: "say what, as in" } },
      )
    }
    const roles = input.role === undefined ? [] : await context.roles()
    if (to === "resolved" || to === "in_review") await keepFindings(context, input)
    const updated =
      to === "resolved" && change === undefined && !changesPlan
        ? await resolve(context, input, evidence)
        : await context.store.write((tx) => applyUpdate(context, tx, { input, evidence, change, to, roles }))
    const warnings = warnOfEvidence(evidence, context.settings)
    if (updated.isRepeat && evidence.length > 0)
      warnings.push(`task ${updated.task.id} was resolved before; this evidence was not added`)
    return { task: updated.task, warnings }
  },
})

/** Before the task ends, so that a crash loses none. */
async function keepFindings(
  context: Context,
  { project, team, id, result = "", owner = PERSON }: Input,
): Promise<void> {
  if (!MAY_REPORT.test(result)) return
  // 1.2 ms to load, which most updates do not need.
  const { readClosingBlock } = await import("../closing-block.ts")
  const { recordTaskFindings } = await import("../../quality/operations/task-findings.ts")
  const { findings } = readClosingBlock(result)
  const told = { task: id, findings, answer: result, commit: null, agent: null, by: owner }
  await recordTaskFindings(context, { project, team }, told)
}

/** Most results have none of these words. */
const MAY_REPORT = /\b(?:finding|critical|blocker|severe|major|high|medium|low|minor|nit|ship|merge)/i

/** An unknown agent type is not checked. */
function assertRoleFits(task: Task, role: Input["role"], roles: readonly RoleDefinition[]): void {
  const type = roles.find(({ name }) => name === task.agentType)
  if (role !== undefined && type !== undefined) assertCapable({ ...task, role }, type)
}

/** Most tasks end here, by one statement. Reads the task only after a refusal. */
async function resolve({ store, ids }: Context, input: Input, evidence: readonly NewEvidence[]): Promise<Updated> {
  const request = finishRequest(input, evidence, ids.uuid())
  const task = await store.finishTask(request)
  if (task !== undefined) return { task, isRepeat: false }
  const { qa } = await store.read(async (tx) => getTask(tx, (await getTeam(tx, input)).key, input.id))
  if (qa === null) return store.read(async (tx) => explainUnfinished(tx, await getTeam(tx, input), input))
  return store.write(async (tx) => {
    const team = await getTeam(tx, input)
    return finish(tx, team, { task: await lockTask(tx, team.key, input.id), input, request })
  })
}

interface Finish {
  readonly task: Task
  readonly input: Input
  readonly request: FinishRequest
}

/** The task must be locked, so that it is resolved as QA passed it. */
async function finish(tx: Tx, team: StoredTeam, { task, input, request }: Finish): Promise<Updated> {
  if (canMove(task.status, "resolved")) {
    assertHolds(task, input.owner, input.token)
    await assertQaOf(tx, team, task, input)
  }
  const finished = await tx.finishTask({ ...request, isQaChecked: task.qa === "passed" })
  return finished === undefined ? explainUnfinished(tx, team, input) : { task: finished, isRepeat: false }
}

async function assertQaOf(tx: Tx, team: StoredTeam, task: Task, input: Input): Promise<void> {
  if (task.qa !== "passed") return
  const { commit, tree } = input
  await assertQaHolds(tx, team, { task, state: commit === undefined ? undefined : { commit, tree: tree ?? null } })
}

function finishRequest(input: Input, evidence: readonly NewEvidence[], noticeId: string): FinishRequest {
  return {
    project: input.project,
    team: input.team,
    taskId: input.id,
    owner: input.owner ?? null,
    token: input.token ?? null,
    workerId: input.workerId ?? null,
    result: input.result ?? null,
    evidence,
    notice:
      input.workerId === undefined ? null : { id: noticeId, payload: noticeOf(input.workerId, input.id, "resolved") },
  }
}

function noticeOf(
  worker_id: WorkerId,
  completed_task_id: TaskId,
  completed_status: "resolved" | "failed" | "in_review",
) {
  return { worker_id, completed_task_id, completed_status }
}

/** A caller that resolved the task before gets the task; others get the reason. */
async function explainUnfinished(tx: Tx, team: StoredTeam, input: Input): Promise<Updated> {
  const task = await getTask(tx, team.key, input.id)
  const same = input.owner === undefined || task.claimedBy === input.owner
  if (task.status === "resolved" && same && (input.token === undefined || input.token === task.claimToken))
    return { task, isRepeat: true }
  assertHolds(task, input.owner, input.token)
  assertMove(task, "resolved")
  assertMayEnd(task)
  const blocked = (await tx.evidence.list(team.key, task.id)).find(
    (entry) => entry.attempt === task.attempt && entry.blockedPattern !== null && entry.withdrawnAt === null,
  )
  if (blocked === undefined)
    throw new AppError("claim.lost", `task ${task.id} changed hands a moment ago; look at it again`)
  throw new AppError(
    "evidence.blocked",
    `evidence ${blocked.number} of task ${task.id} says "${blocked.blockedPattern}", which is not proof`,
    { taskId: task.id, number: blocked.number, pattern: blocked.blockedPattern },
    {
      remedy: {
        operation: "evidence withdraw",
        fields: { id: task.id, number: blocked.number },
        to: "withdraw it with",
      },
    },
  )
}

interface Update {
  readonly input: Input
  readonly evidence: readonly NewEvidence[]
  readonly change: TaskChange | undefined
  readonly to: Input["status"]
  /** Read only if the role changes. */
  readonly roles: readonly RoleDefinition[]
}

async function applyUpdate(context: Context, tx: Tx, update: Update): Promise<Updated> {
  const { input, evidence, change, to } = update
  const team =
    isPlanChange(input) || to === "open" || to === "in_progress" ? await lockTeam(tx, input) : await getTeam(tx, input)
  const by = input.owner ?? PERSON
  let task = await lockTask(tx, team.key, input.id)
  assertHolds(task, input.owner, input.token)
  assertRoleFits(task, input.role, update.roles)
  task = await renewFor(tx, team.key, task, input.owner)
  if (change !== undefined) {
    const before = task.assignee
    task = await tx.tasks.update(team.key, task.id, change)
    if (change.assignee !== undefined) await tellAssigned(tx, team.key, { task, before, ids: context.ids })
    await tx.events.append(team.key, by, { type: "task.updated", data: { task: task.id, fields: Object.keys(change) } })
  }
  task = await changePlan(tx, team, task, { input, by, settings: context.settings })
  if (to === "resolved") {
    return finish(tx, team, { task, input, request: finishRequest(input, evidence, context.ids.uuid()) })
  }
  await tx.evidence.add(team.key, { taskId: task.id, attempt: task.attempt, by, entries: evidence })
  if (to !== undefined && to !== task.status) task = await changeStatus(context, tx, team, task, { to, input, by })
  return { task, isRepeat: false }
}

interface PlanChange {
  readonly input: Input
  readonly by: string
  readonly settings: Settings
}

/** Adds needs before the files change and removes them after, since needs decide which files may overlap. */
async function changePlan(tx: Tx, team: StoredTeam, task: Task, change: PlanChange): Promise<Task> {
  const { by, settings } = change
  const { addBlockedBy: add = [], removeBlockedBy: remove = [], files } = change.input
  if (files === undefined)
    return add.length + remove.length === 0 ? task : changeNeeds(tx, team, task, { add, remove, by, settings })
  const before = add.length === 0 ? task : await changeNeeds(tx, team, task, { add, remove: [], by, settings })
  const changed = await changeFiles(tx, team, before, change)
  return remove.length === 0 ? changed : changeNeeds(tx, team, changed, { add: [], remove, by, settings })
}

/** The holder cannot change its files; it asks the lead. */
async function changeFiles(tx: Tx, team: StoredTeam, task: Task, { input, by, settings }: PlanChange): Promise<Task> {
  if (input.owner !== undefined) {
    const fields = { task: task.id, owner: input.owner, path: "PATH", reason: "WHY" }
    const remedy = { operation: "ownership ask", fields, to: "ask the lead with" } as const
    throw new AppError("ownership.not_allowed", "the owner of a task cannot change its files", {}, { remedy })
  }
  const { onOverlap = settings.onOverlap, grantShared = false } = input
  const files = (input.files ?? []).filter((pattern) => pattern !== "")
  const plan = await planFiles(tx, team, settings, { ...task, files, onOverlap, grantShared })
  await tx.tasks.update(team.key, task.id, { files: plan.files })
  await tx.events.append(team.key, by, { type: "task.updated", data: { task: task.id, fields: ["files"] } })
  const needs = { remove: [], by, settings }
  if (plan.waitsFor.length > 0) await changeNeeds(tx, team, task, { ...needs, add: plan.waitsFor })
  for (const id of plan.waiting)
    await changeNeeds(tx, team, await lockTask(tx, team.key, id), { ...needs, add: [task.id] })
  return getTask(tx, team.key, task.id)
}

function isPlanChange({ addBlockedBy, removeBlockedBy, files }: Input): boolean {
  return addBlockedBy !== undefined || removeBlockedBy !== undefined || files !== undefined
}

async function changeStatus(
  context: Context,
  tx: Tx,
  team: StoredTeam,
  task: Task,
  { to, input, by }: { to: Task["status"]; input: Input; by: string },
): Promise<Task> {
  const reason = input.reason ?? null
  const isSentBack = task.status === "in_review" && (to === "open" || to === "in_progress")
  if (isSentBack && task.claimedBy !== null && by !== task.claimedBy) {
    const dispute = { task, between: [by, task.claimedBy], about: reason ?? "the review sends it back" } as const
    const { escalation, task: paused } = await noteDisagreement(tx, team, dispute)
    if (escalation !== null) return paused
  }
  if (to === "open") {
    return hasEnded(task.status)
      ? reopenTask(tx, team, { task, by, reason, settings: context.settings })
      : releaseTask(tx, team, { task, by, reason: reason ?? "given back" })
  }
  if (isHeld(to) && task.claimedBy === null && canMove(task.status, to)) {
    throw new AppError(
      "task.transition",
      `task ${task.id} has no owner yet`,
      {},
      { remedy: { operation: "task claim", fields: { id: task.id, owner: "NAME" }, to: "claim it with" } },
    )
  }
  if (to === "in_review") await assertQaOf(tx, team, task, input)
  const moved = await moveTask(tx, team, { task, to, by, reason })
  // After the hand-in the worker is idle too.
  if ((to === "failed" || to === "in_review") && input.workerId !== undefined) {
    const failure = to === "failed" && reason !== null && { failure_reason: reason }
    const payload = { ...noticeOf(input.workerId, task.id, to), ...failure }
    await tx.messages.send(team.key, by, idleMessage({ id: context.ids.uuid(), payload }))
  }
  return moved
}

function fieldChange(input: Input): TaskChange | undefined {
  const { title, description, role, complexity, priority, assignee, result, status } = input
  const change: TaskChange = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(role !== undefined && { role }),
    ...(complexity !== undefined && { complexity }),
    ...(priority !== undefined && { priority }),
    ...(assignee !== undefined && { assignee: assignee === "" ? null : parseWorkerId(assignee) }),
    ...(result !== undefined && status !== "resolved" && { result }),
  }
  return Object.keys(change).length === 0 ? undefined : change
}
