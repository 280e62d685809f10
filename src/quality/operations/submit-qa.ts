import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { described, list, text } from "../../lib/schema.ts"
import { BUILT_IN_ROLES, type Responsibility, type RoleDefinition } from "../../planning/roles/roles.ts"
import { type Approval, nameApproval, toApproval, waysToDecide } from "../../requests/approval.ts"
import { approveByRule } from "../../requests/operations/approvals.ts"
import { askApproval } from "../../requests/operations/ask-approval.ts"
import { operation, ownerField, taskIdField, teamFields, textField, tokenField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { addRecord, changeRecord } from "../../store/records.ts"
import { assertHolds } from "../../tasks/operations/assert-holds.ts"
import { getTask, getTeam, lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import type { Task } from "../../tasks/task.ts"
import { describeQaPlan, planQa as makeQaPlan } from "../qa-plan.ts"
import { isSameState, nameQuality, type Quality, toQuality } from "../quality.ts"
import { findRound } from "./find-round.ts"
import { assertQa, moveQa, noQa } from "./move-qa.ts"

/**
 * First half of QA: a worker hands in its work, and another agent or person plans the checks. Each hand-in is a
 * round, a record of kind `quality`; `task.qa` is the state of the latest one. `report-qa.ts` is the second half.
 */

const HASH = (value: string) => (/^[0-9a-f]{7,64}$/.test(value) ? undefined : "is no hash of git")

export const qaFields = { ...teamFields, id: taskIdField }
export const qaActor = v.optional(described(ownerField, "who does so; by default a person"))

interface QaResult {
  readonly task: Task
  readonly quality: Quality
}

export const submitQa = operation({
  name: "qa.submit",
  summary: "Hand in the work of a task to QA",
  input: {
    ...qaFields,
    owner: v.optional(ownerField),
    token: v.optional(tokenField),
    commit: v.optional(text("the commit that is handed in", HASH)),
    tree: v.optional(text("its tree, where it is known", HASH)),
    answer: v.optional(textField("the answer of the agent that did the work", 50_000)),
    agent: v.optional(textField("the program that did it", 100)),
  },
  run: ({ store }, input): Promise<QaResult> =>
    store.write(async (tx) => {
      const { owner, commit = null, tree = null, answer = null, agent = null } = input
      const by = owner ?? PERSON
      const team = await lockTeam(tx, input)
      const task = await lockTask(tx, team.key, input.id)
      assertHolds(task, owner, input.token)
      if (task.qa === null) throw noQa(task)
      if (task.status !== "in_progress")
        throw new AppError(
          "task.transition",
          `task ${task.id} is ${task.status}; only work in progress can be handed in`,
          {},
          { remedy: { operation: "task claim", fields: { id: task.id, owner: "NAME" }, to: "claim it with" } },
        )
      if (commit === null) await assertProven(tx, team, task)
      const ready = await withdrawEarlier(tx, team, { task, by, commit, tree })
      const moved = ready.qa === "pending" ? ready : await moveQa(tx, team, { task: ready, to: "pending", by })
      const data = { commit, tree, answer, agent }
      const round = { kind: "quality", taskId: task.id, attempt: task.attempt, status: "submitted", by, data } as const
      const added = await addRecord(tx, team, round, `task ${task.id} handed in to QA`)
      return { task: moved, quality: toQuality(added) }
    }),
})

/** Work without a commit needs evidence. */
export async function assertProven(tx: Tx, team: StoredTeam, task: Task): Promise<void> {
  const evidence = await tx.evidence.list(team.key, task.id)
  if (evidence.some(({ attempt, withdrawnAt }) => attempt === task.attempt && withdrawnAt === null)) return
  throw noWork(task, "there is no commit and no evidence of it", {
    operation: "evidence run",
    fields: { id: task.id, command: "COMMAND" },
    to: "commit it, or show it with",
  })
}

export function noWork({ id }: Pick<Task, "id">, why: string, remedy: Remedy | readonly Remedy[] = []): AppError {
  const message = `nothing of task ${id} can be handed in to QA yet: ${why}`
  return new AppError("qa.no_work", message, { taskId: id }, { remedy })
}

interface HandIn {
  readonly task: Task
  readonly by: string
  readonly commit: string | null
  readonly tree: string | null
}

/** Withdraws the last round. Only another commit can replace work that waits for QA or has passed. */
async function withdrawEarlier(tx: Tx, team: StoredTeam, { task, by, commit, tree }: HandIn): Promise<Task> {
  const round = await findRound(tx, team.key, task)
  if (task.qa === "passed" || task.qa === "pending") {
    const isOther = commit !== null && !(round && isSameState(toQuality(round), { commit, tree }))
    if (!isOther) assertQa(task, "pending")
  }
  if (task.qa === "passed") return moveQa(tx, team, { task, to: "needed", by })
  if (round === undefined || !["submitted", "planned", "reported"].includes(round.status)) return task
  await changeRound(tx, team, { record: round, to: { status: "withdrawn" }, by })
  const asked = await findPlanApproval(tx, team.key, task)
  if (asked?.status === "pending") {
    const record = { kind: "approval" as const, number: asked.number, status: asked.status }
    await changeRecord(tx, team, { record, to: { status: "withdrawn" }, by, about: nameApproval(asked) })
  }
  return task
}

export const planQa = operation({
  name: "qa.plan",
  summary: "Plan how the work of a task is checked, and ask for the approval of that",
  input: {
    ...qaFields,
    owner: qaActor,
    check: v.optional(list(textField("check", 500), "what is looked at besides; may be repeated"), []),
  },
  async run(context, input): Promise<QaResult & { readonly approval: Approval }> {
    const roles = await context.roles()
    const { mode, ...planned } = await context.store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      const task = await lockTask(tx, team.key, input.id)
      const by = input.owner ?? PERSON
      assertIndependent(task, await findRound(tx, team.key, task), { who: by, what: "plan QA" })
      const asked = task.qa === "planning" ? await findPlanApproval(tx, team.key, task) : undefined
      // A rejected plan is made again; a pending one is decided first.
      if (asked?.status === "pending" && team.mode !== "FULL_AUTO") throw waits(asked)
      const moved = task.qa === "planning" ? task : await moveQa(tx, team, { task, to: "planning", by })
      const record = await getRound(tx, team.key, task)
      const made = makeQaPlan(task, context.settings.quality.dimensions, responsibilityOf(task, roles))
      const plan = { ...made, checks: [...made.checks, ...input.check] }
      const data = { ...record.data, plan, plannedBy: by }
      const changed = await changeRound(tx, team, { record, to: { status: "planned", data }, by })
      const question = describeQaPlan(plan)
      const approval = await askApproval(tx, team, { scope: "qa-plan", subject: "qa", task: moved, question, by })
      return { mode: team.mode, task: moved, quality: toQuality(changed), approval }
    })
    if (mode !== "FULL_AUTO") return planned
    const approval = await approveByRule(context, input, planned.approval)
    return context.store.read(async (tx) => {
      const { key } = await getTeam(tx, input)
      const task = await getTask(tx, key, input.id)
      return { ...planned, task, approval: approval ?? (await findPlanApproval(tx, key, task)) ?? planned.approval }
    })
  },
})

/** Only of generated roles: QA knows the built-in ones by name. */
function responsibilityOf({ agentType }: Task, roles: readonly RoleDefinition[]): Responsibility | undefined {
  if (agentType === null || BUILT_IN_ROLES.some(({ name }) => name === agentType)) return undefined
  return roles.find(({ name }) => name === agentType)?.responsibility
}

function waits(asked: Approval): AppError {
  const { number, taskId } = asked
  const message = `${nameApproval(asked)} waits to be decided`
  return new AppError("approval.needed", message, { number, taskId }, { remedy: waysToDecide(number) })
}

/** Neither the worker nor the one who handed it in may judge a task. A person may. */
export function assertIndependent(
  { id, claimedBy }: Task,
  round: Pick<TeamRecord, "by"> | undefined,
  { who, what }: { readonly who: string; readonly what: string },
): void {
  if (who === PERSON || (who !== claimedBy && who !== round?.by)) return
  const message = `${who} did the work of task ${id} and cannot ${what} for it; another agent or a person must`
  throw new AppError("qa.own", message, { taskId: id, by: who })
}

export async function getRound(tx: Tx, key: number, task: Task): Promise<TeamRecord> {
  const round = await findRound(tx, key, task)
  if (round !== undefined) return round
  const { id } = task
  const remedy = { operation: "qa submit", fields: { id } } as const
  throw new AppError("qa.transition", `nothing of task ${id} was handed in`, { taskId: id }, { remedy })
}

export async function changeRound(
  tx: Tx,
  team: StoredTeam,
  change: { record: TeamRecord; to: Parameters<typeof changeRecord>[2]["to"]; by: string },
): Promise<TeamRecord> {
  const changed = await changeRecord(tx, team, { ...change, about: nameQuality(change.record) })
  if (changed === undefined) throw new Error(`${nameQuality(change.record)} changed in a locked team`)
  return changed
}

/** Of this attempt. */
export async function findPlanApproval(tx: Tx, key: number, task: Task): Promise<Approval | undefined> {
  const asked = (await tx.records.list(key, { kind: "approval", taskId: task.id })).map(toApproval)
  return asked.findLast(({ scope, attempt }) => scope === "qa-plan" && attempt === task.attempt)
}
