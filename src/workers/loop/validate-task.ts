import { EMPTY_RESULT } from "../../agents/jobs/job-state.ts"
import type { AgentResult } from "../../agents/port.ts"
import { SCRIPT } from "../../agents/programs.ts"
import type { Workspace } from "../../git/port.ts"
import type { TeamMode } from "../../kernel/team.ts"
import { listFeedback } from "../../knowledge/operations/give-feedback.ts"
import { shorten } from "../../prompts/views/fit-sections.ts"
import { type NoVerdict, QA } from "../../quality/effects/examine-work.ts"
import { findRound } from "../../quality/operations/find-round.ts"
import { reportQa } from "../../quality/operations/report-qa.ts"
import { findPlanApproval, planQa, submitQa } from "../../quality/operations/submit-qa.ts"
import { isSameState, type Quality, toQuality } from "../../quality/quality.ts"
import type { Verdict } from "../../quality/verdict.ts"
import { type Approval, nameApproval } from "../../requests/approval.ts"
import { toEscalation } from "../../requests/escalation.ts"
import { approveByRule } from "../../requests/operations/approvals.ts"
import { getTask, getTeam } from "../../tasks/operations/lookup.ts"
import type { QaState } from "../../tasks/qa-state.ts"
import type { Task } from "../../tasks/task.ts"
import { type ClaimHandle, isLost } from "./claim-handle.ts"
import { Setback } from "./setback.ts"

export interface HandedIn {
  readonly verdict: Verdict
  readonly folder: string
  readonly base: string
  readonly answer: string
  readonly executor: string
}

type JudgedWork = HandedIn & { readonly commit: string; readonly tree: string }

/**
 * Takes the work of a task through QA: hands it in, has it planned and examined, and waits for decisions. Returns
 * QA's verdict when it failed; null when it passed or is not needed. The state is in the store, so that an
 * interrupted worker or the next one can continue.
 */
export async function validateTask(claim: ClaimHandle, handedIn: HandedIn): Promise<Verdict | null> {
  const { commit = null, tree = null } = handedIn.verdict
  const isNeeded = (await readState(claim)).task.qa !== null
  if (!isNeeded || commit === null || tree === null) return null
  const work = { ...handedIn, commit, tree }
  await using watch = await claim.ports.context.store.watch()
  let isHandedIn = false
  let waitsFor = ""
  for (;;) {
    if (claim.cut.aborted) throw stopped()
    const now = await readState(claim)
    const isOurs = now.round !== undefined && isSameState(now.round, { commit, tree })
    if (now.task.qa === null || (now.task.qa === "passed" && isOurs)) return null
    if (now.task.qa === "failed" && isHandedIn) return failed(now)
    if (!isOurs || now.task.qa === "failed" || now.task.qa === "needed") await handIn(claim, work)
    else {
      const waits = await takeStep(claim, work, now)
      if (waits !== undefined && waits !== waitsFor) claim.ports.say(`Task ${claim.task.id} waits: ${waits}`)
      waitsFor = waits ?? ""
      if (waits !== undefined) await watch.next(LOOK_AGAIN_MS, claim.cut)
    }
    isHandedIn = true
  }
}

const MAX_ANSWER = 20_000
const LOOK_AGAIN_MS = 60_000

function stopped(): Setback {
  return new Setback("interrupted", "the worker was stopped during QA")
}

interface State {
  readonly task: Task
  readonly mode: TeamMode
  readonly round: Quality | undefined
  readonly asked: Approval | undefined
  readonly verdict: Verdict | undefined
}

async function readState({ ports, team, task: { id } }: ClaimHandle): Promise<State> {
  return ports.context.store.read(async (tx) => {
    const { key, mode } = await getTeam(tx, team)
    const task = await getTask(tx, key, id)
    if (task.qa === null) return { task, mode, round: undefined, asked: undefined, verdict: undefined }
    const round = await findRound(tx, key, task)
    const asked = await findPlanApproval(tx, key, task)
    const isFailed = ({ scope, subject, status }: Verdict) => scope === "qa" && subject === id && status === "failed"
    const verdict = (await tx.verdicts.list(key)).findLast(isFailed)
    return { task, mode, round: round && toQuality(round), asked, verdict }
  })
}

function failed({ task, verdict }: State): Verdict {
  if (verdict === undefined) throw new Error(`QA of task ${task.id} failed without a verdict`)
  if (task.status === "paused") throw new Setback("qa", task.pauseReason ?? "QA failed it", { isRecorded: true })
  return verdict
}

async function handIn({ ports, fence, task }: ClaimHandle, work: JudgedWork): Promise<void> {
  const { commit, tree, answer, executor } = work
  const said = ports.mask(shorten(answer.trim(), MAX_ANSWER))
  const by = executor === SCRIPT ? {} : { answer: said, agent: executor }
  await submitQa.run(ports.context, { ...fence, id: task.id, commit, tree, ...by })
  ports.say(`Task ${task.id}: handed in to QA`)
}

/** Returns what the task waits for, if a person must act. */
async function takeStep(claim: ClaimHandle, work: JudgedWork, now: State): Promise<string | undefined> {
  const { ports, team } = claim
  const { task, mode, round, asked } = now
  const plan = (check: string[]) => planQa.run(ports.context, { ...team, id: task.id, owner: QA, check })
  if (task.qa === "pending") return void (await plan([]))
  if (task.qa === "planning") {
    if (asked?.status === "rejected") return void (await plan([`as the lead said: ${asked.reason}`]))
    if (asked?.status !== "pending") return void (await plan([]))
    if (mode !== "FULL_AUTO") return `${nameApproval(asked)} is to be decided; see: teamwork approvals`
    // An earlier worker was killed between asking and approving, or a person is deciding right now.
    await approveByRule(ports.context, team, asked)
    return undefined
  }
  if (round?.plan == null) return void (await handIn(claim, work))
  if (round.status === "reported") return `the lead is to decide on what QA reported: teamwork qa accept ${task.id}`
  await examine(claim, work, { now, round, plan: round.plan })
  return undefined
}

interface Round {
  readonly now: State
  readonly round: Quality
  readonly plan: NonNullable<Quality["plan"]>
}

async function examine(claim: ClaimHandle, work: JudgedWork, { now, round, plan }: Round): Promise<void> {
  const { ports, team, worker, token, cut } = claim
  const { task } = now
  const { folder, commit, tree, base, answer, executor } = work
  ports.say(`Task ${task.id}: QA looks at ${commit.slice(0, 12)}`)
  const request = { ...team, task, folder, plan, commit, tree, base, answer, executor, signal: cut }
  const examined = await ports.examine({ ...request, earlier: now.verdict?.issues ?? [] }).catch((error) => {
    throw cut.aborted && !isLost(error) ? stopped() : error
  })
  if ("why" in examined) throw noVerdict(task, examined)
  const held = { owner: worker, token, round: round.number }
  const { quality } = await reportQa(ports.context, { ...team, taskId: task.id, ...examined, held })
  ports.say(`Task ${task.id}: QA gives it ${quality.total} of 100 (${quality.result}); it is ${quality.status}`)
}

/** A person decides, once. Where all programs are only rate-limited, the task returns for QA later. */
function noVerdict({ id }: Task, { why, retryAt }: NoVerdict): Setback {
  if (retryAt !== null) return new Setback("rate-limited", `QA waits for an agent program until ${retryAt}: ${why}`)
  return new Setback(
    "qa",
    `QA gave no verdict on task ${id}: ${why}. Judge it yourself with: teamwork qa record ${id} --score "DIMENSION=NUMBER:REASON"; then, or to have QA asked again, decide on retry`,
  )
}

const WITH_QA: readonly QaState[] = ["pending", "planning", "validating", "passed"]

/**
 * Work of this attempt that QA already has, where the workspace is at that very commit: the worker was stopped, or
 * QA gave no verdict. The agent need not repeat it, unless a person wrote something since.
 */
export async function findHandedIn(
  claim: ClaimHandle,
  { head }: Workspace,
): Promise<{ readonly agent: string; readonly result: AgentResult } | undefined> {
  if (claim.task.qa === null) return undefined
  return claim.ports.context.store.read(async (tx) => {
    const { key } = await getTeam(tx, claim.team)
    const task = await getTask(tx, key, claim.task.id)
    const record = await findRound(tx, key, task)
    if (record === undefined || task.qa === null || !WITH_QA.includes(task.qa)) return undefined
    const { commit, answer, agent, submittedAt } = toQuality(record)
    if (commit === null || commit !== head || answer === null || agent === null) return undefined
    const decided = (await tx.records.list(key, { kind: "escalation", taskId: task.id, status: "decided" }))
      .map(toEscalation)
      .findLast(({ attempt }) => attempt === task.attempt)
    if (decided !== undefined && (decided.note !== null || decided.decision === "reassign")) return undefined
    const feedback = await listFeedback(tx, key, task.id)
    if (feedback.some(({ createdAt }) => createdAt > submittedAt)) return undefined
    return { agent, result: { ...EMPTY_RESULT, reason: "done", error: "", durationMs: 0, exitCode: 0, answer } }
  })
}
