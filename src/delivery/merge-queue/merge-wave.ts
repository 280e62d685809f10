import { teamRefs, workerRefs } from "../../kernel/branches.ts"
import type { EventData } from "../../kernel/events.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { RunName, TeamName } from "../../kernel/team.ts"
import { type Finding, nameFinding } from "../../quality/finding.ts"
import { listCriticalFindings } from "../../quality/operations/hold-findings.ts"
import { readPassed } from "../../quality/operations/hold-qa.ts"
import type { Context } from "../../store/operation.ts"
import { bringCommand, describeElsewhere } from "../../tasks/committed-work.ts"
import { isRepairComing, listNeeds } from "../../tasks/fix-task.ts"
import { getTeam, resolveRun } from "../../tasks/operations/lookup.ts"
import { noteCommitted, noteMissing, readCommitted } from "../../tasks/operations/note-committed.ts"
import type { Task } from "../../tasks/task.ts"
import { noteRefs } from "../operations/integration-memory.ts"
import { type FailedMerge, type Fix, noteMerge, recordMerges } from "../operations/record-merges.ts"
import { askAboutShared, noteSharedMerges, readSharedAnswers } from "../operations/shared-questions.ts"
import { type Attempt, attemptName } from "./candidate.ts"
import { type Collection, collectCandidates, readPins } from "./collect-candidates.ts"
import { describeFailure } from "./describe-failure.ts"
import { type BatchReport, mergeBatch, type QueuePorts } from "./merge-batch.ts"
import { openIntegration } from "./open-integration.ts"
import type { Repair } from "./repair-line.ts"
import type { RestoredPin } from "./restore-pins.ts"
import type { LockMaker } from "./settle-locks.ts"
import { makeSharedFiles } from "./settle-shared.ts"

export interface WaveMerge extends TeamName {
  /** Only the tasks of this wave; by default every resolved task. */
  readonly wave?: number
  readonly target?: string
  /** Also merge tasks in review, and resolve them. */
  readonly takesReviewed?: boolean
  /**
   * Give each fix to the idle worker that did the work. The engine frees the fix when that worker takes something
   * else.
   */
  readonly assignsFixes?: boolean
  /** How often a task may fail to merge for the same reason before it fails. */
  readonly maxRuns?: number
  /**
   * Also merge tasks with an open critical finding. A led run does, since fixes and their review build on merged
   * work; the delivery is held instead.
   */
  readonly mergesHeld?: boolean
  /** The branch as the last merge left it. If it has not moved, only new work is examined. */
  readonly last?: LastMerge | undefined
}

export interface LastMerge {
  readonly tip: string
  /** Attempts on the branch, as `<task>/<attempt>`. */
  readonly merged: ReadonlySet<string>
}

export interface WaveReport extends BatchReport {
  readonly target: string
  readonly fixes: readonly Fix[]
  /** Planned repairs. Work that waits for unmerged commits may come with them. */
  readonly repairs: readonly TaskId[]
  /** Finished tasks with nothing to merge, and why. */
  readonly left: readonly (Attempt & { readonly reason: string })[]
  /** The commit of each examined attempt, by `<task>/<attempt>`. */
  readonly looked: ReadonlyMap<string, string>
  /** Tasks whose commit is in another repository. */
  readonly elsewhere: readonly ElsewhereTask[]
  /** Pins that others had moved, and that are back. */
  readonly restored: readonly RestoredPin[]
  readonly pending: readonly TaskId[]
  /** Commits on the branch that teamwork did not make; they were set aside. */
  readonly strangers: readonly { readonly commit: string; readonly subject: string }[]
  /** What a killed process had left unfinished. */
  readonly mended: readonly string[]
}

export interface WavePorts extends Omit<QueuePorts, "shared" | "noteShared"> {
  /** Regenerates lock files; left out where no program may run. */
  readonly makeLock?: LockMaker
}

/**
 * Merges resolved work into the integration branch and records the outcome. It continues an interrupted merge: what
 * git or the store has is not done again.
 */
export async function mergeWave(context: Context, given: WavePorts, request: WaveMerge): Promise<WaveReport> {
  const { merges } = given
  const name = await resolveRun(context, request)
  const ports = await withSharedFiles(context, given, name)
  const { tasks, committed, passed, critical } = await context.store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    const all = await tx.tasks.list(key)
    const rounds = all.some(({ qa }) => qa !== null) ? await readPassed(tx, key) : new Map()
    const critical = request.mergesHeld === true ? [] : await listCriticalFindings(tx, key)
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
  // Others may move the branch meanwhile.
  const tips = async (round: number) => {
    if (round === 0) return integration.tip
    const opened = await openIntegration(context, merges, { name, target: request.target })
    strangers.push(...opened.strangers)
    return opened.tip
  }
  // A finished repair that is no candidate cannot be merged here; do not wait for it.
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
      name,
      report,
      empty,
      start: last?.tip ?? start,
      anew,
      moved,
      assignsFixes: request.assignsFixes,
      maxRuns: request.maxRuns,
    })
    return { report, left, fixes }
  })
  const pending = ofWave.filter(isPending).map((task) => task.id)
  const coming = [...repairs, ...fixes].map(({ fix }) => fix)
  const all = { ...report, target, fixes, repairs: coming, left: [...left, ...held], elsewhere, restored }
  const { looked } = found
  return { ...all, looked, pending, strangers, mended }
}

/** A task with an open critical finding is not merged before the finding is fixed or waived. */
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

export interface ElsewhereTask extends Attempt {
  readonly commit: string
  readonly reason: string
  /** The command that brings it here. */
  readonly command: string
}

async function noteFound(
  context: Context,
  merges: QueuePorts["merges"],
  { name, tasks, found }: { name: RunName; tasks: readonly Task[]; found: Collection },
): Promise<ElsewhereTask[]> {
  const { elsewhere, pinnedNow, restored } = found
  if (elsewhere.length + pinnedNow.length + restored.length === 0) return []
  const here = await merges.place()
  const tokens = new Map(tasks.map(({ id, claimToken }) => [id, claimToken]))
  // Without a commit nothing is certain: the worker may still deliver it.
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
    return { taskId, attempt, commit, reason: describeElsewhere(work, here), command: bringCommand(name, work, here) }
  })
}

/** Repairs of unmerged work that are planned or under way. */
function listRepairs(all: readonly Task[], { mended, candidates }: Collection): (Repair & Pick<Task, "status">)[] {
  const tasks = new Map<string, Task>(all.map((task) => [task.id, task]))
  const here = new Set(candidates.flatMap(({ taskId, alsoFor }) => [taskId, ...alsoFor.map((other) => other.taskId)]))
  return mended.flatMap(({ fix, candidate: { base, head } }) => {
    const status = tasks.get(fix)?.status
    if (status === undefined || here.has(fix) || !isRepairComing(fix, tasks)) return []
    return [{ fix, base, head, status, needs: listNeeds(fix, tasks) }]
  })
}

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

/** Records start and end of the merge, if there is something to merge. */
async function noted<T>(
  context: Context,
  { project, team, run, ...request }: WaveMerge,
  candidates: Collection["candidates"],
  merge: () => Promise<T>,
): Promise<T> {
  if (candidates.length === 0) return merge()
  const wave = request.wave ?? null
  const tasks = candidates.flatMap(({ taskId, alsoFor }) => [taskId, ...alsoFor.map((other) => other.taskId)])
  const note = (type: "merge.started" | "merge.ended") =>
    noteMerge(context, { project, team, run }, { type, data: { tasks, wave } })
  await note("merge.started")
  const end = () => note("merge.ended")
  let merged: T
  try {
    merged = await merge()
  } catch (error) {
    // The error of the merge matters more than an error while recording its end.
    await end().catch(() => undefined)
    throw error
  }
  await end()
  return merged
}

/**
 * Finds work based on commits that others put on the integration branch and that are gone. It would wait for them
 * forever, so it is done again. In a led run every task starts from the integration branch, so a base that neither
 * the user nor another attempt has must be such a commit.
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
    const reason = `it started from ${base.slice(0, 10)}, a commit that others put on the integration branch`
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

/** No branch of the user has the commit, and no other attempt made it. */
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

/** A fix merges the work that it contains. */
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
      // Work that came with another merge has no merge commit.
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
  // Several empty attempts have the same head, and each is done.
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
