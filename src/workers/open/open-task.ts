// A person takes a task over, opens the agent's own session in a personal workspace, and gives back the result. The
// claim has a lease: when this process dies, a worker continues from what the workspace holds.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as v from "valibot"
import { EMPTY_RESULT } from "../../agents/jobs/job-state.ts"
import { RECORDING_FILES, runFolder } from "../../agents/jobs/record-run.ts"
import type { ReadyAgent } from "../../agents/jobs/run-job.ts"
import { makeAgentJob } from "../../agents/make-agent-job.ts"
import { AppError } from "../../kernel/errors.ts"
import { readClosingBlock } from "../../tasks/closing-block.ts"
import { releaseTask } from "../../tasks/operations/release-task.ts"
import { type Taken, takeForPerson } from "../../tasks/operations/take-for-person.ts"
import { updateTask } from "../../tasks/operations/update-task.ts"
import type { Task } from "../../tasks/task.ts"
import { commonJob, taskEnvironment } from "../loop/agent-job.ts"
import { type ClaimHandle, holdClaim } from "../loop/claim-handle.ts"
import { describeDelivery } from "../loop/deliver-task.ts"
import { commit, judgeAndDeliver, reasonOf, type Work } from "../loop/do-task.ts"
import { type EarlierSession, findLastSession } from "../loop/earlier-runs.ts"
import { agentMark } from "../loop/orphans.ts"
import { recordEvidence } from "../loop/record-turn.ts"
import { takeWorkspace } from "../loop/take-workspace.ts"
import type { WorkerRun } from "../loop/worker-ports.ts"
import { lockSession } from "./session-lock.ts"

/** `done`: judge and deliver it. `give-back`: a worker continues. `keep`: pause it for the person. */
export type Afterwards = "done" | "give-back" | "keep"

export interface Opened {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly workspace: string
  /** Null for an ordinary shell. */
  readonly agent: string | null
  readonly session: string | null
}

export interface OpenPorts {
  /** Gives the terminal to a program until it ends. */
  readonly run: (opened: Opened, signal: AbortSignal) => Promise<number>
  /** Null without an answer: the input ended, or a signal came. */
  readonly askNext: () => Promise<Afterwards | null>
  readonly shell: string
  /** For an ordinary shell. */
  readonly env: Readonly<Record<string, string>>
}

export interface OpenEnd {
  readonly task: string
  readonly agent: string | null
  readonly session: string | null
  readonly next: Afterwards
  /** False when the gate or QA failed it. */
  readonly isDone: boolean
  /** By a signal. */
  readonly isInterrupted: boolean
  readonly reason: string | null
}

export async function openTask(run: WorkerRun, task: Task, ports: OpenPorts): Promise<OpenEnd> {
  const { team, worker: owner, options } = run
  const { leaseSeconds } = options.settings
  // Throws before the task is taken from its holder.
  await findSession(run, task)
  using lock = await lockSession(run, task.id)
  const { deadToken } = lock
  const taken = await takeForPerson(run.ports.context, { ...team, id: task.id, owner, leaseSeconds, deadToken })
  lock.note(taken.task.claimToken)
  if (deadToken !== null) await endLeftOver(run, ports)
  await using claim = holdClaim(run, taken.task)
  try {
    return await work(claim, taken, ports)
  } catch (error) {
    if (claim.lost.aborted) throw error
    if (run.ending.stop.aborted) await keep(claim).catch(() => undefined)
    else await giveBack(claim, "it could not be opened").catch(() => undefined)
    throw error
  }
}

/** Processes of a dead `open` in the workspace, unless this one runs inside of it. */
async function endLeftOver({ ports, options, team, worker }: WorkerRun, { env }: OpenPorts): Promise<void> {
  if (agentMark({ home: options.home, ...team, worker }) in env) return
  await ports.endOrphans({ id: worker, machine: options.process.machine, pid: null, processStart: null })
}

async function work(claim: ClaimHandle, { from, before }: Taken, ports: OpenPorts): Promise<OpenEnd> {
  const { task } = claim
  const { say } = claim.ports
  if (from !== null) {
    say(`Task ${task.id} is taken over from ${from}, which keeps its work and lets go`)
    await waitForRelease(claim, from)
  }
  const workspace = await takeWorkspace(claim, true, { before })
  const opened = await makeOpened(claim, workspace.path, ports)
  const { agent, session } = opened
  say(
    agent === null
      ? `Task ${task.id} has no agent session that can be opened; this is a shell in ${workspace.path}. Leave it with: exit`
      : `Task ${task.id}: ${agent} opens session ${session} in ${workspace.path}`,
  )
  await ports.run(opened, claim.cut)
  if (claim.lost.aborted) throw new AppError("claim.lost", `task ${task.id} is no longer yours; its work is kept`)
  const delivered = await commit(claim, workspace)
  say(`Kept: ${describeDelivery(delivered)}`)
  const answer = await ports.askNext()
  const next = answer ?? "keep"
  const isInterrupted = claim.ending.stop.aborted
  const end = { task: task.id, agent, session, next, isInterrupted }
  if (next === "give-back") {
    await giveBack(claim, "given back after an open session")
    return { ...end, isDone: true, reason: null }
  }
  if (next === "keep") {
    await keep(claim)
    const why = isInterrupted ? "a signal ended the session" : "there was no answer"
    return { ...end, isDone: true, reason: answer === null ? why : null }
  }
  const problem = await finish(claim, { workspace, delivered, executor: agent ?? "a shell" })
  if (problem !== null) await giveBack(claim, problem)
  return { ...end, isDone: problem === null, reason: problem }
}

const LOOK_AGAIN_MS = 200
/** Added to the time in which a worker notices that it lost its claim. */
const MORE_MS = 10_000

/**
 * Waits until the previous worker has ended its agent, kept its work and released the attempt. Does not wait for a
 * worker that is dead or too slow: taking the workspace over keeps its contents.
 */
async function waitForRelease({ ports, options, history, task }: ClaimHandle, worker: string): Promise<void> {
  const fact = (await history.read()).workers.get(worker)
  if (fact === undefined || !ports.isAlive(fact)) return
  const deadline = ports.clock.now() + options.settings.renewSeconds * 1000 + MORE_MS
  while (ports.clock.now() < deadline) {
    const { attempt } = (await ports.workspaces.find(worker)) ?? {}
    if (attempt?.task !== task.id || attempt.attempt !== task.attempt || !ports.isAlive(fact)) return
    await ports.sleep(LOOK_AGAIN_MS)
  }
}

async function keep({ ports, fence, worker, task: { id } }: ClaimHandle): Promise<void> {
  const reason = `${worker} keeps it; go on with: teamwork open ${id}`
  await updateTask.run(ports.context, { ...fence, id, status: "paused", reason })
}

async function giveBack({ ports, fence, task }: ClaimHandle, reason: string): Promise<void> {
  await releaseTask.run(ports.context, { ...fence, id: task.id, reason: reason.slice(0, 2000) })
}

/** As a worker does. Returns why the work does not pass. */
async function finish(claim: ClaimHandle, done: Pick<Work, "workspace" | "delivered" | "executor">) {
  const { delivered, executor } = done
  const by = `${claim.worker} with ${executor}`
  const result = { ...EMPTY_RESULT, answer: `Done by hand: ${by}.` }
  await recordEvidence(claim, { result, delivered })
  const failed = await judgeAndDeliver(claim, {
    ...done,
    result,
    answer: result.answer,
    agent: by,
    closing: readClosingBlock(""),
    nothingToDo: delivered.kept.length === 0 ? "done by hand" : undefined,
  })
  if (failed === null) return null
  return `${failed.by === "gate" ? "the gate failed" : "QA sent it back"}: ${reasonOf(failed.verdict)}`
}

interface FoundSession {
  readonly earlier: EarlierSession
  readonly ready: ReadyAgent
}

/** Throws when its program is not installed; undefined without a session. */
export async function findSession(run: WorkerRun, task: Task): Promise<FoundSession | undefined> {
  const runs = [...(await run.history.read()).runs.values()]
    .filter((each) => each.task === task.id)
    .map((each) => ({ ...each, session: each.session ?? readRecordedSession(run, each.id) }))
  const earlier = findLastSession(runs, task.id)
  if (earlier === undefined) return undefined
  const ready = (await run.ports.agents()).find(({ agent }) => agent.name === earlier.agent)
  if (ready?.agent.open === undefined) return undefined
  if (ready.agent.fingerprint(ready.env) === null)
    throw new AppError(
      "agent.unavailable",
      `${earlier.agent} is not installed, and the session of the task is one of it`,
      { agent: earlier.agent },
      { remedy: { operation: "agent list", to: "see" } },
    )
  return { earlier, ready }
}

const Started = v.object({ type: v.literal("started"), session: v.string() })

/** From the recording: a run that still runs, or died, has no session in the events. */
function readRecordedSession({ options, team }: WorkerRun, run: string): string | null {
  try {
    const lines = readFileSync(join(runFolder(options.home, team, run), RECORDING_FILES.events), "utf8").split("\n")
    const line = lines.find((each) => each.includes('"started"')) ?? "{}"
    return v.parse(Started, JSON.parse(line)).session
  } catch {
    // Nothing is recorded yet, or not on this machine.
    return null
  }
}

interface OpenRequest extends FoundSession {
  readonly task: Task
  readonly workspace: string
  readonly token?: number
}

/** With the state, settings and guards of the session's runs. */
export async function makeOpenCommand(run: WorkerRun, { task, ready, earlier, workspace, token }: OpenRequest) {
  const identity = await run.ports.gitIdentity()
  const { permission } = run.options.settings
  const job = makeAgentJob({
    ...(await commonJob(run, { task, permission, token, firstRun: earlier.firstRun })),
    prompt: "",
    workspace,
    model: earlier.model,
    resume: earlier.session,
    env: taskEnvironment(run, { task, workspace, identity, base: ready.env, turn: 1 }),
  })
  const opened = ready.agent.open?.(job) ?? null
  return opened && { ...opened, jobEnv: job.env, agent: earlier.agent, session: earlier.session.id }
}

async function makeOpened(claim: ClaimHandle, workspace: string, ports: OpenPorts): Promise<Opened> {
  const { task, token } = claim
  const found = await findSession(claim, task)
  const opened = found && (await makeOpenCommand(claim, { ...found, task, workspace, token }))
  if (opened) {
    const { command, env, jobEnv, agent, session } = opened
    return { command, env: { ...jobEnv, ...env }, workspace, agent, session }
  }
  const identity = await claim.ports.gitIdentity()
  const env = taskEnvironment(claim, { task, workspace, identity, base: ports.env, turn: 1 })
  return { command: [ports.shell], env, workspace, agent: null, session: null }
}
