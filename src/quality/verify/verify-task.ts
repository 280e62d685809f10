import { branchRef, integrationBranch, pinRef } from "../../kernel/branches.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { RunName, TeamName } from "../../kernel/team.ts"
import { findReadOnlyRole, type RoleDefinition } from "../../planning/roles/roles.ts"
import { keepClaim } from "../../tasks/effects/keep-claim.ts"
import type { Evidence, NewEvidence } from "../../tasks/evidence.ts"
import { assertHolds } from "../../tasks/operations/assert-holds.ts"
import { getTask } from "../../tasks/operations/get-task.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { recordEvidence } from "../../tasks/operations/record-evidence.ts"
import { readWorkToBring } from "../../tasks/operations/work-to-bring.ts"
import type { Task } from "../../tasks/task.ts"
import { asksForFailingTest, findAskedTests } from "../failing-test.ts"
import { parseDiff } from "../gates/diff-lines.ts"
import { join, statusOf } from "../gates/findings.ts"
import { type GateCommand, shellCommand } from "../gates/gate-command.ts"
import type { CommandResult } from "../gates/run-command.ts"
import { isTestFile } from "../gates/suspicious-changes.ts"
import { judgeTask, type TaskFacts, type TaskRange } from "../gates/task-gate.ts"
import { noteGateStarted } from "../operations/note-gate.ts"
import { readAllowedTests } from "../operations/read-allowed-tests.ts"
import { addVerdict } from "../operations/record-verdict.ts"
import type { Judged, Verdict } from "../verdict.ts"
import { type ChosenState, chooseState, getCommit } from "./choose-state.ts"
import { findLostCommands } from "./find-lost-commands.ts"
import { findRunBase } from "./find-run-base.ts"
import { type JudgeRequest, judgeCommands } from "./judge-commands.ts"
import { listCommands } from "./run-commands.ts"
import { scopeOf } from "./scope-of.ts"
import { GATE, type Verifier } from "./verifier.ts"

export interface TaskVerification extends TeamName {
  readonly taskId: TaskId
  /** The current checkout by default. */
  readonly commit?: string
  /** The pin by default, else where the branch left the integration branch. */
  readonly base?: string
  readonly nothingToDo?: string | undefined
  readonly answer?: string | undefined
  /** Work that cannot be delivered as it is. */
  readonly notDelivered?: readonly string[]
  /** Its claim is kept alive. Without an owner a person acts. */
  readonly owner?: string
  readonly token?: number
}

/** Records the commands as evidence and the result as a verdict. */
export async function verifyTask(verifier: Verifier, request: TaskVerification): Promise<Verdict> {
  const { taskId, owner } = request
  const name = await resolveRun(verifier.context, request)
  const task = await getTask.run(verifier.context, { ...name, id: taskId })
  assertHolds(task, owner, request.token)
  // Results from before a lost claim must not count for a new one.
  const token = owner === undefined ? request.token : task.claimToken
  const state = await chooseState(verifier.repository, request)
  const range = await findRange(verifier, { name, task, state, base: request.base })
  const commands = state.uncommitted.length > 0 ? [] : await listTaskCommands(verifier, task, state)
  const checks = commands.map(({ line }) => line)
  const begun = { scope: "task", subject: taskId, commit: state.commit, checks, by: GATE } as const
  await noteGateStarted(verifier.context, name, begun)
  const base = await findRunBase(verifier.repository, name, { commit: state.commit, otherwise: range?.base })
  const asked = () => readAllowedTests(verifier.context, name, { task: taskId })
  const findAsked = askedBy(task, range)
  const run = () => judgeCommands(verifier, state, { commands, base, asked, findAsked })
  const { judged, leftBehind } =
    owner === undefined || token === undefined
      ? await run()
      : await keepClaim(verifier.context, { ...name, id: taskId, owner, token }, run, verifier.runner.sleep)
  const results = judged.flatMap(({ result }) => result ?? [])
  const evidence = await attest(verifier, { ...name, task, owner, token, results, commit: state.commit })
  const lost = await findLostCommands(verifier, state, { base, kinds: ["test"] })
  const judgement = judgeTask(
    {
      taskId,
      commit: state.commit,
      uncommitted: state.uncommitted,
      range,
      judged,
      leftBehind,
      evidence,
      fixed: await findFixedWork(verifier, { name, task, state }),
      mayChangeNothing: mayChangeNothing(task, verifier.roles),
      nothingToDo: request.nothingToDo,
      answer: request.answer,
      notDelivered: request.notDelivered ?? [],
      scope: await scopeOf(verifier.context, name, task.id),
    },
    verifier.settings,
  )
  const findings = join([judgement, lost])
  const { commit, tree } = state
  const verdict = { scope: "task", subject: taskId, status: statusOf(findings), ...findings, by: GATE } as const
  return addVerdict(verifier.context, name, { ...verdict, commit, tree })
}

/** Without own commands a task runs the project tests; so does one that must add a failing test, to learn its name. */
async function listTaskCommands(verifier: Verifier, task: Task, state: ChosenState): Promise<GateCommand[]> {
  const own = task.checks.map((line) => shellCommand("accept", line))
  const isHeld = own.length === 0 || asksForFailingTest(task)
  return isHeld ? [...own, ...(await listCommands(verifier, state, ["test"]))] : own
}

function askedBy(task: Task, range: TaskRange | undefined): JudgeRequest["findAsked"] {
  if (range === undefined || !asksForFailingTest(task)) return undefined
  const isOnlyTests = range.files.length > 0 && range.files.every(({ path }) => isTestFile(path))
  return (now, base) => findAskedTests(now.tests, base?.tests, isOnlyTests)
}

interface RangeRequest {
  readonly name: RunName
  readonly task: Task
  readonly state: ChosenState
  readonly base: string | undefined
}

export async function findTaskBase(
  repository: Verifier["repository"],
  { name, task, state }: Pick<RangeRequest, "name" | "task"> & { readonly state: Judged },
): Promise<string | undefined> {
  const pin = await repository.find(pinRef(name, { taskId: task.id, attempt: task.attempt }, "base"))
  const pinned = pin?.commit ?? (await repository.findStart())
  return newest(repository, { name, state, pinned })
}

async function findRange({ repository }: Verifier, request: RangeRequest): Promise<TaskRange | undefined> {
  const { state } = request
  const named = request.base === undefined ? undefined : (await getCommit(repository, request.base)).commit
  const base = named ?? (await findTaskBase(repository, request))
  if (base === undefined) return undefined
  const { commit } = state
  return {
    base,
    isOnBase: await repository.contains(commit, base),
    files: parseDiff(await repository.readDiff(base, commit)),
    merges: await repository.listMerges(base, commit),
  }
}

/** Where the branch left the integration branch, if it was updated since the start and is not merged yet. */
async function newest(
  repository: Verifier["repository"],
  { name, state, pinned }: { readonly name: RunName; readonly state: Judged; readonly pinned: string | undefined },
): Promise<string | undefined> {
  // A single commit is the task's own work.
  if (pinned !== undefined && (await repository.isNextTo(pinned, state.commit))) return pinned
  const integration = await repository.find(branchRef(integrationBranch(name)))
  const left = integration && (await repository.findBase(state.commit, integration.commit))
  if (left === undefined || left === state.commit) return pinned
  return pinned === undefined || (await repository.contains(left, pinned)) ? left : pinned
}

async function findFixedWork(
  { context, repository }: Verifier,
  { name, task, state }: Omit<RangeRequest, "base">,
): Promise<TaskFacts["fixed"]> {
  const fixed = await readWorkToBring(context, name, task.id)
  const head = fixed && (await repository.find(pinRef(name, fixed, "head")))?.commit
  if (fixed === undefined || head === undefined) return undefined
  return { taskId: fixed.taskId, head, isContained: await repository.contains(state.commit, head) }
}

interface Attestation extends TeamName {
  readonly task: Task & { readonly evidence: readonly Evidence[] }
  readonly owner: string | undefined
  readonly token: number | undefined
  readonly commit: string
  readonly results: readonly CommandResult[]
}

/** Adds each result once. Returns the valid evidence of the attempt. */
async function attest({ context }: Verifier, attestation: Attestation): Promise<Evidence[]> {
  const { project, team, run, task, owner, token, commit, results } = attestation
  const isKnown = ({ facts }: NewEvidence) =>
    valid(task).some(
      ({ trust, facts: known }) =>
        trust === "attested" &&
        known.command === facts.command &&
        known.exitCode === facts.exitCode &&
        known.commit === commit &&
        known.outputHash === facts.outputHash,
    )
  const entries = results.map((result) => entryOf(result, commit)).filter((entry) => !isKnown(entry))
  if (entries.length > 0)
    await recordEvidence(context, { project, team, run, taskId: task.id, owner, token, by: GATE, entries })
  return valid(await getTask.run(context, { project, team, run, id: task.id }))
}

function valid({ evidence, attempt }: Attestation["task"]): Evidence[] {
  return evidence.filter((entry) => entry.withdrawnAt === null && entry.attempt === attempt)
}

function entryOf(
  { command, exitCode, ending, tail, outputHash, durationMs }: CommandResult,
  commit: string,
): NewEvidence {
  // 124, the code of `timeout`, if stopped.
  const facts = { command: command.line, exitCode: exitCode ?? 124, outputHash, durationMs, commit, isDirty: false }
  const output = exitCode === null ? `${tail}[${ending}]` : tail
  return { type: "command", trust: "attested", text: "", facts: { ...facts, output }, blockedPattern: null }
}

/** May find a cause without changing anything. */
const DIAGNOSES = "debugger"

export function mayChangeNothing({ agentType, role }: Task, roles: readonly RoleDefinition[]): boolean {
  if (agentType === DIAGNOSES) return true
  return findReadOnlyRole({ agentType, role }, roles) !== undefined
}
