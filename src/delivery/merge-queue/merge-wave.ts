import { teamRefs, workerRefs } from "../../kernel/branches.ts"
import type { EventData } from "../../kernel/events.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { RunName, TeamName } from "../../kernel/team.ts"
import { type Finding, nameFinding } from "../../quality/finding.ts"
import { readCritical } from "../../quality/operations/hold-findings.ts"
import { readPassed } from "../../quality/operations/hold-qa.ts"
import type { Context } from "../../store/operation.ts"
import { bringCommand, tellElsewhere } from "../../tasks/committed-work.ts"
import { isRepairComing, listNeeds } from "../../tasks/fix-task.ts"
import { getTeam, resolveRun } from "../../tasks/operations/lookup.ts"
import { noteCommitted, noteMissing, readCommitted } from "../../tasks/operations/note-committed.ts"
import type { Task } from "../../tasks/task.ts"
import { noteRefs } from "../operations/integration-memory.ts"
import { noteMergeEnded, noteMergeStarted } from "../operations/note-merge.ts"
import { type FailedMerge, type Fix, recordMerges } from "../operations/record-merges.ts"
import { askAboutShared, noteSharedMerges, readSharedAnswers } from "../operations/shared-questions.ts"
import { type Attempt, attemptName } from "./candidate.ts"
import { type Collection, collectCandidates, readPins } from "./collect-candidates.ts"
import { describeFailure } from "./describe-failure.ts"
import type { RestoredPin } from "./heed-committed.ts"
import { type BatchReport, mergeBatch, type QueuePorts } from "./merge-batch.ts"
import { openIntegration } from "./open-integration.ts"
import type { Repair } from "./repair-line.ts"
import type { LockMaker } from "./settle-locks.ts"
import { makeSharedFiles } from "./settle-shared.ts"

export interface WaveMerge extends TeamName {
  /** Only the tasks of this wave; without it, every task that is resolved by now. */
  readonly wave?: number
  readonly target?: string
  /** Tasks in review wait for nothing but this, and are resolved by it. */
  readonly takesReviewed?: boolean
  /** A fix is meant for the idle worker that did the work; whoever leads frees it when that takes something else. */
  readonly assignsFixes?: boolean
  /** How often a task may fail to merge for the same reason before it fails. */
  readonly maxRuns?: number
  /**
   * Merge also tasks that an open critical finding is about. A led run does: fixes and the review of them build on what
   * is merged, and the delivery is held. Otherwise such a task is left out.
   */
  readonly mergesHeld?: boolean
  /** How the last merge left the branch. Where nobody has moved it since, only what is new is looked at. */
  readonly last?: LastMerge | undefined
}

export interface LastMerge {
  readonly tip: string
  /** The attempts that are on the branch, and written down as merged: `<task>/<attempt>`. */
  readonly merged: ReadonlySet<string>
}

export interface WaveReport extends BatchReport {
  readonly target: string
  readonly fixes: readonly Fix[]
  /** Repairs that are to come; what waits for commits that are not merged may come with them. */
  readonly repairs: readonly TaskId[]
  /** Tasks whose work is done and that there was nothing to merge of, and why. */
  readonly left: readonly (Attempt & { readonly reason: string })[]
  /** The commit of each attempt that was looked at, as far as there was one: `<task>/<attempt>`. */
  readonly looked: ReadonlyMap<string, string>
  /** Tasks whose work is done in another repository and not here: where, and what brings it here. */
  readonly elsewhere: readonly ElsewhereTask[]
  /** Pins that somebody had moved, and that are back at what their attempt came to. */
  readonly restored: readonly RestoredPin[]
  /** Tasks that are not resolved yet. */
  readonly pending: readonly TaskId[]
  /** Commits that somebody put on the branch past the queue: they were set aside. */
  readonly strangers: readonly { readonly commit: string; readonly subject: string }[]
  /** What an earlier, killed process had left half done. */
  readonly mended: readonly string[]
}

export interface WavePorts extends Omit<QueuePorts, "shared" | "noteShared"> {
  /** Makes lock files anew; left out where no program may be started. */
  readonly makeLock?: LockMaker
}

/**
 * Merges what is resolved into the team's integration branch and writes down how that went. Whatever was interrupted is
 * taken up where it was: what git has is not merged again, what the store has is not written again.
 */
export async function mergeWave(context: Context, given: WavePorts, request: WaveMerge): Promise<WaveReport> {
  const { merges } = given
  const name = await resolveRun(context, request)
  const ports = await withSharedFiles(context, given, name)
  const { tasks, committed, passed, critical } = await context.store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    const all = await tx.tasks.list(key)
    const rounds = all.some(({ qa }) => qa !== null) ? await readPassed(tx, key) : new Map()
    const critical = request.mergesHeld === true ? [] : await readCritical(tx, key)
    return { tasks: all, committed: await readCommitted(tx, key), passed: rounds, critical }
  })
  const mended = await merges.recover()
  const integration = await openIntegration(context, merges, { name, target: request.target })
  const ofWave = tasks.filter((task) => request.wave === undefined || task.wave === request.wave)
  const done = request.takesReviewed === true ? ["resolved", "in_review"] : ["resolved"]
  const last = request.last?.tip === integration.tip ? request.last : undefined
  const isMerged = ({ id, attempt }: Task) => last?.merged.has(attemptName({ taskId: id, attempt })) === true
  const unmerged = ofWave.filter((task) => done.includes(task.status) && !isMerged(task))
  const { wanted, held } = withoutHeld(unmerged, critical)
  const found = await collectCandidates(merges, { name, tasks, wanted, committed, passed, tip: integration.tip })
  const { candidates, heads, restored } = found
  const elsewhere = await noteFound(context, merges, { name, tasks, found })
  const { start, target } = integration
  const strangers = [...integration.strangers]
  // Whoever moves the branch meanwhile may be a stranger too.
  const tips = async (round: number) => {
    if (round === 0) return integration.tip
    const opened = await openIntegration(context, merges, { name, target: request.target })
    strangers.push(...opened.strangers)
    return opened.tip
  }
  // One that is done and no candidate cannot be merged here: nobody waits for it.
  const repairs = listRepairs(tasks, found).filter(({ status }) => !done.includes(status))
  const { report, left, fixes } = await noted(context, { ...request, ...name }, candidates, async () => {
    const batch = await mergeBatch(ports, { branch: integration.ref, tips, candidates, others: heads, repairs })
    const { outcomes, left } = await addMended(merges, batch, found)
    const report = { ...batch, outcomes }
    const empty = found.left.filter((each) => each.isEmpty)
    await askAboutShared(context, name, listAsked(batch))
    const anew = await findBegunWrong(merges, { name, isLed: request.takesReviewed === true }, batch)
    const { before, after } = batch
    const moved = before === after ? undefined : { commit: after, start, target, ...(await merges.place()) }
    const fixes = await writeDown(context, ports, {
      ...{ name, report, empty, start: last?.tip ?? start, anew, moved },
      ...{ assignsFixes: request.assignsFixes, maxRuns: request.maxRuns },
    })
    return { report, left, fixes }
  })
  const pending = ofWave.filter(isPending).map((task) => task.id)
  const coming = [...repairs, ...fixes].map(({ fix }) => fix)
  const all = { ...report, target, fixes, repairs: coming, left: [...left, ...held], elsewhere, restored }
  const { looked } = found
  return { ...all, looked, pending, strangers, mended }
}

/** Work in which a review found something critical is not merged before that is fixed or waived. */
function withoutHeld(tasks: readonly Task[], critical: readonly Finding[]) {
  const held: { taskId: TaskId; attempt: number; reason: string }[] = []
  const wanted = tasks.filter(({ id, attempt }) => {
    const finding = critical.find(({ taskId }) => taskId === id)
    if (finding !== undefined) {
      const ways = `teamwork findings show ${finding.number}`
      held.push({ taskId: id, attempt, reason: `it is held by ${nameFinding(finding)}; see: ${ways}` })
    }
    return finding === undefined
  })
  return { wanted, held }
}

/** Of a task whose commit this repository does not have. */
export interface ElsewhereTask extends Attempt {
  readonly commit: string
  /** Where it is, in words. */
  readonly reason: string
  /** What brings it here. */
  readonly command: string
}

/** Writes down what was found out about where work is. */
async function noteFound(
  context: Context,
  merges: QueuePorts["merges"],
  { name, tasks, found }: { name: RunName; tasks: readonly Task[]; found: Collection },
): Promise<ElsewhereTask[]> {
  const { elsewhere, pinnedNow, restored } = found
  if (elsewhere.length + pinnedNow.length + restored.length === 0) return []
  const here = await merges.place()
  const tokens = new Map(tasks.map(({ id, claimToken }) => [id, claimToken]))
  // Where nothing was found nobody knows: the worker may still bring it, and its word must not be taken for moved.
  const works = pinnedNow
    .filter(({ base, head }) => base !== head)
    .map(({ taskId, attempt, base, head }) => {
      return { taskId, attempt, token: tokens.get(taskId) ?? 0, base, commit: head, place: here }
    })
  await noteCommitted(context, name, works)
  await noteRefs(
    context,
    name,
    restored.map(({ taskId, ...data }) => ({ type: "task.pin_restored", data: { task: taskId, ...data } })),
  )
  await noteMissing(context, name, { works: elsewhere, here })
  return elsewhere.map((work) => {
    const { taskId, attempt, commit } = work
    return { taskId, attempt, commit, reason: tellElsewhere(work, here), command: bringCommand(name, work, here) }
  })
}

/** Of work that did not merge: the repairs that are to come, or that somebody is at. */
function listRepairs(all: readonly Task[], { mended, candidates }: Collection): (Repair & Pick<Task, "status">)[] {
  const tasks = new Map<string, Task>(all.map((task) => [task.id, task]))
  const here = new Set(candidates.flatMap(({ taskId, alsoFor }) => [taskId, ...alsoFor.map((other) => other.taskId)]))
  return mended.flatMap(({ fix, candidate: { base, head } }) => {
    const status = tasks.get(fix)?.status
    if (status === undefined || here.has(fix) || !isRepairComing(fix, tasks)) return []
    return [{ fix, base, head, status, needs: listNeeds(fix, tasks) }]
  })
}

/** Where the engine looks after shared files, they are merged by their rules. */
async function withSharedFiles(context: Context, ports: WavePorts, name: TeamName): Promise<QueuePorts> {
  const answer = await readSharedAnswers(context, name)
  if (answer === undefined) return ports
  const { merges, makeLock } = ports
  return {
    ...ports,
    shared: makeSharedFiles({ merges, makeLock, answer }),
    noteShared: (made) =>
      noteSharedMerges(
        context,
        name,
        made.map(({ candidate: { taskId, attempt }, commit, files }) => ({ taskId, attempt, commit, files })),
      ),
  }
}

function listAsked({ outcomes }: BatchReport) {
  return outcomes.flatMap(({ candidate, outcome }) =>
    outcome.kind === "asked" ? [{ taskId: candidate.taskId, questions: outcome.questions }] : [],
  )
}

/** Tells of the beginning and the end, where there is something to merge. */
async function noted<T>(
  context: Context,
  { project, team, run, ...request }: WaveMerge,
  candidates: Collection["candidates"],
  merge: () => Promise<T>,
): Promise<T> {
  if (candidates.length === 0) return merge()
  const wave = request.wave ?? null
  const tasks = candidates.flatMap(({ taskId, alsoFor }) => [taskId, ...alsoFor.map((other) => other.taskId)])
  await noteMergeStarted(context, { project, team, run }, { tasks, wave })
  const end = () => noteMergeEnded(context, { project, team, run }, { tasks, wave })
  let merged: T
  try {
    merged = await merge()
  } catch (error) {
    // Why the merge failed matters more than that its end could not be told.
    await end().catch(() => undefined)
    throw error
  }
  await end()
  return merged
}

/**
 * Work that stands on commits which others had put onto the integration branch, and which are off it again. It would wait
 * for them for ever, so it is done anew. In a led run every task begins on the integration branch: there, ground that is
 * neither the user's nor the work of another attempt is somebody's who has taken it away since.
 */
async function findBegunWrong(
  merges: QueuePorts["merges"],
  { name, isLed }: { readonly name: RunName; readonly isLed: boolean },
  { outcomes }: BatchReport,
): Promise<FailedMerge[]> {
  const waiting = outcomes.filter(({ outcome }) => outcome.kind === "waiting")
  if (waiting.length === 0) return []
  const setAside = [...(await merges.refs(`${teamRefs(name)}/workers/integration`)).values()]
  const found: FailedMerge[] = []
  for (const { candidate } of waiting) {
    const { taskId, attempt, base, alsoFor } = candidate
    const isForeign = await hasAny(merges, setAside, base)
    if (!isForeign && !(isLed && (await isGone(merges, name, base)))) continue
    const reason = `it was begun on ${base.slice(0, 10)}, which somebody had put onto the integration branch past teamwork`
    found.push({
      taskId,
      attempt,
      alsoFor: alsoFor.map((each) => each.taskId),
      reason: "foreign base",
      description: reason,
    })
  }
  return found
}

/** Neither a branch of the user's has the commit, nor is it what another attempt did. */
async function isGone(merges: QueuePorts["merges"], name: RunName, commit: string): Promise<boolean> {
  const branches = [...(await merges.refs("refs/heads"))].filter(([ref]) => !ref.startsWith(`${workerRefs(name)}/`))
  if (
    await hasAny(
      merges,
      branches.map(([, tip]) => tip),
      commit,
    )
  )
    return false
  for (const { base, head } of (await readPins(merges, name)).values())
    if ((await merges.contains(head, commit)) && !(await merges.contains(base, commit))) return false
  return true
}

async function hasAny(merges: QueuePorts["merges"], tips: readonly string[], commit: string): Promise<boolean> {
  for (const tip of tips) if (await merges.contains(tip, commit)) return true
  return false
}

/** What a fix has brought along is merged with it. */
async function addMended(merges: QueuePorts["merges"], batch: BatchReport, found: Collection) {
  const outcomes = [...batch.outcomes]
  const left: { taskId: TaskId; attempt: number; reason: string }[] = found.left.map(({ isEmpty: _, ...each }) => each)
  for (const { candidate, fix } of found.mended) {
    const { taskId, attempt, head } = candidate
    if (await merges.contains(batch.after, head)) outcomes.push({ candidate, outcome: { kind: "contained" } })
    else left.push({ taskId, attempt, reason: `${fix} mends it` })
  }
  return { outcomes, left }
}

function isPending({ status }: Task): boolean {
  return status !== "resolved" && status !== "skipped"
}

async function writeDown(
  context: Context,
  { merges }: QueuePorts,
  {
    name,
    report,
    empty,
    start,
    anew,
    moved,
    ...limits
  }: Pick<WaveMerge, "assignsFixes" | "maxRuns"> & {
    name: RunName
    report: BatchReport
    empty: readonly Attempt[]
    start: string
    anew: readonly FailedMerge[]
    moved: EventData<"integration.moved"> | undefined
  },
): Promise<Fix[]> {
  const commits = await merges.mergedAttempts(start, report.after)
  const merged = report.outcomes.flatMap(({ candidate, outcome }) => {
    if (outcome.kind !== "merged" && outcome.kind !== "contained") return []
    return [candidate, ...candidate.alsoFor].map(({ taskId, attempt }) => {
      // What came along with another's merge has none of its own.
      const commit = commits.get(attemptName({ taskId, attempt })) ?? candidate.head
      return { taskId, attempt, commit }
    })
  })
  const failed = report.outcomes.flatMap(({ candidate, outcome }) => {
    const description = describeFailure(candidate, outcome)
    const { taskId, attempt } = candidate
    const alsoFor = candidate.alsoFor.map((other) => other.taskId)
    return description === undefined ? [] : [{ taskId, attempt, alsoFor, reason: outcome.kind, description }]
  })
  // Of several that changed nothing each has the same head, and each is done.
  const without = report.outcomes.flatMap(({ candidate, outcome }) =>
    outcome.kind === "empty" ? [candidate, ...candidate.alsoFor] : [],
  )
  const queued = report.outcomes.flatMap(({ candidate, outcome }) =>
    outcome.kind === "queued"
      ? [candidate, ...candidate.alsoFor].map(({ taskId, attempt }) => ({ taskId, attempt, behind: outcome.behind }))
      : [],
  )
  const done = { merged, failed, queued, anew, empty: [...without, ...empty] }
  return recordMerges(context, { ...name, ...done, moved, ...limits })
}
