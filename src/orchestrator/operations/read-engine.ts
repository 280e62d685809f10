import { ENGINE } from "../../kernel/actor.ts"
import type { TeamName } from "../../kernel/team.ts"
import { mustBeFixed } from "../../quality/finding.ts"
import { listLeftOut } from "../../quality/left-out.ts"
import { listOpen } from "../../quality/operations/record-findings.ts"
import type { Verdict, VerdictStatus } from "../../quality/verdict.ts"
import { applyEvent, emptyHistory, type History } from "../../reporting/history.ts"
import { type ApprovalStatus, describeFinal, toApproval } from "../../requests/approval.ts"
import { ABOUT_REVIEW } from "../../requests/escalation.ts"
import { readCheckpoints } from "../../requests/operations/checkpoints.ts"
import { readQuestionsSince } from "../../requests/operations/questions.ts"
import type { Question } from "../../requests/question.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { readWavePlan } from "../../tasks/operations/wave-status.ts"
import type { Task } from "../../tasks/task.ts"
import { readEventsSince, readTasksSince } from "../../teams/operations/follow-team.ts"
import type { Worker } from "../../workers/worker.ts"
import type { EngineSnapshot } from "../actions.ts"

type NotInStore = "busy" | "settled" | "queued" | "elsewhere" | "delivery" | "troubles" | "mergeAfter" | "tested"

export interface EngineFacts extends Omit<EngineSnapshot, NotInStore | "history" | "workers"> {
  readonly workers: readonly Worker[]
}

export interface Following {
  readonly history: History
  tasks: ReadonlyMap<string, Task> | undefined
  questions?: readonly Question[]
  after: string | undefined
}

export function beginFollowing(): Following {
  return { history: emptyHistory(), tasks: undefined, after: undefined }
}

/** Reads one moment, and adds new events to the history. */
export async function readEngine({ store }: Context, name: TeamName, following: Following): Promise<EngineFacts> {
  const { facts, told, known } = await store.read(async (tx) => {
    const { key, ...team } = await getTeam(tx, name)
    const told = await readEventsSince(tx, key, following.after)
    const known = await readTasksSince(tx, { key, known: following.tasks, events: told.events })
    const tasks = [...known.values()]
    const verdicts = await tx.verdicts.listOfTeam(key)
    const facts = {
      now: await tx.now(),
      team,
      tasks,
      waves: await readWavePlan(tx, key, tasks),
      workers: await tx.workers.list(key),
      final: team.phase === "COMPLETE" ? ("passed" as const) : latest(isWhole, verdicts, tasks),
      part: latest(isPart, verdicts, tasks),
      ...(await readReview(tx, key, { verdicts, tasks })),
      findings: (await listOpen(tx, key)).filter(mustBeFixed),
      refusals: countRefusals(verdicts),
      approvals: (await tx.records.list(key, { kind: "approval", status: "pending" })).map(toApproval),
      finalApproval: await readFinal(tx, key, tasks),
      questions: await readQuestionsSince(tx, key, { known: following.questions, events: told.events }),
    }
    return { facts, told, known }
  })
  // After the read, which may run more than once.
  following.after = told.cursor
  following.tasks = known
  following.questions = facts.questions
  for (const event of told.events) applyEvent(following.history, event)
  const isPausedByEngine = facts.team.status === "paused" && following.history.pausedBy === ENGINE
  return { ...facts, isPausedByEngine }
}

/** Null again after a person asked for another review. */
async function readReview(
  tx: Tx,
  key: number,
  { verdicts, tasks }: { readonly verdicts: readonly Verdict[]; readonly tasks: readonly Task[] },
): Promise<Pick<EngineFacts, "review" | "unreviewed" | "isReviewAsked">> {
  const review = latest(isReview, verdicts, tasks)
  const last = verdicts.findLast(isReview)
  const ofTeam = await tx.records.list(key, { kind: "escalation", taskId: null })
  const asked = ofTeam.filter(({ data }) => data.about === ABOUT_REVIEW)
  const isReviewAsked = asked.some(({ status }) => status === "open")
  if (review === null || last === undefined) return { review: null, unreviewed: null, isReviewAsked }
  const isAskedAgain = asked.some(({ data, updatedAt }) => data.decision === "go-on" && updatedAt > last.timestamp)
  if (isAskedAgain) return { review: null, unreviewed: null, isReviewAsked }
  const unreviewed = review === "skipped" ? (last.issues[0] ?? "no review gave a verdict") : null
  return { review, unreviewed, isReviewAsked }
}

async function readFinal(tx: Tx, key: number, tasks: readonly Task[]): Promise<ApprovalStatus | null> {
  const final = (await readCheckpoints(tx, key)).get("final")
  if (final === undefined) return null
  return final.question === describeFinal(tasks) ? final.status : null
}

const isPart = (verdict: Verdict) => listLeftOut(verdict) !== null
const isWhole = (verdict: Verdict) => verdict.scope === "final" && !isPart(verdict)
const isReview = ({ scope }: Verdict) => scope === "cross-agent"

/** Null without one, or when work came after it. */
function latest(
  isAsked: (verdict: Verdict) => boolean,
  verdicts: readonly Verdict[],
  tasks: readonly Task[],
): VerdictStatus | null {
  const verdict = verdicts.findLast(isAsked)
  if (verdict === undefined || tasks.some((task) => task.updatedAt > verdict.timestamp)) return null
  return verdict.status
}

function countRefusals(verdicts: readonly Verdict[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const verdict of verdicts) {
    const { scope, subject, status } = verdict
    if (status !== "failed" || isPart(verdict)) continue
    const name = subject === null ? scope : `${scope} ${subject}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
