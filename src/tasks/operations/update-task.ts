import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { parseWorkerId } from "../../kernel/ids.ts"
import { choice, flag, type InputOf, list, optional, text } from "../../lib/fields.ts"
import { idleMessage } from "../../messages/message.ts"
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
import { assertHolds } from "./assert-holds.ts"
import { changeNeeds } from "./change-needs.ts"
import { assertNotBlocked, evidenceFields, readEvidence, warnOfEvidence } from "./evidence-input.ts"
import { getTask, getTeam, lockTask, lockTeam } from "./lookup.ts"
import { moveTask, releaseTask, reopenTask } from "./task-moves.ts"

const input = {
  ...teamFields,
  id: taskIdField,
  owner: optional(ownerField),
  token: optional(tokenField),
  status: optional(choice(TASK_STATUSES, "new status")),
  ...evidenceFields,
  title: optional(titleField("new title")),
  description: optional(textField("new description")),
  role: optional(roleField),
  complexity: optional(choice(COMPLEXITIES, "complexity")),
  files: optional(list(textField("glob"), "all that it owns from now on, as patterns; empty for nothing")),
  ...planFields,
  priority: optional(priorityField),
  assignee: optional(text("the only worker that may claim it; empty for anybody")),
  addBlockedBy: optional(commaList(taskIdField, "tasks it needs as well, as 1,2")),
  removeBlockedBy: optional(commaList(taskIdField, "tasks it no longer needs, as 1,2")),
  result: optional(textField("what came out, in a few words")),
  reason: optional(textField("why the status changes", 2000)),
  release: flag("give the task back, for anybody to take"),
  workerId: optional(workerIdField),
  commit: optional(text("what is resolved, where QA has passed it")),
  tree: optional(text("its tree, where it is known")),
}
type Input = InputOf<typeof input>

export interface UpdateResult {
  readonly task: Task
  readonly warnings: string[]
}

interface Updated {
  readonly task: Task
  /** It was resolved that way before, and nothing was changed. */
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
    const checkRole = await roleCheck(context, input)
    if (to === "resolved" || to === "in_review") await keepFindings(context, input)
    const updated =
      to === "resolved" && change === undefined && !changesPlan
        ? await resolve(context, input, evidence)
        : await context.store.write((tx) => applyUpdate(context, tx, { input, evidence, change, to, checkRole }))
    const notes = [...warnOfEvidence(evidence, context.settings), ...warnOfBlocked(to, evidence)]
    return { task: updated.task, warnings: [...notes, ...warnOfRepeat(updated, evidence)] }
  },
})

/** What a result reports as found is kept, whoever writes it. Before the task ends, so that a crash loses nothing. */
async function keepFindings(
  context: Context,
  { project, team, id, result = "", owner = PERSON }: Input,
): Promise<void> {
  if (!MAY_REPORT.test(result)) return
  const { recordTaskFindings } = await import("../../quality/operations/task-findings.ts")
  const { findings } = (await import("../closing-block.ts")).readClosingBlock(result)
  const told = { task: id, findings, answer: result, commit: null, agent: null, by: owner }
  await recordTaskFindings(context, { project, team }, told)
}

/** Most results have none of these words, and pay nothing. */
const MAY_REPORT = /\b(?:finding|critical|blocker|severe|major|high|medium|low|minor|nit|ship|merge)/i

/** Whoever the task asks for must be capable of it in its new role too; of a type that nobody knows nothing can be said. */
async function roleCheck({ roles }: Context, { role }: Input): Promise<(task: Task) => void> {
  if (role === undefined) return () => undefined
  const [{ assertCapable }, known] = await Promise.all([import("../../planning/roles/roles.ts"), roles()])
  return (task) => {
    const type = known.find(({ name }) => name === task.agentType)
    if (type !== undefined) assertCapable({ ...task, role }, type)
  }
}

/** The way most tasks end: one statement in the store, and a look at the task only when that was refused. */
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

/** With the task locked: what QA passed must be what is resolved. */
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
  const { assertQaHolds } = await import("../../quality/operations/hold-qa.ts")
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
      input.workerId === undefined
        ? null
        : {
            id: noticeId,
            payload: { worker_id: input.workerId, completed_task_id: input.id, completed_status: "resolved" },
          },
  }
}

/** A repeated resolve by whoever resolved it is answered with the task as it is; anything else has a reason. */
async function explainUnfinished(tx: Tx, team: StoredTeam, input: Input): Promise<Updated> {
  const task = await getTask(tx, team.key, input.id)
  const same = input.owner === undefined || task.claimedBy === input.owner
  if (task.status === "resolved" && same && (input.token === undefined || input.token === task.claimToken))
    return { task, isRepeat: true }
  assertHolds(task, input.owner, input.token)
  assertMove(task, "resolved")
  ;(await import("../../requests/operations/phases.ts")).assertGuards(task)
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
  checkRole(task: Task): void
}

async function applyUpdate(context: Context, tx: Tx, update: Update): Promise<Updated> {
  const { input, evidence, change, to } = update
  const team =
    isPlanChange(input) || to === "open" || to === "in_progress" ? await lockTeam(tx, input) : await getTeam(tx, input)
  const by = input.owner ?? PERSON
  let task = await lockTask(tx, team.key, input.id)
  assertHolds(task, input.owner, input.token)
  update.checkRole(task)
  if (input.owner !== undefined && task.status === "in_progress") task = await tx.tasks.renew(team.key, task.id)
  if (change !== undefined) {
    const before = task.assignee
    task = await tx.tasks.update(team.key, task.id, change)
    if (change.assignee !== undefined)
      await (await import("./tell-assigned.ts")).tellAssigned(tx, team.key, { task, before, ids: context.ids })
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

/** New needs count for new files, and new files for needs that are to go. */
async function changePlan(tx: Tx, team: StoredTeam, task: Task, change: PlanChange): Promise<Task> {
  const { by, settings } = change
  const { addBlockedBy: add = [], removeBlockedBy: remove = [], files } = change.input
  if (files === undefined)
    return add.length + remove.length === 0 ? task : changeNeeds(tx, team, task, { add, remove, by, settings })
  const before = add.length === 0 ? task : await changeNeeds(tx, team, task, { add, remove: [], by, settings })
  const changed = await changeFiles(tx, team, before, change)
  return remove.length === 0 ? changed : changeNeeds(tx, team, changed, { add: [], remove, by, settings })
}

/** Who holds a task does not widen its own files: that is asked of the lead. */
async function changeFiles(tx: Tx, team: StoredTeam, task: Task, { input, by, settings }: PlanChange): Promise<Task> {
  if (input.owner !== undefined) {
    const fields = { task: task.id, owner: input.owner, path: "PATH", reason: "WHY" }
    const remedy = { operation: "ownership ask", fields, to: "ask the lead with" } as const
    throw new AppError("ownership.not_allowed", "the owner of a task cannot change its files", {}, { remedy })
  }
  const { planFiles } = await import("../../ownership/operations/plan-files.ts")
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
  if (
    task.status === "in_review" &&
    (to === "open" || to === "in_progress") &&
    task.claimedBy !== null &&
    by !== task.claimedBy
  ) {
    const about = reason ?? "the review sends it back"
    const { noteDisagreement } = await import("../../requests/operations/disputes.ts")
    const { escalation, task: paused } = await noteDisagreement(tx, team, {
      task,
      between: [by, task.claimedBy],
      about,
    })
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
  // Who hands its work in for review is idle as well.
  if ((to === "failed" || to === "in_review") && input.workerId !== undefined) {
    const failure = to === "in_review" || reason === null ? {} : { failure_reason: reason }
    const payload = { worker_id: input.workerId, completed_task_id: task.id, completed_status: to, ...failure }
    await tx.messages.send(team.key, by, idleMessage({ id: context.ids.uuid(), payload }))
  }
  return moved
}

function fieldChange(input: Input): TaskChange | undefined {
  const change: TaskChange = {
    ...(input.title === undefined ? {} : { title: input.title }),
    ...(input.description === undefined ? {} : { description: input.description }),
    ...(input.role === undefined ? {} : { role: input.role }),
    ...(input.complexity === undefined ? {} : { complexity: input.complexity }),
    ...(input.priority === undefined ? {} : { priority: input.priority }),
    ...(input.assignee === undefined ? {} : { assignee: input.assignee === "" ? null : parseWorkerId(input.assignee) }),
    ...(input.result === undefined || input.status === "resolved" ? {} : { result: input.result }),
  }
  return Object.keys(change).length === 0 ? undefined : change
}

function warnOfBlocked(to: Input["status"], evidence: readonly NewEvidence[]): string[] {
  const entry = to === "resolved" ? undefined : evidence.find((each) => each.blockedPattern !== null)
  return entry === undefined ? [] : [`evidence says "${entry.blockedPattern}"; the task cannot be resolved with it`]
}

function warnOfRepeat({ task, isRepeat }: Updated, evidence: readonly NewEvidence[]): string[] {
  return isRepeat && evidence.length > 0 ? [`task ${task.id} was resolved before; this evidence was not added`] : []
}
