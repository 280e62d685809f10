import * as v from "valibot"
import { PERSON, POLICY } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import type { TeamName } from "../../kernel/team.ts"
import { list } from "../../lib/schema.ts"
import { LEAD } from "../../messages/message.ts"
import { type Context, operation, runFields, taskIdField, textField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { assertHolds } from "../../tasks/operations/assert-holds.ts"
import { getTeam, lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import { noteSetback } from "../../tasks/operations/set-back.ts"
import type { Task } from "../../tasks/task.ts"
import { failureForEvent } from "../failure-excerpt.ts"
import {
  fitScores,
  type GivenScore,
  guidanceOf,
  judgeScores,
  MAX_QA_FAILURES,
  parseScore,
  type Quality,
  toQuality,
} from "../quality.ts"
import type { Verdict } from "../verdict.ts"
import { findRound } from "./find-round.ts"
import { assertQa, moveQa } from "./move-qa.ts"
import { assertIndependent, changeRound, getRound, qaActor, qaFields } from "./submit-qa.ts"

/** Second half of QA: scores, decision of the lead, and the return of work that does not pass. */

export interface QaReported {
  readonly task: Task
  readonly quality: Quality
  /** Null: the lead decides. */
  readonly verdict: Verdict | null
}

export const recordQa = operation({
  name: "qa.record",
  summary: "Record what QA found: a score with its reason for each dimension of the plan",
  input: {
    ...qaFields,
    owner: qaActor,
    score: list(textField("score", 2000), "DIMENSION=NUMBER:REASON, from 0 to 100; for each dimension"),
    guidance: v.optional(list(textField("what to fix", 2000), "what has to be fixed; may be repeated"), []),
  },
  run: (context, { id, owner: by = PERSON, score, guidance, project, team }): Promise<QaReported> =>
    reportQa(context, { project, team, taskId: id, guidance, by, scores: score.map(parseScore) }),
})

interface QaReport extends TeamName {
  readonly taskId: TaskId
  readonly scores: readonly GivenScore[]
  readonly guidance: readonly string[]
  readonly by: string
  readonly isByChecks?: boolean
  /** Claim and round of the examined work: neither may have changed. */
  readonly held?: { readonly owner: string; readonly token: number; readonly round: number }
}

/** A rule decides if it can, else the lead. */
export async function reportQa(context: Context, report: QaReport): Promise<QaReported> {
  const { held, by, guidance, isByChecks = false } = report
  return context.store.write(async (tx) => {
    const team = await lockTeam(tx, report)
    const task = await lockTask(tx, team.key, report.taskId)
    if (held !== undefined) assertHolds(task, held.owner, held.token)
    assertIndependent(task, await findRound(tx, team.key, task), { who: by, what: "record QA" })
    assertQa(task, "passed")
    const record = await getRound(tx, team.key, task)
    const { plan, number, status } = toQuality(record)
    const { id } = task
    if (status === "reported")
      throw new AppError(
        "qa.transition",
        `QA of task ${id} has reported, and the lead decides`,
        { taskId: id },
        {
          remedy: [
            { operation: "qa accept", fields: { id } },
            { operation: "qa return", fields: { id, reason: "WHY" } },
          ],
        },
      )
    if (plan === null || (held !== undefined && held.round !== number)) {
      const remedy = { operation: "qa plan", fields: { id } } as const
      throw new AppError("qa.transition", `task ${id} was handed in again`, {}, { remedy })
    }
    const scores = fitScores(plan, report.scores)
    const { total, result } = judgeScores(scores, context.settings.quality)
    const data = { ...record.data, scores, total, result, guidance, judgedBy: by, isByChecks }
    const reported = await changeRound(tx, team, { record, to: { status: "reported", data }, by })
    const isAuto = team.mode === "FULL_AUTO"
    const decision = { task, record: reported, by, reason: null }
    if (result === "pass" && isAuto) return accept(tx, team, { ...decision, by: POLICY })
    // In FULL_AUTO no lead decides, so work that is not good enough fails.
    if (result === "fail" || (result === "review" && isAuto))
      return sendBack(context, tx, team, { ...decision, isHeld: held !== undefined })
    return { task, quality: toQuality(reported), verdict: null }
  })
}

export const acceptQa = operation({
  name: "qa.accept",
  summary: "As the lead: accept work that QA has reported on, so that its task may end",
  input: { ...qaFields, owner: qaActor, note: v.optional(textField("what to remember about it", 2000)) },
  run: ({ store }, { id, owner: by = PERSON, note = null, ...name }): Promise<QaReported> =>
    store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      return accept(tx, team, { ...(await getReport(tx, team, { id, by, what: "accept" })), reason: note })
    }),
})

export const returnQa = operation({
  name: "qa.return",
  summary: "As the lead: send work back that QA has reported on, with the reason",
  input: { ...qaFields, owner: qaActor, reason: textField("what has to be done otherwise", 2000) },
  run: (context, { id, owner: by = PERSON, reason, ...name }): Promise<QaReported> => {
    if (reason.trim() === "")
      throw new AppError("input.invalid", (say) => `${say.field("reason")} must say what has to be done otherwise`)
    return context.store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      return sendBack(context, tx, team, { ...(await getReport(tx, team, { id, by, what: "return" })), reason })
    })
  },
})

interface Decision {
  readonly task: Task
  readonly record: TeamRecord
  readonly by: string
  readonly reason: string | null
}

/** Neither the worker nor the judge of the work may decide. */
async function getReport(
  tx: Tx,
  team: StoredTeam,
  { id, by, what }: { readonly id: TaskId; readonly by: string; readonly what: "accept" | "return" },
): Promise<Omit<Decision, "reason">> {
  const task = await lockTask(tx, team.key, id)
  assertQa(task, what === "accept" ? "passed" : "failed")
  const record = await getRound(tx, team.key, task)
  assertIndependent(task, record, { who: by, what: `${what} QA` })
  const { status, judgedBy } = toQuality(record)
  if (status !== "reported") {
    const remedy = { operation: "qa record", fields: { id, score: "NAME=SCORE" } } as const
    throw new AppError("qa.transition", `QA of task ${id} has not reported yet`, { taskId: id }, { remedy })
  }
  if (by !== PERSON && by === judgedBy)
    throw new AppError("qa.own", `${by} judged the work of task ${id}; the lead decides`, { taskId: id, by })
  return { task, record, by }
}

async function accept(tx: Tx, team: StoredTeam, decision: Decision): Promise<QaReported> {
  const { task, by } = decision
  const quality = await decideRound(tx, team, "accepted", decision)
  const checks = quality.scores.map(({ name, score, reason }) => {
    return { name, status: "passed" as const, evidence: `${score} of 100: ${reason}` }
  })
  const verdict = await addVerdict(tx, team, { quality, task, status: "passed", checks, issues: [] })
  return { task: await moveQa(tx, team, { task, to: "passed", by }), quality, verdict }
}

/** Back to the worker. The second time the lead gets a message; the third time the task is paused. */
async function sendBack(
  context: Context,
  tx: Tx,
  team: StoredTeam,
  decision: Decision & { readonly isHeld?: boolean },
): Promise<QaReported> {
  const { task, by, isHeld } = decision
  const earlier = await listReturned(tx, team, task)
  const quality = await decideRound(tx, team, "returned", decision)
  const failures = earlier.length + 1
  const { checks, issues } = guidanceOf(quality, { thresholds: context.settings.quality, failures, earlier })
  const verdict = await addVerdict(tx, team, { quality, task, status: "failed", checks, issues })
  const moved = await moveQa(tx, team, { task, to: "failed", by })
  const send = (to: string, message: string) =>
    tx.messages.send(team.key, by, { id: context.ids.uuid(), from: by, to, type: "text", payload: { message } })
  // A worker that runs QA on its own work has the answer already.
  if (isHeld !== true && task.claimedBy !== null)
    await send(task.claimedBy, `QA RETURNED task #${task.id}:\n${issues.map((issue) => `- ${issue}`).join("\n")}`)
  const first = issues[1] ?? issues[0]
  if (failures < MAX_QA_FAILURES) {
    if (failures > 1) await send(LEAD, `QA failed task #${task.id} for the second time: ${first}`)
    return { task: moved, quality, verdict }
  }
  const worker = (task.workerId ?? task.claimedBy ?? by) as WorkerId
  const reason = `QA failed it ${failures} times: ${first}`
  const setback = { worker, agent: null, kind: "qa", reason, advice: null, next: "pause" } as const
  const paused = await noteSetback(tx, team, { ...setback, task: moved, messageId: context.ids.uuid() })
  return { task: paused, quality, verdict }
}

async function decideRound(
  tx: Tx,
  team: StoredTeam,
  status: "accepted" | "returned",
  { record, by, reason }: Decision,
): Promise<Quality> {
  const data = { ...record.data, decidedBy: by, reason }
  return toQuality(await changeRound(tx, team, { record, to: { status, data }, by }))
}

async function listReturned(tx: Tx, team: StoredTeam, task: Task): Promise<Quality[]> {
  const rounds = await tx.records.list(team.key, { kind: "quality", taskId: task.id, status: "returned" })
  return rounds.filter(({ attempt }) => attempt === task.attempt).map(toQuality)
}

async function addVerdict(
  tx: Tx,
  team: StoredTeam,
  given: Pick<Verdict, "status" | "checks" | "issues"> & { readonly quality: Quality; readonly task: Task },
): Promise<Verdict> {
  const { quality, task, status, checks, issues } = given
  const { commit, tree, judgedBy, decidedBy } = quality
  const by = (status === "failed" ? decidedBy : judgedBy) ?? PERSON
  const judged = commit === null || tree === null ? {} : { commit, tree }
  const verdict = { scope: "qa", subject: task.id, status, checks, issues, by, ...judged } as const
  const added = await tx.verdicts.add(team.key, verdict)
  const data = { scope: "qa", subject: task.id, status, ...failureForEvent(verdict) } as const
  await tx.events.append(team.key, by, { type: "verdict.recorded", data })
  return added
}

export const listQuality = operation({
  name: "quality",
  summary: "List what QA found, one line for each hand-in",
  input: { ...runFields, task: v.optional(taskIdField) },
  run: ({ store }, { task, ...name }): Promise<Quality[]> =>
    store.read(async (tx) => {
      const { key } = await getTeam(tx, name)
      return (await tx.records.list(key, { kind: "quality", taskId: task })).map(toQuality)
    }),
})
