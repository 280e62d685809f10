// Agents that do the tasks of a random plan: they edit the files of their worktree, take their time, say what it cost,
// and go wrong in every way an agent can. Each run is a process of its own, which lives on when its worker is killed.

import type { ReadyAgent } from "../../src/agents/jobs/run-job.ts"
import type {
  Agent,
  AgentEventBody,
  AgentJob,
  AgentMessage,
  AgentResult,
  Reason,
  RunOptions,
  Usage,
} from "../../src/agents/port.ts"
import { isFixId } from "../../src/tasks/fix-task.ts"
import { commitAll, mergeInto } from "./git/agent-git.ts"
import type { SimRepository, SimWorktree } from "./git/repository.ts"
import { changedPaths } from "./git/worktrees.ts"
import { isBroken, type SimPlan } from "./plans.ts"
import type { Random } from "./random.ts"
import type { SimProcess, World } from "./world.ts"

/** How a run goes wrong, if it does. */
export const AGENT_FAULTS = [
  ...(["crashed", "protocol", "refused", "context-overflow", "not-found", "rate-limited", "turn-limit"] as const),
  ...(["hangs", "slow", "outside", "nothing", "breaks", "amends", "asks", "asks"] as const),
  ...(["outage", "outage"] as const),
] as const
export type AgentFault = (typeof AGENT_FAULTS)[number]

export interface SimAgents {
  /** As a worker's process has them. */
  of(worker: SimProcess): readonly ReadyAgent[]
  /** Of a worker: what runs, or was left. */
  runningFor(worker: string): readonly SimProcess[]
  /** Every message that a turn of an agent contained, in order. */
  readonly shown: readonly { readonly run: number; readonly message: string }[]
}

interface Setting {
  readonly world: World
  readonly repository: SimRepository
  readonly plan: SimPlan
  readonly random: Random
  /** Asked at the start of every run. */
  readonly faultOf: () => AgentFault | undefined
  /** Whether nothing that any agent does brings the task forward. */
  readonly isHopeless: (task: string) => boolean
  /** Stops work on the task and asks a person, as the agent's process. */
  readonly escalate: (self: SimProcess, task: string) => Promise<void>
}

/** What a program says that is broken for everybody. */
export const OUTAGE = "exit code 3"

const AGENT_NAMES = ["claude", "codex"] as const
const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, dollars: null }
const MAX_THINKING_MS = 40_000
/** Longer than any limit on a run. */
const FOREVER_MS = 40 * 3_600_000

export function makeSimAgents(setting: Setting): SimAgents {
  const { repository } = setting
  const running: { readonly worker: string; readonly process: SimProcess }[] = []
  const limitedUntil = new Map<string, number>()
  const brokenUntil = new Map<string, number>()
  const shown: { run: number; message: string }[] = []
  const tries = new Map<string, number>()
  const triesOf = (task: string) => {
    tries.set(task, (tries.get(task) ?? 0) + 1)
    return tries.get(task) ?? 0
  }
  let runs = 0
  const makeAgent = (name: string, caller: SimProcess): Agent => ({
    name,
    fingerprint: () => null,
    detect: async () => ({
      isAvailable: true,
      version: "1",
      isLoggedIn: true,
      reach: "",
      missing: null,
      capabilities: CAPABILITIES,
    }),
    run(job, options = {}) {
      const run = ++runs
      const worker = repository.worktreeAt(job.workspace)?.worker ?? caller.name
      return startRun(
        { ...setting, name, caller, job, options, run, limitedUntil, brokenUntil, shown, triesOf },
        (process) => running.push({ worker, process }),
      )
    },
  })
  const model = { model: null, price: null }
  return {
    shown,
    of: (worker) =>
      AGENT_NAMES.map((name) => ({
        agent: makeAgent(name, worker),
        ...{ env: {}, isEnabled: true, models: { haiku: model, sonnet: model, opus: model } },
      })),
    runningFor: (worker) =>
      running
        .filter((each) => each.worker === worker && each.process.state === "running")
        .map(({ process }) => process),
  }
}

const CAPABILITIES = { resume: true, structuredAnswer: true, mcp: true, hooks: true, messages: true, cost: false }

interface Run extends Setting {
  readonly name: string
  readonly caller: SimProcess
  readonly job: AgentJob
  readonly options: RunOptions
  readonly run: number
  readonly limitedUntil: Map<string, number>
  /** Until then every run of the program ends at once, and never reaches its model. */
  readonly brokenUntil: Map<string, number>
  readonly shown: { run: number; message: string }[]
  /** How often an agent has tried the task, this time included. */
  readonly triesOf: (task: string) => number
}

/** What the process of the agent tells the one that started it reaches that one only while it lives. */
function startRun(run: Run, onStart: (process: SimProcess) => void): Promise<AgentResult> {
  const { world, caller, options, name, random } = run
  const startedAt = world.elapsedMs()
  const fault = run.faultOf()
  return new Promise((resolve, reject) => {
    let ended: Ending | undefined
    let told = Promise.resolve()
    const tell = (body: AgentEventBody): Promise<void> => {
      told = told.then(() => caller.sleep(0)).then(() => options.onEvent?.({ at: world.clock.now(), ...body }))
      // Whoever listens and fails ends the run.
      told.catch((error) => {
        process.kill()
        reject(error)
      })
      return told
    }
    const process = world.spawn(`${name} ${run.run} for ${caller.name}`, async (self) => {
      ended = await work(run, { self, fault, tell })
    })
    onStart(process)
    const cancel = () => {
      if (ended === undefined) ended = { reason: "cancelled", error: "stopped" }
      world.after(random.next() * 2000, () => process.kill())
    }
    options.signal?.addEventListener("abort", cancel)
    if (options.signal?.aborted === true) cancel()
    const { timeMs } = run.job.limits
    const callOff = world.after(timeMs ?? FOREVER_MS, () => {
      ended ??= { reason: "timed-out", error: "took too long" }
      process.kill()
    })
    process.onEnd(() => {
      callOff()
      const { reason, error = "", retryAt = null } = ended ?? { reason: "crashed" as const, error: "killed" }
      const usage = error === OUTAGE ? NO_USAGE : { ...NO_USAGE, inputTokens: 1000, outputTokens: 200 }
      const result: AgentResult = {
        ...{ reason, retryAt, answer: reason === "done" ? "Done." : "", structured: null, usage, error },
        ...{ session: { id: `session-${run.run}`, usage }, exitCode: reason === "done" ? 0 : 1, signal: null },
        ...{ durationMs: Math.floor(world.elapsedMs() - startedAt), filesTouched: [] },
      }
      void tell({ type: "finished", result }).then(() => resolve(result), reject)
    })
  })
}

interface Ending {
  readonly reason: Reason
  readonly error?: string
  readonly retryAt?: number
}

interface Doing {
  readonly self: SimProcess
  readonly fault: AgentFault | undefined
  readonly tell: (event: AgentEventBody) => Promise<void>
}

async function work(run: Run, doing: Doing): Promise<Ending> {
  const { random, name, world, limitedUntil } = run
  const { self, fault, tell } = doing
  const until = limitedUntil.get(name) ?? 0
  if (fault === "outage") run.brokenUntil.set(name, world.clock.now() + random.int(1000, 1_200_000))
  if ((run.brokenUntil.get(name) ?? 0) > world.clock.now()) return { reason: "crashed", error: OUTAGE }
  if (fault === "not-found") return { reason: "not-found", error: `${name} is not installed` }
  tell({ type: "started", session: `session-${run.run}`, model: null, agentVersion: "1" }).catch(() => {})
  if (until > world.clock.now()) return { reason: "rate-limited", error: "too many requests", retryAt: until }
  const pace = fault === "slow" ? 20 : 1
  const think = () => self.sleep(random.next() * MAX_THINKING_MS * pace)
  const messages = takeMessages(run, doing)
  await think()
  await messages()
  const editing = planEdits(run, fault)
  for (const [index, edit] of editing.entries()) {
    if (index === 1 || editing.length === 1) {
      if (fault === "hangs") await self.sleep(FOREVER_MS)
      if (fault === "asks") await ask(run, self)
      const broken = FAILURES[fault ?? "slow"]
      if (broken !== undefined) return broken
      if (fault === "rate-limited") {
        const retryAt = world.clock.now() + random.int(60_000, 900_000)
        limitedUntil.set(name, retryAt)
        return { reason: "rate-limited", error: "too many requests", retryAt: random.chance(0.7) ? retryAt : undefined }
      }
    }
    await self.call("agent.edit", edit)
    tell({ type: "tool_use", id: `${index}`, name: "edit", files: [], input: "" }).catch(() => {})
    await think()
    await messages()
  }
  const usage = { inputTokens: 1000, outputTokens: 200, cachedTokens: 0, dollars: null }
  tell({ type: "usage", isTotal: true, ...usage }).catch(() => {})
  if (random.chance(0.4)) await self.call("agent.commit", () => commit(run, fault === "amends"))
  return { reason: "done" }
}

/** Some go on until they are stopped, others wait for that. */
async function ask({ repository, job, random, escalate }: Run, self: SimProcess): Promise<void> {
  const task = repository.worktreeAt(job.workspace)?.record?.attempt?.task
  if (task !== undefined) await escalate(self, task)
  if (random.chance(0.5)) await self.sleep(FOREVER_MS)
}

const FAILURES: Partial<Record<AgentFault, Ending>> = {
  crashed: { reason: "crashed", error: "segmentation fault" },
  protocol: { reason: "protocol", error: "no result" },
  refused: { reason: "refused", error: "I cannot help with that" },
  "context-overflow": { reason: "context-overflow", error: "the prompt is too long" },
  "turn-limit": { reason: "turn-limit", error: "too many turns" },
}

function commit({ repository, job, random }: Run, amends: boolean): void {
  const tree = repository.worktreeAt(job.workspace)
  if (tree === undefined) return
  const head = repository.headOf(tree)
  commitAll(repository, tree, { message: "Work of an agent", amends: amends && head !== tree.record?.base })
  // Once more, as after a second thought.
  if (amends && random.chance(0.5)) commitAll(repository, tree, { message: "Work of an agent, better", amends: true })
}

/** The changes that the task asks for, one after the other; each happens at one moment. */
function planEdits(run: Run, fault: AgentFault | undefined): (() => void)[] {
  const { repository, job, plan, random } = run
  const task = repository.worktreeAt(job.workspace)?.record?.attempt?.task
  if (task === undefined || fault === "nothing" || run.isHopeless(task)) return []
  // Asked for a plan, some write all the same.
  if (job.ownership?.locked !== undefined && !random.chance(0.2)) return []
  const inTree = (edit: (tree: SimWorktree) => void) => () => {
    const tree = repository.worktreeAt(job.workspace)
    if (tree !== undefined) edit(tree)
  }
  const serial = run.run
  const known = plan.tasks.find((each) => each.id === task)
  if (known === undefined) return [inTree((tree) => mend(run, tree, { task, serial }))]
  // Told what the gate found, or where somebody else got to, it does better.
  const clash = job.resume === null && run.triesOf(task) === 1 ? known.clash : null
  const words = [fault === "breaks" ? "broken" : "", clash ?? ""].filter((word) => word !== "").join(" ")
  const edits = known.paths.map((path) =>
    inTree((tree) => void tree.files.set(path, `${path}: ${task} ${serial} ${words}`.trimEnd().concat("\n"))),
  )
  if (fault === "outside") {
    const others = plan.tasks.filter((each) => each.id !== task).flatMap((each) => each.paths)
    const path = random.pick([...others, "README.md"])
    edits.push(inTree((tree) => void tree.files.set(path, `${path}: by ${task} ${serial}, who may not\n`)))
  }
  return edits
}

/** A task of the engine's own: brings in what could not be merged, or mends what a gate found. */
function mend(
  { repository, plan, job }: Run,
  tree: SimWorktree,
  { task, serial }: { task: string; serial: number },
): void {
  const [, origin = ""] = isFixId(task) ? (/^fix-(.+)-(\d+)$/.exec(task) ?? []) : []
  const named = job.env.TEAMWORK_FIX_HEAD
  const head = named === undefined ? undefined : repository.resolve(named)
  const merge =
    head === undefined || repository.objects.contains(repository.headOf(tree), head)
      ? undefined
      : mergeInto(repository, tree, head)
  for (const path of merge?.conflicts ?? []) tree.files.set(path, `${path}: ${task} ${serial}, of both\n`)
  for (const [path, content] of tree.files) {
    // What was broken before anybody came is none of its business.
    if (plan.files[path] === content) continue
    const isClashing = / (?:ebb|flow)\b/.test(content)
    if (isBroken(content) || isClashing) tree.files.set(path, `${path}: ${task} ${serial}, mended\n`)
  }
  if (changedPaths(repository, tree).length === 0) {
    // What a gate found may be gone by itself; then there is a note of that.
    const path = plan.tasks.find((each) => each.id === origin)?.paths[0] ?? `free/${task}.txt`
    tree.files.set(path, `${path}: ${task} ${serial}, looked at\n`)
  }
  merge?.commit()
}

/** Takes what came meanwhile into the next turn, and says so. */
function takeMessages({ options, run, shown, random }: Run, { self, tell }: Doing): () => Promise<void> {
  const waiting: AgentMessage[] = []
  const source = options.messages?.[Symbol.asyncIterator]()
  const pull = async (): Promise<void> => {
    for (;;) {
      const next = await source?.next()
      if (next === undefined || next.done === true || self.state !== "running") return
      waiting.push(next.value)
    }
  }
  void pull()
  return async () => {
    for (const message of waiting.splice(0)) {
      await self.call("agent.read", () => shown.push({ run, message: message.id }))
      const said = { type: "message_delivered", messageId: message.id } as const
      tell(said).catch(() => {})
      // Some say so twice.
      if (random.chance(0.3)) tell(said).catch(() => {})
    }
  }
}
