import type { TeamMode } from "../../kernel/team.ts"
import { shorten } from "../../prompts/views/fit-sections.ts"
import { type NoVerdict, QA } from "../../quality/effects/examine-work.ts"
import { findRound } from "../../quality/operations/find-round.ts"
import { reportQa } from "../../quality/operations/report-qa.ts"
import { findPlanApproval, planQa, submitQa } from "../../quality/operations/submit-qa.ts"
import { isSameState, type Quality, toQuality } from "../../quality/quality.ts"
import type { Verdict } from "../../quality/verdict.ts"
import { type Approval, nameApproval } from "../../requests/approval.ts"
import { approveByRule } from "../../requests/operations/approvals.ts"
import { getTask, getTeam } from "../../tasks/operations/lookup.ts"
import type { Task } from "../../tasks/task.ts"
import { type Hold, isLost } from "./hold-claim.ts"
import { SCRIPT } from "./script-variables.ts"
import { Setback } from "./setback.ts"
import type { Shift } from "./shift.ts"

/** What a worker is about to deliver. */
export interface HandedIn {
  /** What its gate said of it. */
  readonly verdict: Verdict
  readonly folder: string
  readonly base: string
  readonly answer: string
  readonly executor: string
}

/**
 * Brings the work of a task past QA: hands it in, has it planned and looked at, and waits for whoever decides. What QA
 * said when it failed; null when it passed, or is not needed. All that counts is in the store, so that whoever is
 * killed here, and whoever comes after, goes on where it stands.
 */
export async function validateTask(shift: Shift, hold: Hold, work: HandedIn): Promise<Verdict | null> {
  const { commit = null, tree = null } = work.verdict
  const isNeeded = (await look(shift, hold)).task.qa !== null
  if (!isNeeded || commit === null || tree === null) return null
  await using watch = await shift.ports.context.store.watch()
  let isIn = false
  let waitsFor = ""
  for (;;) {
    if (hold.cut.aborted) throw stopped()
    const now = await look(shift, hold)
    const isOurs = now.round !== undefined && isSameState(now.round, { commit, tree })
    if (now.task.qa === null || (now.task.qa === "passed" && isOurs)) return null
    if (now.task.qa === "failed" && isIn) return failed(now)
    if (!isOurs || now.task.qa === "failed" || now.task.qa === "needed")
      await handIn(shift, hold, { ...work, commit, tree })
    else {
      const waits = await goOn(shift, hold, { work: { ...work, commit, tree }, now })
      if (waits !== undefined && waits !== waitsFor) shift.ports.say(`Task ${hold.task.id} waits: ${waits}`)
      waitsFor = waits ?? ""
      if (waits !== undefined) await watch.next(LOOK_AGAIN_MS, hold.cut)
    }
    isIn = true
  }
}

const MAX_ANSWER = 20_000
const LOOK_AGAIN_MS = 60_000

function stopped(): Setback {
  return new Setback("interrupted", "the worker was stopped while QA was at its work")
}

interface Now {
  readonly task: Task
  readonly mode: TeamMode
  readonly round: Quality | undefined
  readonly asked: Approval | undefined
  /** The latest that failed. */
  readonly verdict: Verdict | undefined
}

async function look({ ports, team }: Shift, { task: { id } }: Hold): Promise<Now> {
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

function failed({ task, verdict }: Now): Verdict {
  if (verdict === undefined) throw new Error(`QA of task ${task.id} failed without a verdict`)
  if (task.status === "paused") throw new Setback("qa", task.pauseReason ?? "QA failed it", { isNoted: true })
  return verdict
}

async function handIn(
  { ports, team, worker }: Shift,
  { task, token }: Hold,
  { commit, tree, answer, executor }: Going["work"],
): Promise<void> {
  const said = ports.mask(shorten(answer.trim(), MAX_ANSWER))
  const work = executor === SCRIPT ? {} : { answer: said, agent: executor }
  await submitQa.run(ports.context, { ...team, id: task.id, owner: worker, token, commit, tree, ...work })
  ports.say(`Task ${task.id}: handed in to QA`)
}

interface Going {
  readonly work: HandedIn & { readonly commit: string; readonly tree: string }
  readonly now: Now
}

/** One step; what is waited for, if somebody else has to do the next one. */
async function goOn(shift: Shift, hold: Hold, { work, now }: Going): Promise<string | undefined> {
  const { ports, team } = shift
  const { task, mode, round, asked } = now
  const plan = (check: string[]) => planQa.run(ports.context, { ...team, id: task.id, owner: QA, check })
  if (task.qa === "pending") return void (await plan([]))
  if (task.qa === "planning") {
    if (asked?.status === "rejected") return void (await plan([`as the lead said: ${asked.reason}`]))
    if (asked?.status !== "pending") return void (await plan([]))
    if (mode !== "FULL_AUTO") return `${nameApproval(asked)} is to be decided; see: teamwork approvals`
    // Whoever was killed between asking and approving; or a person was faster.
    await approveByRule(ports.context, team, asked)
    return undefined
  }
  if (round?.plan == null) return void (await handIn(shift, hold, work))
  if (round.status === "reported") return `the lead is to decide on what QA reported: teamwork qa accept ${task.id}`
  await examine(shift, hold, { work, now: { ...now, round: { ...round, plan: round.plan } } })
  return undefined
}

interface Examining extends Going {
  readonly now: Now & { readonly round: Quality & { readonly plan: NonNullable<Quality["plan"]> } }
}

async function examine(shift: Shift, { token, cut }: Hold, { work, now }: Examining): Promise<void> {
  const { ports, team, worker } = shift
  const { task, round } = now
  const { folder, commit, tree, base, answer, executor } = work
  ports.say(`Task ${task.id}: QA looks at ${commit.slice(0, 12)}`)
  const request = { ...team, task, folder, plan: round.plan, commit, tree, base, answer, executor, signal: cut }
  const examined = await ports.examine({ ...request, earlier: now.verdict?.issues ?? [] }).catch((error) => {
    throw cut.aborted && !isLost(error) ? stopped() : error
  })
  if ("why" in examined) throw noVerdict(task, examined)
  const { quality } = await reportQa(ports.context, {
    ...{ ...team, taskId: task.id, ...examined },
    held: { owner: worker, token, round: round.number },
  })
  ports.say(`Task ${task.id}: QA gives it ${quality.total} of 100 (${quality.result}); it is ${quality.status}`)
}

/** A person decides, once; where all programs are only at their limit, the task comes back for QA later. */
function noVerdict({ id }: Task, { why, retryAt }: NoVerdict): Setback {
  if (retryAt !== null) return new Setback("rate-limited", `QA waits for an agent program until ${retryAt}: ${why}`)
  return new Setback(
    "qa",
    `QA gave no verdict on task ${id}: ${why}. Judge it yourself with: teamwork qa record ${id} --score "DIMENSION=NUMBER:REASON"; then, or to have QA asked again, decide on retry`,
  )
}
