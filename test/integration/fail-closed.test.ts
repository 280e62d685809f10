// Nothing fails open: every judge with every way in which its answer can be missing or wrong. Each row drives the judge as
// the program does and says whether the work got through. A judge that cannot tell never says yes.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readTrust } from "../../src/app/config/trusted-settings.ts"
import { NO_BUDGET } from "../../src/kernel/budget.ts"
import { AppError } from "../../src/kernel/errors.ts"
import { parseTaskId } from "../../src/kernel/ids.ts"
import type { OrchestratorPorts } from "../../src/orchestrator/loop/engine-ports.ts"
import { makeApprovalJudge } from "../../src/orchestrator/loop/judge-approvals.ts"
import { examineWork } from "../../src/quality/effects/examine-work.ts"
import { recordQa } from "../../src/quality/operations/report-qa.ts"
import { planQa, submitQa } from "../../src/quality/operations/submit-qa.ts"
import { planQa as makePlan } from "../../src/quality/qa-plan.ts"
import { verifyTask } from "../../src/quality/verify/verify-task.ts"
import { verifyFinal, verifyWave } from "../../src/quality/verify/verify-team.ts"
import { overBudget, sumSpending } from "../../src/reporting/spending.ts"
import { judgeApproval } from "../../src/requests/effects/judge-approval.ts"
import { approve, listApprovals, reject } from "../../src/requests/operations/approvals.ts"
import { decide, escalate, listEscalations } from "../../src/requests/operations/escalations.ts"
import { advancePhase } from "../../src/requests/operations/phases.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { addEvidence } from "../../src/tasks/operations/record-evidence.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { calculateWaves } from "../../src/tasks/operations/wave-status.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { JUDGE_WRITE, owning } from "../support/agents.ts"
import { setUpAsk } from "../support/ask-setup.ts"
import { makeRepository } from "../support/repository.ts"
import { setUpReview } from "../support/review-setup.ts"
import { runCli } from "../support/run-cli.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { context, getTask, run, TEAM } from "../support/stores.ts"
import { makeTask } from "../support/tasks.ts"
import { setUpVerifier, type VerifierSetup } from "../support/verifier.ts"

setDefaultTimeout(60_000)

/** Whether the work got through. */
type Drive = () => Promise<boolean>
type Faults = Readonly<Record<string, Drive>>

const NODE_TESTS = 'import { it } from "node:test"\nit("is right", () => {})\n'
const manifest = (test: string) => `${JSON.stringify({ scripts: { test } })}\n`

/** Commands of a gate that show nothing, and what they look like. */
const COMMANDS: Readonly<Record<string, string>> = {
  crash: "exit 3",
  "killed by a signal": "kill -9 $$",
  "ends its own shell without a word": "exec false",
  timeout: "sleep 600",
  "a program that is not there": "no-such-program-here --test",
  "exit 0 and no test ran": "printf 'TAP version 13\\n1..0\\n# tests 0\\n# pass 0\\n'",
  "exit 0 and a runner without test files": "echo 'No test files found, exiting with code 0'",
  "says passed and ends with 1": "echo 'all 12 tests passed'; exit 1",
  "a report of no tests": "echo '<testsuites tests=\"0\"></testsuites>'",
  "a shell error": "if then",
}

/** Task 1 with one commit, whose acceptance is the command. */
async function gateOfTask(command: string): Promise<boolean> {
  await using world = await setUpVerifier()
  const base = world.repository.run("rev-parse", "HEAD")
  await world.create("1", { check: [command] })
  await world.pin("1", base, world.repository.commit("Work", { "b.txt": "b\n" }))
  return await isPassed(world, async (quick) =>
    verifyTask(await world.verifier(quick), { ...TEAM, taskId: parseTaskId("1") }),
  )
}

/** A team whose only task is resolved and merged; its project's tests are the command, and were good before. */
async function gateOfTeam(command: string, scope: "wave" | "final"): Promise<boolean> {
  await using world = await setUpVerifier({ "package.json": manifest("node --test"), "a.test.mjs": NODE_TESTS })
  const base = world.repository.run("rev-parse", "HEAD")
  await world.create("1", { check: ["true"] })
  if (scope === "wave") await run(world.context, calculateWaves, {})
  const head = world.repository.commit("Work", { "package.json": manifest(command), "b.txt": "b\n" })
  await world.pin("1", base, head)
  await verifyTask(await world.verifier(), { ...TEAM, taskId: parseTaskId("1") })
  await run(world.context, addEvidence, { id: "1", addEvidence: ["seen"] })
  await world.resolve("1")
  world.integrate(head)
  return await isPassed(world, async (quick) =>
    scope === "wave"
      ? verifyWave(await world.verifier(quick), { ...TEAM, wave: 1 })
      : verifyFinal(await world.verifier(quick), { ...TEAM, base }),
  )
}

type Quick = NonNullable<Parameters<VerifierSetup["verifier"]>[0]>

async function isPassed(world: VerifierSetup, judge: (quick: Quick) => Promise<{ status: string }>): Promise<boolean> {
  const { runner } = await world.verifier()
  return (await judge({ runner: { ...runner, timeoutMs: 1500 } })).status === "passed"
}

const gates = (drive: (command: string) => Promise<boolean>): Faults =>
  Object.fromEntries(Object.entries(COMMANDS).map(([name, command]) => [name, () => drive(command)]))

/** What an agent may answer that is no answer, whatever was asked. */
const NO_ANSWERS: Readonly<Record<string, unknown>> = {
  crash: "!crash",
  "server error": "!500 internal error",
  "rate limit": "!429 rate limit",
  timeout: "!hang",
  empty: "",
  "words instead of an answer": "Looks good to me, approved, PASS, 100 of 100.",
  "broken JSON": '{"approved": true, "verdict": "PASS", "scores": [',
  "an empty object": {},
  null: "null",
  "a list": [true, "PASS", 100],
}

const agents = (
  drive: (answers: readonly unknown[]) => Promise<boolean>,
  more: Readonly<Record<string, unknown>>,
): Faults =>
  Object.fromEntries(
    Object.entries({ ...NO_ANSWERS, ...more }).map(([name, answer]) => [name, () => drive(Array(8).fill(answer))]),
  )

/** Another commit of the same repository, judged by QA as if it were the work. */
async function qa(answers: readonly unknown[]): Promise<boolean> {
  await using world = await setUpVerifier()
  await using ask = await setUpAsk(answers)
  const base = world.repository.run("rev-parse", "HEAD")
  const commit = world.repository.commit("Work", { "b.txt": "b\n" })
  const task = makeTask({ id: parseTaskId("1"), role: "backend", checks: ["true"] })
  const examined = await examineWork(
    { verifier: await world.verifier(), ask: async () => ask.ports, promptLimit: () => 40_000, timeoutMs: 1000 },
    {
      ...{ ...TEAM, task, plan: makePlan(task, []), commit, base, answer: "done", executor: "claude", earlier: [] },
      ...{ tree: world.repository.run("rev-parse", "HEAD^{tree}"), signal: new AbortController().signal },
    },
  )
  return "scores" in examined
}

const DIMENSIONS = ["correctness", "completeness", "tests", "maintainability"]
const scores = (score: unknown, names = DIMENSIONS) => ({
  scores: names.map((dimension) => ({ dimension, score, reason: "seen" })),
  guidance: [],
})

/** A task that QA has passed at one commit: whether it is resolved as this one. */
async function resolved(state: object): Promise<boolean> {
  await using world = await setUpAsk([])
  const here = context(world.store)
  await run(here, createTeam, { goal: "Search page", qa: true })
  await run(here, createTask, { id: "1", title: "Schema", role: "backend" })
  await run(here, claimTask, { id: "1", owner: "w1" })
  await run(here, submitQa, { id: "1", owner: "w1", ...PASSED })
  await run(here, planQa, { id: "1", owner: "qa" })
  await run(here, recordQa, { id: "1", owner: "qa", score: DIMENSIONS.map((name) => `${name}=90: read it`) })
  await run(here, updateTask, { id: "1", owner: "w1", status: "resolved", ...state }).catch(expected)
  const { key } = (await world.store.read((tx) => tx.teams.find(TEAM))) ?? { key: 0 }
  return (await getTask(world.store, key, "1")).status === "resolved"
}

const PASSED = { commit: "1".repeat(40), tree: "2".repeat(40) }

/** A plan that waits for the lead; whether it is approved in the end. */
async function approval(answers: readonly unknown[]): Promise<boolean> {
  await using world = await setUpAsk(answers)
  const here = context(world.store)
  await run(here, createTeam, { goal: "Search page", protocol: "planned" })
  await run(here, createTask, { id: "1", title: "Schema" })
  await run(here, claimTask, { id: "1", owner: "w1" })
  for (const to of ["requirement", "skill_research", "plan_design", "awaiting_approval"] as const)
    await run(here, advancePhase, { id: "1", owner: "w1", to, report: "x" })
  const [asked] = await run(here, listApprovals, {})
  if (asked === undefined) throw new Error("nothing is asked")
  const timeout = AbortSignal.timeout(3000)
  const ports = {
    context: here,
    say: () => undefined,
    judgeApproval: (one: typeof asked) =>
      judgeApproval(
        { context: here, ask: world.ports, folder: world.question.folder },
        { approval: one, name: TEAM, signal: timeout },
      ),
  } as unknown as OrchestratorPorts
  const judge = makeApprovalJudge(ports, TEAM)
  judge.begin(asked)
  await judge.ended
  // The engine looks again and again, and asks nobody twice for nothing.
  judge.begin(asked)
  await judge.ended
  return (await run(here, listApprovals, { status: "approved" })).length > 0
}

async function review(answers: readonly unknown[]): Promise<boolean> {
  await using scene = await setUpReview(["claude"])
  await using ask = await setUpAsk(answers)
  return (await scene.review(ask.ports.ready, { timeoutMs: 1000, patienceMs: 100 })).status === "passed"
}

const finding = (severity: string, text = "it loses data") => ({
  ...{ task: "1", file: "search.ts", line: 1, severity, text },
})

/** A task that waits for a person's word; whether it goes on. */
async function decision(more: Record<string, unknown>, by = "w1"): Promise<boolean> {
  await using world = await setUpAsk([])
  const here = context(world.store)
  await run(here, createTeam, { goal: "Search page" })
  await run(here, createTask, { id: "1", title: "Schema" })
  await run(here, claimTask, { id: "1", owner: by })
  await run(here, escalate, { task: "1", trigger: "requirement_unclear", summary: "which one?", owner: by })
  const [asked] = await run(here, listEscalations, {})
  const { key } = (await world.store.read((tx) => tx.teams.find(TEAM))) ?? { key: 0 }
  await run(here, decide, { number: asked?.number ?? 0, option: "retry", ...more } as never).catch(expected)
  return (await getTask(world.store, key, "1")).status !== "paused"
}

async function request(
  decideIt: (here: ReturnType<typeof context>, number: number) => Promise<unknown>,
): Promise<boolean> {
  await using world = await setUpAsk([])
  const here = context(world.store)
  await run(here, createTeam, { goal: "Search page", protocol: "planned", mode: "SUPERVISED" })
  await run(here, createTask, { id: "1", title: "Schema" })
  for (const { number } of await run(here, listApprovals, {})) await run(here, approve, { number })
  await run(here, claimTask, { id: "1", owner: "w1" })
  for (const to of ["requirement", "skill_research", "plan_design", "awaiting_approval"] as const)
    await run(here, advancePhase, { id: "1", owner: "w1", to, report: "x" })
  const [asked] = await run(here, listApprovals, {})
  await decideIt(here, asked?.number ?? 0).catch(expected)
  return (await run(here, listApprovals, { status: "approved", task: "1" } as never)).some(
    ({ taskId }) => taskId === "1",
  )
}

function expected(error: unknown): void {
  if (!(error instanceof AppError)) throw error
}

/** Whether an agent may go on spending after a run that told this. */
function spending(run: object, budget: { tokens?: number; dollars?: number }): Drive {
  const fact = {
    run: "1-1-1",
    task: "1",
    worker: "w1",
    agent: "claude",
    tokens: 0,
    dollars: null,
    endedAt: "x",
    reason: "done",
  }
  const runs = new Map([["1-1-1", { ...fact, ...run }]]) as never
  return async () => overBudget(sumSpending({ runs }).team, { ...NO_BUDGET, ...budget }) === undefined
}

const WRITE = { tool_name: "Write", tool_input: { file_path: "src/a.txt", content: "x" } }

/** The hook of a worker's agent as a process: whether it lets the write through. */
async function managed(input: string, rules: unknown): Promise<boolean> {
  using scratch = makeScratch("hook")
  mkdirSync(join(scratch.path, "work/src"), { recursive: true })
  const file = join(scratch.path, "ownership.json")
  if (rules !== undefined) {
    const own = { workspace: join(scratch.path, "work"), ownership: owning("docs/**") }
    writeFileSync(file, typeof rules === "string" ? rules : JSON.stringify({ ...own, ...(rules as object) }))
  }
  const stdin = new TextEncoder().encode(input)
  const child = Bun.spawn([...JUDGE_WRITE, file], {
    cwd: scratch.path,
    env: sandboxEnv(),
    stdin,
    stdout: "pipe",
    stderr: "pipe",
  })
  return (await child.exited) !== 2
}

/** The hook of a session that joined: whether it lets the write through. */
async function seat(input: unknown, ruin: (home: string) => void = () => undefined): Promise<boolean> {
  using scratch = makeScratch("seat")
  using repository = makeRepository()
  const home = scratch.path
  const call = (args: string[], stdin?: string) =>
    runCli(args, { home, cwd: repository.path, ...(stdin === undefined ? {} : { input: stdin }) })
  expect(await call(["project", "create", "--goal", "x"])).toMatchObject({ exitCode: 0 })
  await call(["task", "create", "--title", "Docs", "--files", "docs/"])
  const joined = await call(["join", "--terminal-id", "s1"])
  expect(joined).toMatchObject({ exitCode: 0 })
  ruin(home)
  const told =
    typeof input === "string" ? input : JSON.stringify({ session_id: "s1", cwd: repository.path, ...(input as object) })
  const { stdout, exitCode } = await call(["hook", "PreToolUse", "--host", "claude"], told)
  return exitCode !== 2 && !stdout.includes('"deny"')
}

/** A repository that would start a program: whether it is started. */
async function trust(file: string | undefined, args: readonly string[] = ["preflight"]): Promise<boolean> {
  using scratch = makeScratch("trust")
  using repository = makeRepository({ files: { "package.json": manifest("touch ran") } })
  const home = scratch.path
  if (file !== undefined) writeFileSync(join(home, "trust.json"), file)
  const env = { TEAMWORK_TRUST: undefined }
  const { exitCode } = await runCli(args, { home, cwd: repository.path, env, input: "" } as never)
  return exitCode === 0 || existsSync(join(repository.path, "ran")) || Object.keys(readTrust(home)).length > 0
}

const JUDGES: Readonly<Record<string, Faults>> = {
  "gate of a task": gates(gateOfTask),
  "gate of a wave": gates((command) => gateOfTeam(command, "wave")),
  "final gate": gates((command) => gateOfTeam(command, "final")),
  QA: agents(qa, {
    "no scores": { scores: [], guidance: [] },
    "a verdict without scores": { verdict: "PASS", total: 100 },
    "unknown dimensions": scores(100, ["beauty"]),
    "a missing dimension": scores(100, DIMENSIONS.slice(1)),
    "numbers as text": scores("100"),
    "more than 100": scores(1000),
    "a score for each dimension twice": scores(100, [...DIMENSIONS, ...DIMENSIONS]),
  }),
  "verdict of QA on another commit": {
    "another commit": () => resolved({ commit: "3".repeat(40) }),
    "another tree": () => resolved({ ...PASSED, tree: "4".repeat(40) }),
    "no commit": () => resolved({}),
    "a tree alone": () => resolved({ tree: PASSED.tree }),
    "the beginning of its name": () => resolved({ commit: PASSED.commit.slice(0, 12) }),
  },
  "review by another agent": agents(review, {
    "no verdict": { findings: [] },
    "another word than PASS": { verdict: "LGTM", findings: [] },
    "findings that are no list": { verdict: "PASS", findings: "none", earlier: [] },
    "PASS with a critical finding": { verdict: "PASS", findings: [finding("critical")], earlier: [] },
    "PASS with a major finding": { verdict: "PASS", findings: [finding("major")], earlier: [] },
    "PASS with a critical finding without words": { verdict: "PASS", findings: [finding("critical", "")], earlier: [] },
    "FAIL with minor findings": { verdict: "FAIL", findings: [finding("minor")], earlier: [] },
    "FAIL without findings": { verdict: "FAIL", findings: [], earlier: [] },
  }),
  "approval by the agent that leads": agents(approval, {
    "yes as text": { approved: "true", reason: "fine" },
    "neither yes nor no": { approved: null, reason: "fine" },
    "a no without a reason": { approved: false, reason: "" },
    no: { approved: false, reason: "the price is missing" },
  }),
  "approval by a person": {
    "by whoever asked": () => request((here, number) => run(here, approve, { number, owner: "w1" })),
    "of a question that nobody asked": () => request((here, number) => run(here, approve, { number: number + 100 })),
    "of an earlier question": () => request((here, number) => run(here, approve, { number: Math.max(1, number - 1) })),
    "a no": () => request((here, number) => run(here, reject, { number, reason: "no" })),
    "nobody answers": () => request(async () => undefined),
  },
  "decision on an escalation": {
    "an option that it does not have": () => decision({ option: "go-on" }),
    "a word that is no option": () => decision({ option: "yes" }),
    empty: () => decision({ option: "" }),
    "another escalation": () => decision({ number: 99 }),
    "by the worker that asked": () => decision({ owner: "w1" }),
    "nobody answers": () => decision({ number: 0 }),
  },
  budget: {
    "unknown cost": spending({ tokens: 500, dollars: null }, { dollars: 1 }),
    "no usage at all": spending({}, { dollars: 1 }),
    "NaN dollars": spending({ tokens: 500, dollars: Number.NaN }, { dollars: 1 }),
    "negative dollars": spending({ tokens: 500, dollars: -5 }, { dollars: 1 }),
    "NaN tokens": spending({ tokens: Number.NaN, dollars: null }, { tokens: 100 }),
    "infinite tokens": spending({ tokens: Number.POSITIVE_INFINITY, dollars: null }, { tokens: 100 }),
    "used up": spending({ tokens: 100, dollars: null }, { tokens: 100 }),
  },
  "ownership hook of a worker's agent": {
    "not owned": () => managed(JSON.stringify(WRITE), {}),
    empty: () => managed("", {}),
    "broken JSON": () => managed('{"tool_name": "Write"', {}),
    "no tool": () => managed("{}", {}),
    null: () => managed("null", {}),
    "no rules": () => managed(JSON.stringify(WRITE), undefined),
    "empty rules": () => managed(JSON.stringify(WRITE), ""),
    "rules of another shape": () => managed(JSON.stringify(WRITE), { ownership: { task: { id: "1", files: ["**"] } } }),
    "no workspace": () => managed(JSON.stringify(WRITE), { workspace: "" }),
  },
  "ownership hook of a session in a team": {
    "holds no task": () => seat(WRITE),
    empty: () => seat(""),
    "broken JSON": () => seat('{"session_id": "s1", "tool_name": "Write"'),
    "settings that cannot be read": () => seat(WRITE, (home) => writeFileSync(join(home, "config.json"), "{ broken")),
    "a store that cannot be read": () => seat(WRITE, (home) => writeFileSync(join(home, "teamwork.db"), "no database")),
    "a marker that cannot be read": () => seat(WRITE, (home) => writeFileSync(join(home, "seats/s1"), "{ broken")),
  },
  "trust in a repository": {
    "never asked": () => trust(undefined),
    "a file that cannot be read": () => trust("{ broken"),
    "an empty file": () => trust(""),
    "yes to everything, by hand": () => trust('{"*": true, "/": {"programs": "all"}}'),
    "a list": () => trust("[true]"),
  },
}

for (const [judge, faults] of Object.entries(JUDGES)) {
  describe(`nothing fails open: ${judge}`, () => {
    for (const [fault, isLetThrough] of Object.entries(faults))
      it(`x ${fault}`, async () =>
        expect({ judge, fault, isLetThrough: await isLetThrough() }).toEqual({ judge, fault, isLetThrough: false }))
  })
}

// The same ways with good answers: a table of judges that never say yes would prove nothing.
describe("what is right gets through", () => {
  const GOOD: Readonly<Record<string, Drive>> = {
    "gate of a task": () => gateOfTask("true"),
    "gate of a wave": () => gateOfTeam("node --test", "wave"),
    "final gate": () => gateOfTeam("node --test", "final"),
    QA: () => qa([scores(100)]),
    "verdict of QA on another commit": () => resolved(PASSED),
    "review by another agent": () => review([{ verdict: "PASS", findings: [], earlier: [] }]),
    "approval by the agent that leads": () => approval([{ approved: true, reason: "fine" }]),
    "approval by a person": () => request((here, number) => run(here, approve, { number })),
    "decision on an escalation": () => decision({}),
    budget: spending({ tokens: 10, dollars: 0.5 }, { dollars: 1, tokens: 100 }),
    "ownership hook of a worker's agent": () =>
      managed(JSON.stringify({ ...WRITE, tool_input: { file_path: "docs/a.txt" } }), {}),
    "ownership hook of a session in a team": () => seat({ tool_name: "Read", tool_input: { file_path: "src/a.txt" } }),
    "trust in a repository": () => trust(undefined, ["trust", "--yes"]),
  }
  for (const [judge, isLetThrough] of Object.entries(GOOD))
    it(judge, async () => expect({ judge, isLetThrough: await isLetThrough() }).toEqual({ judge, isLetThrough: true }))
  it("has a row for every judge", () => expect(Object.keys(GOOD)).toEqual(Object.keys(JUDGES)))
})
