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
import { toldFailure } from "../failure-excerpt.ts"
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

/** The second half of QA: its scores, what the lead makes of them, and what becomes of work that does not pass. */

export interface QaReported {
  readonly task: Task
  readonly quality: Quality
  /** What QA says; null while the lead has to decide. */
  readonly verdict: Verdict | null
}

export const recordQa = operation({
  name: "qa.record",
  summary: "Record what QA found: a score with its reason for each dimension of the plan",
  input: {
    ...qaFields,
    owner: qaActor,
    score: list(textField("score", 2000), "DIMENSION=NUMBER:REASON, from 0 to 100; for each dimension"),
    guidance: v.optional(list(textField("what to mend", 2000), "what has to be mended; may be repeated"), []),
  },
  run: (context, { id, owner, score, guidance, project, team }): Promise<QaReported> =>
    reportQa(context, {
      ...{ project, team, taskId: id, guidance, by: owner ?? PERSON },
      scores: score.map(parseScore),
    }),
})

export interface QaReport extends TeamName {
  readonly taskId: TaskId
  readonly scores: readonly GivenScore[]
  readonly guidance: readonly string[]
  readonly by: string
  /** Commands ran and nobody has read the work. */
  readonly isByChecks?: boolean
  /** The claim under which a worker has its work looked at, and the round that was: neither may be another by now. */
  readonly held?: { readonly owner: string; readonly token: number; readonly round: number }
}

/** Passed or failed at once where a rule decides; else the report waits for the lead. */
export async function reportQa(context: Context, report: QaReport): Promise<QaReported> {
  const { quality: thresholds } = context.settings
  return context.store.write(async (tx) => {
    const team = await lockTeam(tx, report)
    const task = await lockTask(tx, team.key, report.taskId)
    if (report.held !== undefined) assertHolds(task, report.held.owner, report.held.token)
    assertIndependent(task, await findRound(tx, team.key, task), { who: report.by, what: "record QA" })
    assertQa(task, "passed")
    const record = await getRound(tx, team.key, task)
    const { plan, number, status } = toQuality(record)
    if (status === "reported") throw undecided(task)
    if (plan === null || (report.held !== undefined && report.held.round !== number))
      throw new AppError(
        "qa.transition",
        `task ${task.id} was handed in again`,
        {},
        { remedy: { operation: "qa plan", fields: { id: task.id } } },
      )
    const scores = fitScores(plan, report.scores)
    const { total, result } = judgeScores(scores, thresholds)
    const data = {
      ...record.data,
      scores,
      total,
      result,
      guidance: report.guidance,
      judgedBy: report.by,
      isByChecks: report.isByChecks === true,
    }
    const reported = await changeRound(tx, team, { record, to: { status: "reported", data }, by: report.by })
    const isAuto = team.mode === "FULL_AUTO"
    if (result === "pass" && isAuto) return accept(tx, team, { task, record: reported, by: POLICY, reason: null })
    // Without anybody to look twice, what is not good enough is not good.
    if (result === "fail" || (result === "review" && isAuto))
      return sendBack(context, tx, team, { task, record: reported, by: report.by, reason: null, report })
    return { task, quality: toQuality(reported), verdict: null }
  })
}

function undecided({ id }: Task): AppError {
  return new AppError(
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
}

export const acceptQa = operation({
  name: "qa.accept",
  summary: "As the lead: accept work that QA has reported on, so that its task may end",
  input: { ...qaFields, owner: qaActor, note: v.optional(textField("what to remember about it", 2000)) },
  run: ({ store }, { id, owner = PERSON, note = null, ...name }): Promise<QaReported> =>
    store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const { task, record } = await getReport(tx, team, { id, owner, what: "accept" })
      return accept(tx, team, { task, record, by: owner, reason: note })
    }),
})

export const returnQa = operation({
  name: "qa.return",
  summary: "As the lead: send work back that QA has reported on, with the reason",
  input: { ...qaFields, owner: qaActor, reason: textField("what has to be done otherwise", 2000) },
  run: (context, { id, owner = PERSON, reason, ...name }): Promise<QaReported> => {
    if (reason.trim() === "")
      throw new AppError("input.invalid", (say) => `${say.field("reason")} must say what has to be done otherwise`)
    return context.store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const { task, record } = await getReport(tx, team, { id, owner, what: "return" })
      return sendBack(context, tx, team, { task, record, by: owner, reason })
    })
  },
})

interface Decided {
  readonly task: Task
  readonly record: TeamRecord
}

/** Two layers: neither the one who did the work nor the one who judged it has the last word. */
async function getReport(
  tx: Tx,
  team: StoredTeam,
  { id, owner, what }: { readonly id: TaskId; readonly owner: string; readonly what: string },
): Promise<Decided> {
  const task = await lockTask(tx, team.key, id)
  assertQa(task, what === "accept" ? "passed" : "failed")
  const record = await getRound(tx, team.key, task)
  assertIndependent(task, record, { who: owner, what: `${what} QA` })
  const { status, judgedBy } = toQuality(record)
  if (status !== "reported") {
    throw new AppError(
      "qa.transition",
      `QA of task ${id} has not reported yet`,
      { taskId: id },
      { remedy: { operation: "qa record", fields: { id, score: "NAME=SCORE" } } },
    )
  }
  if (owner !== PERSON && owner === judgedBy)
    throw new AppError("qa.own", `${owner} judged the work of task ${id}; the lead decides`, { taskId: id, by: owner })
  return { task, record }
}

interface Decision extends Decided {
  readonly by: string
  readonly reason: string | null
}

async function accept(tx: Tx, team: StoredTeam, { task, record, by, reason }: Decision): Promise<QaReported> {
  const data = { ...record.data, decidedBy: by, reason }
  const quality = toQuality(await changeRound(tx, team, { record, to: { status: "accepted", data }, by }))
  const checks = quality.scores.map(({ name, score, reason: why }) => ({
    ...{ name, status: "passed" as const, evidence: `${score} of 100: ${why}` },
  }))
  const verdict = await addVerdict(tx, team, { quality, task, status: "passed", checks, issues: [] })
  return { task: await moveQa(tx, team, { task, to: "passed", by }), quality, verdict }
}

/** Back to whoever did it; the lead is told of the second time, and the third ends in a pause. */
async function sendBack(
  context: Context,
  tx: Tx,
  team: StoredTeam,
  { task, record, by, reason, report }: Decision & { readonly report?: QaReport },
): Promise<QaReported> {
  const data = { ...record.data, decidedBy: by, reason }
  const quality = toQuality(await changeRound(tx, team, { record, to: { status: "returned", data }, by }))
  const earlier = (await listReturned(tx, team, task)).filter(({ number }) => number !== quality.number)
  const failures = earlier.length + 1
  const { checks, issues } = guidanceOf(quality, { thresholds: context.settings.quality, failures, earlier })
  const verdict = await addVerdict(tx, team, { quality, task, status: "failed", checks, issues })
  const moved = await moveQa(tx, team, { task, to: "failed", by })
  const send = (to: string, message: string) =>
    tx.messages.send(team.key, by, { id: context.ids.uuid(), from: by, to, type: "text", payload: { message } })
  // A worker that had its work looked at has the answer in hand.
  if (report?.held === undefined && task.claimedBy !== null)
    await send(task.claimedBy, `QA RETURNED task #${task.id}:\n${issues.map((issue) => `- ${issue}`).join("\n")}`)
  if (failures < 2) return { task: moved, quality, verdict }
  if (failures < MAX_QA_FAILURES) {
    await send(LEAD, `QA failed task #${task.id} for the second time: ${issues[1] ?? issues[0]}`)
    return { task: moved, quality, verdict }
  }
  const worker = (task.workerId ?? task.claimedBy ?? by) as WorkerId
  const why = `QA failed it ${failures} times: ${issues[1] ?? issues[0]}`
  const setback = { worker, agent: null, kind: "qa", reason: why, advice: null, next: "pause" } as const
  const paused = await noteSetback(tx, team, { ...setback, task: moved, messageId: context.ids.uuid() })
  return { task: paused, quality, verdict }
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
  const data = { scope: "qa", subject: task.id, status, ...toldFailure(verdict) } as const
  await tx.events.append(team.key, by, { type: "verdict.recorded", data })
  return added
}

/** Work that is judged anew as another than the one QA passed needs QA again. The task must be locked. */
export async function doubtQa(
  tx: Tx,
  team: StoredTeam,
  { task, tree, by }: { readonly task: Task; readonly tree: string; readonly by: string },
): Promise<void> {
  if (task.qa !== "passed") return
  const round = await findRound(tx, team.key, task)
  const known = round && toQuality(round).tree
  if (known !== undefined && known !== null && known !== tree) await moveQa(tx, team, { task, to: "needed", by })
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
