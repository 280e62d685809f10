import { branchRef, integrationBranch, pinRef } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import type { RunName, TeamName } from "../../kernel/team.ts"
import { readCoordinated } from "../../ownership/operations/coordinator.ts"
import type { Evidence } from "../../tasks/evidence.ts"
import { fixIdOf } from "../../tasks/fix-task.ts"
import { waveNotFound } from "../../tasks/operations/decide-wave.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { readWavePlan } from "../../tasks/operations/wave-status.ts"
import { isMet, type Task } from "../../tasks/task.ts"
import type { WavePlan } from "../../tasks/wave.ts"
import { type AskedTests, allowedTests } from "../failing-test.ts"
import { type FileDiff, parseDiff } from "../gates/diff-lines.ts"
import type { TaskChanges } from "../gates/find-conflicts.ts"
import { type Findings, join, statusOf } from "../gates/findings.ts"
import { GATE_KINDS } from "../gates/gate-command.ts"
import { checkLeftOut, checkPart } from "../gates/part.ts"
import { checkCommitted } from "../gates/task-gate.ts"
import {
  checkAdded,
  checkConflicts,
  checkEvidence,
  checkMerged,
  checkNeeds,
  checkResolved,
  checkWaves,
  type DeliveredTask,
  type EvidencedTask,
} from "../gates/team-gates.ts"
import { noteGateStarted } from "../operations/note-gate.ts"
import { addVerdict } from "../operations/record-verdict.ts"
import type { Verdict } from "../verdict.ts"
import { openBaseStandings } from "./base-standings.ts"
import { checkProject, planProject } from "./check-project.ts"
import { type ChosenState, chooseState, getCommit } from "./choose-state.ts"
import { findRunBase } from "./find-run-base.ts"
import { readPart } from "./read-part.ts"
import { recheckTasks } from "./recheck-tasks.ts"
import { listCommands } from "./run-commands.ts"
import { hasWork, readWork } from "./task-work.ts"
import { GATE, type Verifier } from "./verifier.ts"

export interface TeamVerification extends TeamName {
  /** The integration branch by default, else the current checkout. */
  readonly commit?: string
}

export interface WaveVerification extends TeamVerification {
  readonly wave: number
}

export interface FinalVerification extends TeamVerification {
  /** Where the first task started, by default. */
  readonly base?: string
  /** The verdict names the unfinished tasks. */
  readonly isPartial?: boolean
}

type ProvenTask = Task & { readonly evidence: readonly Evidence[]; readonly isImported: boolean }

interface TeamFacts {
  readonly name: RunName
  readonly plan: WavePlan
  readonly tasks: readonly ProvenTask[]
  readonly verdicts: readonly Verdict[]
}

/** The first unverified wave, or everything if all are verified. */
export async function verifyProject(verifier: Verifier, request: FinalVerification): Promise<Verdict> {
  const { plan } = await readFacts(verifier, request)
  const open = plan.waves.find((wave) => wave.status !== "verified")
  return open === undefined ? verifyFinal(verifier, request) : verifyWave(verifier, { ...request, wave: open.id })
}

/** A pass opens the next wave. */
export async function verifyWave(verifier: Verifier, request: WaveVerification): Promise<Verdict> {
  const { name, plan, tasks, verdicts } = await readFacts(verifier, request)
  assertDue(plan, request.wave)
  const ofWave = tasks.filter((task) => task.wave === request.wave)
  const state = await chooseMerged(verifier, request)
  const { changes, unknown } = await readTaskChanges(verifier, name, withoutFixed(ofWave))
  const isCoordinated = await readCoordinated(verifier.context, request)
  const alone = changes.map((each) => ({ ...each, files: each.files.filter(({ path }) => !isCoordinated(path)) }))
  const looked = join([
    checkResolved(ofWave),
    checkCommitted(state.uncommitted),
    checkMerged(await readDelivered(verifier, name, { tasks: ofWave, state })),
    checkConflicts(alone, unknown),
  ])
  const base = await findRunBase(verifier.repository, name, {
    commit: state.commit,
    otherwise: await pinnedStart(verifier, name, tasks),
  })
  const judged = { scope: "wave", subject: String(request.wave), state, base } as const
  const asked = allowedTests(verdicts, tasks, "merged")
  return runAndRecord(verifier, name, { ...judged, looked, asked, whyNot: whyNotRun(ofWave, state) })
}

/** A pass completes the project, unless it is partial. */
export async function verifyFinal(verifier: Verifier, request: FinalVerification): Promise<Verdict> {
  // Reopened tasks fail the gate.
  await recheckTasks(verifier, request)
  const { name, plan, tasks: all, verdicts } = await readFacts(verifier, request)
  const state = await chooseMerged(verifier, request)
  const part = request.isPartial === true ? await readPart(verifier, name, { tasks: all, state }) : undefined
  const isPart = part !== undefined && part.leftOut.length > 0
  const tasks = isPart ? part.tasks : all
  const base = await findFinalBase(verifier, { ...request, ...name }, { tasks: all, state })
  const looked = join([
    ...(isPart
      ? [checkPart(tasks), checkLeftOut(part.leftOut)]
      : [checkResolved(tasks), checkWaves(plan.waves), checkNeeds(tasks)]),
    checkCommitted(state.uncommitted),
    checkMerged(await readDelivered(verifier, name, { tasks, state })),
    checkAdded(await readAdded(verifier, { ...request, ...name }, { tasks, state }), verifier.settings),
    checkEvidence(await withProvability(verifier, { state, base, tasks, verdicts }), verifier.settings),
  ])
  const judged = { scope: "final", subject: null, state, base } as const
  const asked = allowedTests(verdicts, tasks, "final")
  return runAndRecord(verifier, name, { ...judged, looked, asked, whyNot: whyNotRun(tasks, state) })
}

function readFacts({ context }: Verifier, name: TeamName): Promise<TeamFacts> {
  return context.store.read(async (tx) => {
    const { key, project, team, run } = await getTeam(tx, name)
    const tasks: ProvenTask[] = []
    const imported = await tx.records.list(key, { kind: "imported" })
    for (const task of await tx.tasks.list(key)) {
      const isImported = imported.some(({ taskId, attempt }) => taskId === task.id && attempt === task.attempt)
      tasks.push({ ...task, evidence: await tx.evidence.list(key, task.id), isImported })
    }
    return {
      name: { project, team, run },
      plan: await readWavePlan(tx, key),
      tasks,
      verdicts: await tx.verdicts.list(key),
    }
  })
}

/** Before anything runs. */
function assertDue({ waves, totalWaves }: WavePlan, number: number): void {
  const wave = waves.find((each) => each.id === number)
  if (wave === undefined) throw waveNotFound(number, totalWaves)
  const refuse = (why: string) => {
    throw new AppError("wave.transition", `wave ${number} cannot be verified: ${why}`, { wave: number })
  }
  if (wave.status === "verified") refuse("it is already; reopen one of its tasks to work on it again")
  const first = waves.find((each) => each.status !== "verified")
  if (first !== undefined && first.id < number) refuse(`wave ${first.id} is ${first.status} and comes first`)
}

function chooseMerged({ repository }: Verifier, request: TeamVerification): Promise<ChosenState> {
  return chooseState(repository, { commit: request.commit, branches: [branchRef(integrationBranch(request))] })
}

function whyNotRun(tasks: readonly Task[], { uncommitted }: ChosenState): string | undefined {
  if (tasks.length === 0 || tasks.some((task) => !isMet(task.status))) return "not all tasks are resolved"
  return uncommitted.length > 0 ? "there are changes that are not committed" : undefined
}

async function readTaskChanges(
  verifier: Verifier,
  name: RunName,
  tasks: readonly Task[],
): Promise<{ changes: TaskChanges[]; unknown: string[] }> {
  const { repository } = verifier
  const changes: (TaskChanges & { readonly base: string; readonly head: string })[] = []
  const unknown: string[] = []
  const done = tasks.filter((each) => each.status !== "skipped")
  const works = await readWork(verifier, name, done)
  for (const { id } of done) {
    const { base, head, elsewhere } = works.get(id) ?? NO_WORK
    if (base === undefined || elsewhere !== null) unknown.push(id)
    else changes.push({ taskId: id, base, head, files: parseDiff(await repository.readDiff(base, head)) })
  }
  return { changes: await Promise.all(changes.map((each) => withKnown(repository, each, changes))), unknown }
}

/** Asks git only about tasks that changed the same file. */
async function withKnown(
  repository: Verifier["repository"],
  own: TaskChanges & { readonly base: string },
  all: readonly (TaskChanges & { readonly head: string })[],
): Promise<TaskChanges> {
  const paths = new Set(own.files.map((file) => file.path))
  const knows = new Set<string>()
  for (const other of all) {
    if (other.taskId === own.taskId || !other.files.some((file) => paths.has(file.path))) continue
    if (await repository.contains(own.base, other.head)) knows.add(other.taskId)
  }
  return { taskId: own.taskId, files: own.files, knows }
}

/** A fix task saw the other changes, so the task it fixes is left out. */
function withoutFixed(tasks: readonly Task[]): Task[] {
  const done = new Set(tasks.filter((task) => task.status === "resolved").map((task) => task.id))
  return tasks.filter((task) => !done.has(fixIdOf(task)))
}

const NO_WORK = { base: undefined, head: "", elsewhere: null }

async function readDelivered(
  verifier: Verifier,
  name: RunName,
  { tasks, state }: { readonly tasks: readonly Task[]; readonly state: ChosenState },
): Promise<DeliveredTask[]> {
  const delivered: DeliveredTask[] = []
  const statuses = new Map(tasks.map((task) => [task.id, task.status]))
  const done = tasks.filter((each) => each.status === "resolved")
  const works = await readWork(verifier, name, done)
  for (const task of done) {
    const work = works.get(task.id)
    if (work === undefined) continue
    // Work that could not be merged comes with its fix task, or not at all if that was skipped.
    if ((statuses.get(fixIdOf(task)) ?? "resolved") !== "resolved") continue
    const { head, elsewhere } = work
    delivered.push({ taskId: task.id, head, elsewhere, isMerged: await hasWork(verifier, state.commit, work) })
  }
  return delivered
}

/** Since the first task started, or since the integration branch left HEAD. */
async function readAdded(
  { repository }: Verifier,
  request: FinalVerification & RunName,
  { tasks, state }: { readonly tasks: readonly Task[]; readonly state: ChosenState },
): Promise<FileDiff[] | undefined> {
  const from = async (base: string) => parseDiff(await repository.readDiff(base, state.commit))
  if (request.base !== undefined) return from((await getCommit(repository, request.base)).commit)
  const pinned = await listPinned(repository, request, tasks)
  const here = (await repository.find("HEAD"))?.commit
  const known = pinned.length > 0 ? pinned : here === undefined ? [] : [here, state.commit]
  const start = known.length === 0 ? undefined : await repository.findBase(...known)
  return start === undefined || (pinned.length === 0 && start === state.commit) ? undefined : from(start)
}

async function listPinned(
  repository: Verifier["repository"],
  name: RunName,
  tasks: readonly Task[],
): Promise<readonly string[]> {
  const bases = await Promise.all(
    tasks.map((task) => repository.find(pinRef(name, { taskId: task.id, attempt: task.attempt }, "base"))),
  )
  return bases.flatMap((each) => each?.commit ?? [])
}

async function pinnedStart({ repository }: Verifier, name: RunName, tasks: readonly Task[]) {
  const pinned = await listPinned(repository, name, tasks)
  return pinned.length === 0 ? undefined : repository.findBase(...pinned)
}

async function findFinalBase(
  verifier: Verifier,
  request: FinalVerification & RunName,
  { tasks, state }: { readonly tasks: readonly Task[]; readonly state: ChosenState },
): Promise<string | undefined> {
  if (request.base !== undefined) return (await getCommit(verifier.repository, request.base)).commit
  const otherwise = await pinnedStart(verifier, request, tasks)
  return findRunBase(verifier.repository, request, { commit: state.commit, otherwise })
}

interface ProofFacts extends Pick<TeamFacts, "tasks" | "verdicts"> {
  readonly state: ChosenState
  readonly base: string | undefined
}

/** By the commands that its gate ran, else by those that can run here. */
async function withProvability(verifier: Verifier, facts: ProofFacts): Promise<EvidencedTask[]> {
  const { state, base, tasks, verdicts } = facts
  const standings = openBaseStandings(verifier, base)
  const commands = await listCommands(verifier, state, GATE_KINDS)
  const known = await Promise.all(commands.map((command) => standings.known(command)))
  const hasCommands = known.some((result) => result === undefined || result.hasPassed)
  return tasks.map((task) => {
    const gate = verdicts.findLast(
      ({ scope, subject, status, by }) => scope === "task" && subject === task.id && status === "passed" && by === GATE,
    )
    const ran = gate?.checks.filter((check) => check.command !== undefined && check.durationMs !== undefined)
    return {
      ...task,
      evidence: task.evidence.filter((each) => isValid(each, task)),
      isProvable: ran === undefined ? hasCommands || task.checks.length > 0 : ran.length > 0,
      accepted: new Set(ran?.flatMap((check) => (check.status === "failed" ? [] : (check.command ?? [])))),
    }
  })
}

function isValid(entry: Evidence, { attempt }: Task): boolean {
  return entry.withdrawnAt === null && entry.attempt === attempt
}

interface Judgement extends Pick<Verdict, "scope" | "subject"> {
  readonly state: ChosenState
  /** Needs no command. */
  readonly looked: Findings
  readonly base: string | undefined
  readonly asked: AskedTests
  readonly whyNot: string | undefined
}

/** Commands run last, so that a refused request records nothing. */
async function runAndRecord(verifier: Verifier, name: RunName, judgement: Judgement): Promise<Verdict> {
  const { scope, subject, state, base, looked, whyNot } = judgement
  const { context } = verifier
  const { commit, tree } = state
  const plan = await planProject(verifier, state, whyNot)
  const checks = "commands" in plan ? plan.commands.map(({ line }) => line) : []
  await noteGateStarted(context, name, { scope, subject, commit, checks, by: GATE })
  const asked = async () => judgement.asked
  const findings = join([looked, await checkProject(verifier, state, { plan, base, asked })])
  const status = statusOf(findings)
  return addVerdict(context, name, { scope, subject, status, ...findings, by: GATE, commit, tree })
}
