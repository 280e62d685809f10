// One run of the real engine on the real store in a simulated world: a random plan, a person who starts the orchestrator
// and starts it again when it is gone, and faults. Everything follows from the seed.

import { join } from "node:path"
import { FAULT_LIMITS } from "../../src/agents/agent-fault.ts"
import { connectGates } from "../../src/delivery/merge-queue/connect-gates.ts"
import { integrationBranch } from "../../src/kernel/branches.ts"
import { AppError } from "../../src/kernel/errors.ts"
import type { WorkerId } from "../../src/kernel/ids.ts"
import type { Protocol } from "../../src/kernel/phase.ts"
import type { TeamMode } from "../../src/kernel/team.ts"
import { sendMessage } from "../../src/messages/operations/send-message.ts"
import type { EngineLimits } from "../../src/orchestrator/actions.ts"
import type { EngineEnd } from "../../src/orchestrator/loop/engine-ports.ts"
import { orchestrate } from "../../src/orchestrator/loop/orchestrate.ts"
import { BUILT_IN_ROLES } from "../../src/planning/roles/roles.ts"
import { examineWork } from "../../src/quality/effects/examine-work.ts"
import { recordPreflight } from "../../src/quality/operations/record-preflight.ts"
import { addVerdict } from "../../src/quality/operations/record-verdict.ts"
import { acceptQa, listQuality } from "../../src/quality/operations/report-qa.ts"
import { findStart, judgeBase } from "../../src/quality/verify/judge-base.ts"
import { recheckTasks } from "../../src/quality/verify/recheck-tasks.ts"
import { verifyTask } from "../../src/quality/verify/verify-task.ts"
import { verifyFinal, verifyWave } from "../../src/quality/verify/verify-team.ts"
import type { Checkpoint } from "../../src/requests/approval.ts"
import { TRIGGERS } from "../../src/requests/escalation.ts"
import { approve, listApprovals, reject } from "../../src/requests/operations/approvals.ts"
import { checkpoint } from "../../src/requests/operations/checkpoints.ts"
import { decide, escalate, listEscalations } from "../../src/requests/operations/escalations.ts"
import type { Context } from "../../src/store/operation.ts"
import type { Store } from "../../src/store/port.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { reviseTask } from "../../src/tasks/operations/revise-task.ts"
import { calculateWaves } from "../../src/tasks/operations/wave-status.ts"
import type { Role } from "../../src/tasks/task.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { pause, resume } from "../../src/teams/operations/pause.ts"
import { runWorker } from "../../src/workers/loop/run-worker.ts"
import type { PlainEvent } from "../support/plain-events.ts"
import { DEFAULT_SETTINGS, run } from "../support/stores.ts"
import { makeSimAgents, type SimAgents } from "./agents.ts"
import { type Faults, makeFaults } from "./faults.ts"
import { makeSimGates, type SimGates } from "./gates.ts"
import { SIM_PLACE } from "./git/merges.ts"
import { makeSimGit, type SimGit } from "./git.ts"
import { checkRuns, PERSONS_MESSAGE, type RunsChecked } from "./invariants.ts"
import { listCrowd, makePlan, SIM_RUN, SIM_TEAM, type SimPlan } from "./plans.ts"
import type { Random } from "./random.ts"
import { makeSimRuntime, type SimRuntime, startOf } from "./runtime.ts"
import { openSimStore, type SimStore } from "./store.ts"
import { forbidRealTimers, makeWorld, type SimProcess, type World } from "./world.ts"

export interface SimulationResult {
  readonly seed: number
  readonly plan: SimPlan
  readonly steps: number
  readonly elapsedMs: number
  readonly faults: readonly string[]
  /** How each orchestrator ended, in order. */
  readonly ends: readonly string[]
  /** The whole history, for a comparison with that of the same seed. */
  readonly events: readonly PlainEvent[]
  readonly refs: ReadonlyMap<string, string>
  /** The task that could not be done at first. */
  readonly hopeless: string | null
  readonly partialDelivery: EngineLimits["partialDelivery"]
  /** Tasks that change the same file as others. */
  readonly crowd: readonly string[]
}

/** A run that broke a rule or did not end, with all that is needed to look into it. */
export class SimulationFailed extends Error {
  readonly result: SimulationResult

  constructor(result: SimulationResult, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(`seed ${result.seed}: ${reason} (replay with: SIM_SEED=${result.seed} bun test ./test/sim)`, { cause })
    this.name = "SimulationFailed"
    this.result = result
  }
}

/** I9: whoever runs a seed again sees the same. Throws where the two part. */
export function compareRuns(one: SimulationResult, other: SimulationResult): void {
  const [first, second] = [one, other].map(({ events }) => events.map((event) => JSON.stringify(event)))
  const length = Math.max(first?.length ?? 0, second?.length ?? 0)
  for (let at = 0; at < length; at++)
    if (first?.[at] !== second?.[at])
      throw new Error(`I9: seed ${one.seed} went otherwise at event ${at}: ${first?.[at]} and ${second?.[at]}`)
  if (!Bun.deepEquals([...one.refs], [...other.refs])) throw new Error(`I9: seed ${one.seed} left other refs behind`)
}

export interface SimulationOptions {
  readonly hasFaults?: boolean
  /** One task that cannot be done before a person has looked after it; by default now and then, where there are faults. */
  readonly isHopeless?: boolean
  /** Most tasks change the same file; by default now and then. */
  readonly isCrowded?: boolean
  /** Hears what everybody says, with the time. */
  readonly say?: (line: string) => void
}

const MAX_STEPS = 400_000
const MAX_MS = 7 * 24 * 3_600_000
/** How often a person helps before it is clear that the engine does not get there. */
const MAX_HELPS = 25
/** How often a person looks at what waits for them before they mend what keeps coming back. */
const MOST_LOOKS = 5

export async function simulate(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  const { hasFaults = true } = options
  loaded ??= loadAll()
  await loaded
  let scene: Scene | undefined
  const world = makeWorld({
    seed,
    faultAt: (process, label) => (hasFaults ? scene?.faults.atCall(process, label) : undefined),
  })
  await using store = await openSimStore(world)
  using _timers = forbidRealTimers(() => store.isBusy)
  using loose = catchLoose()
  scene = await prepare(world, store, options)
  const { person, invariants, git, plan, faults, hopeless, limits } = scene
  const { partialDelivery } = limits
  let steps = 0
  const result = (): SimulationResult => ({
    ...{ seed, plan, steps, elapsedMs: world.elapsedMs(), faults: faults.told, ends: person.ends },
    ...{ events: invariants.events, refs: git.repository.refs, hopeless, partialDelivery },
    crowd: listCrowd(plan),
  })
  try {
    while (!person.isDone()) {
      if (++steps > MAX_STEPS || world.elapsedMs() > MAX_MS) throw new Error(`it does not end: ${person.ends.at(-1)}`)
      if (!(await world.step())) throw new Error("everybody waits, and nothing is left to come")
      await invariants.check()
      loose.check()
    }
    await settleDown(world, () => invariants.check())
    await invariants.checkEnd()
    return result()
  } catch (error) {
    throw new SimulationFailed(result(), error)
  } finally {
    for (const process of world.processes) process.kill()
  }
}

/** Who hangs at the end has the time to find that there is nothing left to do. */
const SETTLING_MS = 2 * 3_600_000

async function settleDown(world: World, check: () => Promise<void>): Promise<void> {
  const until = world.elapsedMs() + SETTLING_MS
  while (world.processes.some(({ state }) => state === "running") && world.elapsedMs() < until) {
    if (!(await world.step())) return
    await check()
  }
}

/** What nobody waits for and fails would end the process it happens in, so no process of ours may have it. */
function catchLoose(): Disposable & { check(): void } {
  const reasons: unknown[] = []
  const listen = (reason: unknown) => void reasons.push(reason)
  process.on("unhandledRejection", listen)
  return {
    check() {
      if (reasons.length > 0) throw new Error(`nobody took care of: ${describe(reasons[0])}`)
    },
    [Symbol.dispose]: () => void process.off("unhandledRejection", listen),
  }
}

let loaded: Promise<void> | undefined
/** Doors, commands and their wiring; databases and agent programs of the world outside; and what is no source. */
const NOT_SIMULATED = /^(?:bin|doors|app|agents|store\/postgres)\/|\/commands\/|\.(?:test|d)\.ts$/

/** What is loaded on its first use takes real time then, which would put the steps of the first run in another order. */
async function loadAll(): Promise<void> {
  const root = join(import.meta.dir, "../../src")
  for await (const file of new Bun.Glob("**/*.ts").scan(root))
    if (!NOT_SIMULATED.test(file)) await import(join(root, file))
}

interface Scene {
  readonly plan: SimPlan
  readonly git: SimGit
  readonly faults: Faults
  readonly invariants: RunsChecked
  readonly person: Person
  readonly hopeless: string | null
  readonly limits: EngineLimits
}

async function prepare(
  world: World,
  store: SimStore,
  {
    say = () => {},
    hasFaults = true,
    isHopeless = hasFaults && world.random.fork("hopeless").chance(0.2),
    isCrowded,
  }: SimulationOptions,
): Promise<Scene> {
  const { random } = world
  const plan = makePlan(random.fork("plan"), { isCrowded })
  const git = makeSimGit(world, { team: SIM_RUN, files: plan.files })
  let ids = 0
  const contextOf = (own: Store): Context => ({
    store: own,
    ids: { uuid: () => `id-${++ids}` },
    settings: DEFAULT_SETTINGS,
    roles: async () => BUILT_IN_ROLES,
  })
  const real = contextOf(store.direct)
  const guards = chooseGuards(random, plan)
  const key = await createPlan(real, plan, guards)
  const faults = makeFaults(random.fork("faults"), {
    jumpClock: (ms) => world.jumpClock(ms),
    kill: () => killAny(world),
    interrupt: () => person.interrupt(),
    pause: () => person.pause(),
    startAnother: () => person.startAnother(),
    write: () => person.write(),
    commitOnTarget: () => commitOnTarget(git, random),
    moveIntegration: () => moveIntegration(git, random),
  })
  const hopeless = isHopeless ? random.fork("hopeless task").pick(plan.tasks).id : null
  const isFlaky = () => hasFaults && faults.isGateFlaky()
  const gates = makeSimGates(git, random.fork("gates"), { isFlaky, base: plan.base })
  const agents = makeSimAgents({
    isHopeless: (task) => task === hopeless && !person.hasHelped(),
    ...{ world, repository: git.repository, plan, random: random.fork("agents") },
    faultOf: () => (hasFaults ? faults.ofAgent() : undefined),
    async escalate(self, task) {
      const trigger = random.pick(TRIGGERS)
      await run(contextOf(store.of(self)), escalate, { ...SIM_TEAM, trigger, task, summary: "What now?" }).catch(
        ignoreRefusal,
      )
    },
  })
  const runs = { current: 1, last: random.fork("runs").chance(0.25) ? 2 : 1 }
  const limits = chooseLimits(world)
  const set: Set = { world, store, git, gates, agents, contextOf, say, plan, limits, runs, mayRevise: hasFaults }
  const runtime: SimRuntime = makeSimRuntime({
    world,
    main: (process, worker, role) => work(set, runtime, { process, worker, role }),
    agentsOf: (worker) => agents.runningFor(worker),
  })
  const person = makePerson(set, runtime, {
    real,
    async beginNext() {
      const next = await createPlan(real, plan, guards)
      runs.current++
      await invariants.next({ run: runs.current, key: next })
    },
  })
  const running = () => world.processes.filter(({ state }) => state === "running").map(({ name }) => name)
  const wasKilled = (number: string) =>
    world.processes.some(({ pid, state }) => String(pid) === number && state === "killed")
  const invariants = checkRuns({ store, run: 1, key, git, plan, agents, running, wasKilled })
  return { plan, git, faults, invariants, person, hopeless, limits }
}

/** Unless the files are being moved by a delivery: then git would tell the person to wait. */
function commitOnTarget({ repository }: SimGit, random: Random): void {
  if (repository.moving.size > 0) return
  const { main, refs } = repository
  const path = random.pick(["README.md", "notes.txt", "common/one.txt"])
  main.files.set(path, `${path}: by a person ${refs.size}\n`)
  const parents = [repository.resolve("HEAD") ?? ""]
  const commit = repository.commitFiles({ files: main.files, parents, message: PERSONS_MESSAGE })
  repository.setRef("refs/heads/main", commit)
}

/** As an agent without a sandbox could: forward with a file of its own, or to where the target is. */
function moveIntegration({ repository }: SimGit, random: Random): void {
  const ref = `refs/heads/${integrationBranch(SIM_TEAM)}`
  const tip = repository.refs.get(ref)
  if (tip === undefined) return
  const files = new Map([...repository.objects.files(tip), [`foreign/${repository.foreign.size}.txt`, "foreign\n"]])
  const parents = [random.chance(0.7) ? tip : (repository.resolve("HEAD") ?? tip)]
  const commit = repository.commitFiles({ files, parents, message: "Not teamwork's" })
  repository.foreign.add(commit)
  repository.setRef(ref, commit)
  // The reflog of the branch keeps where it was.
  repository.dropped.delete(tip)
}

function killAny({ processes, random }: World): void {
  const running = processes.filter(({ state }) => state === "running")
  if (running.length > 0) random.pick(running).kill()
}

interface Guards {
  readonly qa: boolean
  readonly mode: TeamMode
  readonly protocol: Protocol
}

function chooseGuards(random: Random, { base }: SimPlan): Guards {
  const own = random.fork("guards")
  // Nobody reads the work here: where the tests tell nothing either, QA would only ever wait for a person.
  const qa = random.fork("qa").chance(0.3) && (base.isReadable || !base.isRed)
  return { qa, mode: own.chance(0.15) ? "SUPERVISED" : "FULL_AUTO", protocol: own.chance(0.3) ? "planned" : "none" }
}

async function createPlan(context: Context, { schedule, tasks }: SimPlan, { qa, ...guards }: Guards): Promise<number> {
  await run(context, createTeam, { ...SIM_TEAM, goal: "Simulate", schedule, ...guards, ...(qa ? { qa } : {}) })
  for (const { id, title, needs, files, role, checks } of tasks)
    await run(context, createTask, { ...SIM_TEAM, id, title, blockedBy: needs, files, role, check: checks })
  await run(context, calculateWaves, { ...SIM_TEAM })
  const team = await context.store.read((tx) => tx.teams.find(SIM_TEAM))
  if (team === undefined) throw new Error("the team was not made")
  return team.key
}

/** What everybody in a run shares. */
interface Set {
  readonly world: World
  readonly store: SimStore
  readonly git: SimGit
  readonly gates: SimGates
  readonly agents: SimAgents
  readonly plan: SimPlan
  readonly limits: EngineLimits
  /** Which run of the team goes on, and how many there will be: each does the plan once more, under the same ids. */
  readonly runs: { current: number; readonly last: number }
  /** Whether the person changes their mind about work that is done. */
  readonly mayRevise: boolean
  contextOf(store: Store): Context
  say(line: string): void
}

const MACHINE = "sim"
const SHUTDOWN_MS = 30_000
const RETRY = { maxRuns: 3, maxRestarts: 3, maxTimeoutRestarts: 2 }
const NO_BUDGET = { tokens: 0, dollars: 0 }

function chooseLimits({ random }: World): EngineLimits {
  return {
    ...RETRY,
    ...{ maxAgents: random.int(1, 4), staffing: { kind: "auto" } },
    ...{ watchdogWarningMs: 300_000, watchdogGraceMs: 120_000, watchdogReassignMs: 600_000, freshStartMs: 3_600_000 },
    ...{ maxConsecutiveErrors: 3, restartBackoffMs: [5000, 10_000, 20_000] },
    ...{
      enableCascade: random.chance(0.3),
      onBlockerFailed: random.pick(["ask", "retry"] as const),
      enableReview: random.chance(0.3),
      reviewRequired: false,
      deliver: true,
      partialDelivery: random.fork("partial").pick(["ask", "always"] as const),
      maxRefusals: 3,
    },
    ...{ budget: NO_BUDGET, budgetPerWorker: NO_BUDGET },
  }
}

function speaker({ world, say }: Set, { name }: SimProcess): (line: string) => void {
  return (line) => say(`${(world.elapsedMs() / 1000).toFixed(3)} ${name}: ${line}`)
}

/** The process of a worker. */
async function work(
  set: Set,
  runtime: SimRuntime,
  { process, worker, role }: { process: SimProcess; worker: string; role: string | null },
): Promise<void> {
  const { world, git, gates, agents } = set
  const context = set.contextOf(set.store.of(process))
  const name = { ...SIM_TEAM, run: set.runs.current }
  const { workspaces, pins, scopes } = git.of(process, name.run)
  const ready = agents.of(process)
  const say = speaker(set, process)
  const processStart = startOf(process)
  const end = await runWorker(
    {
      ...{ context, clock: world.clock, sleep: process.sleep, workspaces, pins, scopes, say },
      agents: async () => ready,
      runAgent: ({ agent, job, options }) => agent.run(job, options),
      verify: ({ folder, signal, ...request }) =>
        verifyTask(gates.verifier(process, { context, folder, signal }), request),
      // Nobody reads it: QA goes by what the checks of the task show.
      examine: ({ folder, ...request }) => {
        const verifier = gates.verifier(process, { context, folder, signal: request.signal })
        return examineWork(
          { verifier, promptLimit: () => 100_000, timeoutMs: null },
          { ...request, executor: "script" },
        )
      },
      gitIdentity: async () => ({}),
      promptLimit: () => 100_000,
      mask: (text) => text,
      isAlive: (fact) => runtime.find({ pid: fact.pid ?? 0, processStart: fact.processStart ?? "" }) !== undefined,
      findSkills: () => [],
      endOrphans: (fact) => process.call("end-orphans", () => endOrphans(runtime, fact)),
      ...{ drain: process.signal, stop: process.secondSignal },
    },
    {
      ...{ ...name, workerId: worker as WorkerId, role: (role ?? undefined) as Role | undefined },
      ...{ once: false, loop: true, keepPolling: false, isManaged: true, pollIntervalSeconds: 120 },
      ...{ home: "/sim/home", root: git.repository.folder, place: SIM_PLACE },
      settings: {
        ...{ leaseSeconds: 120, renewSeconds: 30, repairTurns: 2, agentTimeoutSeconds: 1800 },
        ...{ shutdownTimeoutMs: SHUTDOWN_MS, maxConsecutiveErrors: 3, retry: RETRY, permission: "full", mcp: false },
        budget: { task: NO_BUDGET, worker: NO_BUDGET, team: NO_BUDGET },
        ...{ defaults: { agentType: "executor", tier: "sonnet" }, faults: FAULT_LIMITS, scarcePercent: 80 },
      },
      process: { runtime: "child", machine: MACHINE, pid: process.pid, processStart },
    },
  )
  say(`ends: ${end.reason}`)
}

function endOrphans(
  runtime: SimRuntime,
  { id, pid, processStart }: { id: string; pid: number | null; processStart: string | null },
): void {
  if (runtime.find({ pid: pid ?? 0, processStart: processStart ?? "" }) === undefined) runtime.endAgents(id)
}

/** The process of an orchestrator. */
async function lead(set: Set, runtime: SimRuntime, process: SimProcess): Promise<EngineEnd> {
  const { world, git, gates } = set
  const context = set.contextOf(set.store.of(process))
  const name = { ...SIM_TEAM, run: set.runs.current }
  const { merges, targets, workspaces, pins } = git.of(process, name.run)
  const abandoned = new AbortController()
  const verifier = gates.verifier(process, { context, signal: abandoned.signal })
  const connected = connectGates(verifier, name)
  const holder = String(process.pid)
  // As `run` does, before anybody works.
  const commit = await findStart(verifier, name)
  await recordPreflight(context, name, await judgeBase(verifier, { commit }))
  return orchestrate(
    {
      ...{ context, clock: world.clock, sleep: process.sleep, runtime: runtime.of(process) },
      merging: { merges, targets },
      gates: {
        ...connected,
        verifyWave: (wave) => verifyWave(verifier, { ...name, wave }),
        verifyFinal: () => verifyFinal(verifier, { ...name }),
        recheck: (tasks) => recheckTasks(verifier, name, tasks),
        verifyPart: () => verifyFinal(verifier, { ...name, isPartial: true }),
      },
      workspaces: { workspaces, pins },
      abandon: () => abandoned.abort(),
      review: async () => {
        await process.sleep(60_000)
        const verdict = { subject: null, status: "passed", checks: [], issues: [], by: "codex" } as const
        return addVerdict(context, name, { scope: "cross-agent", ...verdict })
      },
      launch: (worker, role) => ({
        ...{ worker, title: worker, command: ["teamwork", "worker", role ?? ""], env: {}, cwd: "/", logFile: "/" },
      }),
      self: {
        ...{ machine: MACHINE, holder },
        isGone: (other) => world.processes.find(({ pid }) => String(pid) === other)?.state !== "running",
      },
      say: speaker(set, process),
    },
    {
      ...{ ...name, limits: set.limits, settings: "{}", target: undefined, leaseMs: 30_000 },
      ...{ shutdownTimeoutMs: SHUTDOWN_MS, monitorIntervalMs: 60_000 },
      ...{ drain: process.signal, stop: process.secondSignal },
    },
  )
}

/** Starts the orchestrator, and starts it again; looks after what only a person can. */
interface Person {
  readonly ends: readonly string[]
  isDone(): boolean
  /** Looked after what could not go on. */
  hasHelped(): boolean
  interrupt(): void
  startAnother(): void
  pause(): void
  write(): void
}

function makePerson(
  set: Set,
  runtime: SimRuntime,
  { real, beginNext }: { readonly real: Context; beginNext(): Promise<void> },
): Person {
  const { world } = set
  const random = world.random.fork("person")
  const ends: string[] = []
  let current: SimProcess | undefined
  let done = false
  let helps = 0
  let looks = 0
  let mayRevise = set.mayRevise && world.random.fork("revise").chance(0.3)
  const begin = (): SimProcess => {
    let end: EngineEnd | undefined
    const process = world.spawn("orchestrator", async (self) => {
      end = await lead(set, runtime, self)
      speaker(set, self)(`ends: ${end.outcome}: ${end.reason}`)
    })
    process.onEnd(() => {
      const { state, error } = process
      ends.push(
        end === undefined
          ? `${state}${error === undefined ? "" : `: ${describe(error)}`}`
          : `${end.outcome}: ${end.reason}`,
      )
      if (process !== current) return
      current = undefined
      if (end?.outcome === "done" && set.runs.current < set.runs.last) world.after(random.int(1000, 60_000), nextRun)
      else if (end?.outcome === "done" && !mayRevise) done = true
      else if (end?.outcome === "done") world.after(random.int(1000, 60_000), reviseOne)
      else world.after(random.int(1000, 60_000), () => goOn(end, error))
    })
    return process
  }
  /** The next goal for the same team. Somebody may lead it still, who finds that there is nothing left to do. */
  const nextRun = async () => {
    try {
      await beginNext()
      current = begin()
    } catch (error) {
      if (!(error instanceof AppError && error.code === "team.busy")) throw error
      world.after(random.int(1000, 60_000), nextRun)
    }
  }
  const goOn = async (end: EngineEnd | undefined, error: unknown) => {
    if (error !== undefined && !isExcusable(error)) throw error
    if (end !== undefined && end.outcome !== "interrupted" && end.outcome !== "lost") {
      if (++helps > MAX_HELPS) throw new Error(`helped ${MAX_HELPS} times in vain: ${end.outcome}: ${end.reason}`)
      await help(real, random, set.say)
    }
    current = begin()
  }
  const reviseOne = async () => {
    mayRevise = false
    const { id } = random.pick(set.plan.tasks)
    await run(real, reviseTask, { ...SIM_TEAM, id, feedback: "Otherwise" })
    current = begin()
  }
  // Whoever waits for a decision gets it some time.
  const look = async () => {
    if (done) return
    looks++
    await decideAll(real, random)
    await answerAll(real, random)
    world.after(random.int(60_000, 3_600_000), look)
  }
  world.after(random.int(60_000, 3_600_000), look)
  current = begin()
  return {
    ends,
    isDone: () => done,
    // Who was asked often enough looks closer, also where the run never ends.
    hasHelped: () => helps > 0 || looks > MOST_LOOKS,
    interrupt() {
      const process = current
      process?.terminate()
      // Some have no patience.
      if (random.chance(0.4)) world.after(random.int(100, 20_000), () => process?.terminate())
    },
    pause() {
      const set = (operation: typeof pause) => run(real, operation, { ...SIM_TEAM }).catch(ignoreRefusal)
      world.after(0, async () => void (await set(pause)))
      world.after(random.int(1000, 600_000), async () => void (await set(resume)))
    },
    startAnother: () => void begin(),
    write() {
      const to = `w${random.int(1, 3)}`
      world.after(0, async () => {
        const message = { ...SIM_TEAM, from: "orchestrator", to, type: "text", message: "How is it going?" } as const
        await run(real, sendMessage, message).catch(ignoreRefusal)
      })
    },
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof AppError)) throw error
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** A store that could not be asked, or a team that is led: whoever starts it says so, and starts it again. */
function isExcusable(error: unknown): boolean {
  return error instanceof AppError && ["store.busy", "team.led"].includes(error.code)
}

/** Answers what is asked, now and then with no, and sometimes to a question that is none any more. */
async function answerAll(context: Context, random: Random): Promise<void> {
  for (const { number, taskId, subject } of await run(context, listApprovals, { ...SIM_TEAM })) {
    const isRejected = random.chance(0.2)
    const answer = isRejected
      ? run(context, reject, { ...SIM_TEAM, number, reason: "Otherwise" })
      : run(context, approve, { ...SIM_TEAM, number })
    await answer.catch(ignoreRefusal)
    if (!isRejected || taskId !== null) continue
    // A person who said no looks at it again some time.
    if (subject === "draft") await run(context, resume, { ...SIM_TEAM }).catch(ignoreRefusal)
    else await run(context, checkpoint, { ...SIM_TEAM, name: subject as Checkpoint }).catch(ignoreRefusal)
  }
  for (const { taskId, status } of await run(context, listQuality, { ...SIM_TEAM }))
    if (status === "reported" && taskId !== null)
      await run(context, acceptQa, { ...SIM_TEAM, id: taskId }).catch(ignoreRefusal)
  const decided = await run(context, listApprovals, { ...SIM_TEAM, status: "approved" })
  if (decided.length === 0 || random.chance(0.5)) return
  const { number } = random.pick(decided)
  const code = await run(context, approve, { ...SIM_TEAM, number }).then(
    () => "none",
    (error) => error.code,
  )
  if (code !== "approval.decided") throw new Error(`an answer to approval ${number}, which had one, got ${code}`)
}

/** Mostly to try it again, by the same agent or another. */
async function decideAll(context: Context, random: Random): Promise<void> {
  for (const { number, options } of await run(context, listEscalations, { ...SIM_TEAM })) {
    const option = random.pick(options.filter((each) => ["go-on", "retry", "reassign"].includes(each)))
    const agent = option === "reassign" ? { agent: random.pick(["claude", "codex"]) } : {}
    // Somebody may have settled it a moment ago.
    await run(context, decide, { ...SIM_TEAM, number, option, note: "Go on", ...agent }).catch(ignoreRefusal)
  }
}

/** What a person does when the engine can go on no more: lets everything be tried again. */
async function help(context: Context, random: Random, say: (line: string) => void): Promise<void> {
  await decideAll(context, random)
  const { team, tasks, workers, verdicts } = await context.store.read(async (tx) => {
    const found = await tx.teams.find(SIM_TEAM)
    if (found === undefined) throw new Error("the team is gone")
    const { key } = found
    const [all, known] = [await tx.tasks.list(key), await tx.workers.list(key)]
    return { team: found, tasks: all, workers: known, verdicts: await tx.verdicts.list(key) }
  })
  say(`The last verdict: ${JSON.stringify(verdicts.at(-1))}`)
  if (team.status === "paused") await run(context, resume, { ...SIM_TEAM })
  for (const { id, status } of workers)
    if (["paused", "quarantined", "dead", "stopped"].includes(status))
      await run(context, resume, { ...SIM_TEAM, workerId: id })
  for (const { id, status } of tasks) {
    if (status === "paused") await run(context, resume, { ...SIM_TEAM, task: id })
    if (status === "failed") await run(context, reopenTask, { ...SIM_TEAM, id })
  }
}
