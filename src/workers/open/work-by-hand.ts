// A person works on a task by hand: takes it over, opens the agent's own session in a workspace of the person's, and gives
// back what came of it. The claim has a lease: when this process dies, a worker goes on from what the workspace holds.

import { EMPTY_RESULT } from "../../agents/jobs/job-state.ts"
import type { ReadyAgent } from "../../agents/jobs/run-job.ts"
import { AppError } from "../../kernel/errors.ts"
import { readClosingBlock } from "../../tasks/closing-block.ts"
import { noteStep } from "../../tasks/operations/note-run.ts"
import { releaseTask } from "../../tasks/operations/release-task.ts"
import { type Taken, takeForPerson } from "../../tasks/operations/take-for-person.ts"
import { updateTask } from "../../tasks/operations/update-task.ts"
import type { Task } from "../../tasks/task.ts"
import { deliver, describeDelivery } from "../loop/deliver-task.ts"
import { commit, reasonOf } from "../loop/do-task.ts"
import { type EarlierSession, findLastSession } from "../loop/find-session.ts"
import { type Hold, holdClaim } from "../loop/hold-claim.ts"
import { noteEvidence } from "../loop/note-evidence.ts"
import { workerMark } from "../loop/orphans.ts"
import { completeTask } from "../loop/plan-task.ts"
import type { Shift } from "../loop/shift.ts"
import { takeWorkspace } from "../loop/take-workspace.ts"
import { validateTask } from "../loop/validate-task.ts"
import { untilLetGo } from "./let-go.ts"
import { holdOneSession } from "./one-session.ts"
import { environmentOf, makeOpenJob } from "./open-job.ts"
import { recordedSession } from "./recorded-session.ts"

/** `done`: it is judged and delivered as the task's work. `give-back`: a worker goes on from there. `keep`: nobody does. */
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
  /** Hands the terminal over to a program until it ends. */
  readonly run: (opened: Opened, signal: AbortSignal) => Promise<number>
  /** Null where there is no answer: the input ended, or a signal came. */
  readonly askNext: () => Promise<Afterwards | null>
  readonly shell: string
  /** What a shell of the person's own gets. */
  readonly env: Readonly<Record<string, string>>
}

export interface OpenEnd {
  readonly task: string
  readonly agent: string | null
  readonly session: string | null
  readonly next: Afterwards
  /** Whether the task is where the person wanted it; false when its gate or QA failed it. */
  readonly isDone: boolean
  /** A signal ended it. */
  readonly isInterrupted: boolean
  readonly reason: string | null
}

/** What would be opened, found without claiming anything. Throws where nothing could be. */
export async function findOpened(shift: Shift, task: Task): Promise<EarlierSession | undefined> {
  const runs = [...(await shift.history.read()).runs.values()].filter((run) => run.task === task.id)
  return findLastSession(
    runs.map((run) => ({ ...run, session: run.session ?? recordedSession(shift, run.id) })),
    task.id,
  )
}

/** The agent whose session it is. Throws where its program is not there; undefined where it has no session to open. */
export async function findAgent(shift: Shift, earlier: EarlierSession): Promise<ReadyAgent | undefined> {
  const ready = (await shift.ports.agents()).find(({ agent }) => agent.name === earlier.agent)
  if (ready?.agent.open === undefined) return undefined
  if (ready.agent.fingerprint(ready.env) === null)
    throw new AppError(
      "agent.unavailable",
      `${earlier.agent} is not installed, and the session of the task is one of it`,
      { agent: earlier.agent },
      { remedy: { operation: "agent list", to: "see" } },
    )
  return ready
}

export async function openSession(shift: Shift, task: Task, ports: OpenPorts): Promise<OpenEnd> {
  const known = await findOpened(shift, task)
  // Asked before anything is taken away from anybody.
  if (known !== undefined) await findAgent(shift, known)
  const { team, worker: owner, options } = shift
  const { leaseSeconds } = options.settings
  using session = await holdOneSession(shift, task.id)
  const { deadToken } = session
  const taken = await takeForPerson(shift.ports.context, { ...team, id: task.id, owner, leaseSeconds, deadToken })
  session.note(taken.task.claimToken)
  if (deadToken !== null) await endLeftOver(shift, ports)
  await using hold = holdClaim(shift, taken.task)
  try {
    return await work(shift, hold, { taken, ports })
  } catch (error) {
    if (hold.lost.aborted) throw error
    if (shift.ending.stop.aborted) await keep(shift, hold).catch(() => undefined)
    else await giveBack(shift, hold, "it could not be opened").catch(() => undefined)
    throw error
  }
}

/** Ends what a dead `open` of the person left in the workspace, unless this is called from there. */
async function endLeftOver({ ports, options, team, worker }: Shift, { env }: OpenPorts): Promise<void> {
  if (workerMark({ home: options.home, ...team, worker }) in env) return
  await ports.endOrphans({ id: worker, machine: options.process.machine, pid: null, processStart: null })
}

interface Work {
  readonly taken: Taken
  readonly ports: OpenPorts
}

async function work(shift: Shift, hold: Hold, { taken, ports }: Work): Promise<OpenEnd> {
  const { task, from, before } = taken
  const attempt = { task: task.id, attempt: task.attempt }
  if (from !== null) {
    shift.ports.say(`Task ${task.id} is taken over from ${from}, which keeps its work and lets go`)
    await untilLetGo(shift, from, attempt)
  }
  const workspace = await takeWorkspace(shift, hold, true, { before })
  const earlier = await findOpened(shift, task)
  const opened = await makeOpened(shift, hold, { earlier, workspace: workspace.path, ports })
  const { agent, session } = opened
  shift.ports.say(describeOpened(task, opened))
  await ports.run(opened, hold.cut)
  if (hold.lost.aborted) throw new AppError("claim.lost", `task ${task.id} is no longer yours; its work is kept`)
  const delivered = await commit(shift, hold, workspace)
  shift.ports.say(`Kept: ${describeDelivery(delivered)}`)
  const answer = await ports.askNext()
  const next = answer ?? "keep"
  const isInterrupted = shift.ending.stop.aborted
  const told = { task: task.id, agent, session, next, isInterrupted }
  if (next === "give-back") {
    await giveBack(shift, hold, "given back after an open session")
    return { ...told, isDone: true, reason: null }
  }
  if (next === "keep") {
    await keep(shift, hold)
    const why = isInterrupted ? "a signal ended the session" : "there was no answer"
    return { ...told, isDone: true, reason: answer === null ? why : null }
  }
  const problem = await finish(shift, hold, { workspace, delivered, agent: agent ?? "a shell" })
  if (problem !== null) await giveBack(shift, hold, problem)
  return { ...told, isDone: problem === null, reason: problem }
}

async function keep({ ports, team, worker: owner }: Shift, { task: { id }, token }: Hold): Promise<void> {
  const reason = `${owner} keeps it; go on with: teamwork open ${id}`
  await updateTask.run(ports.context, { ...team, id, owner, token, status: "paused", reason })
}

async function giveBack({ ports, team, worker }: Shift, { task, token }: Hold, reason: string): Promise<void> {
  await releaseTask.run(ports.context, { ...team, id: task.id, owner: worker, token, reason: reason.slice(0, 2000) })
}

interface Finished {
  readonly workspace: Awaited<ReturnType<typeof takeWorkspace>>
  readonly delivered: Awaited<ReturnType<typeof commit>>
  readonly agent: string
}

/** Judges and delivers what was done, as a worker does; why not, where it does not pass. */
async function finish(shift: Shift, hold: Hold, { workspace, delivered, agent }: Finished): Promise<string | null> {
  const { ports, options, team, worker } = shift
  const { task, token } = hold
  const by = `${worker} with ${agent}`
  const result = { ...EMPTY_RESULT, reason: "done", error: "", durationMs: 0, answer: `Done by hand: ${by}.` } as const
  await noteEvidence(shift, hold, { result, delivered })
  const step = { ...team, task: task.id, attempt: task.attempt, worker }
  await noteStep(ports.context, { ...step, step: "gate" })
  const verdict = await ports.verify({
    ...{ ...team, taskId: task.id, owner: worker, token, folder: workspace.path, signal: hold.cut },
    nothingToDo: delivered.kept.length === 0 ? "done by hand" : undefined,
    notDelivered: delivered.notDelivered.map(({ message }) => message),
    answer: result.answer,
  })
  if (verdict.status === "failed") return `the gate failed: ${reasonOf(verdict)}`
  const handedIn = { verdict, folder: workspace.path, base: workspace.base, answer: result.answer, executor: agent }
  const examined = await validateTask(shift, hold, handedIn)
  if (examined !== null) return `QA sent it back: ${reasonOf(examined)}`
  const committed = { token, base: delivered.base, commit: delivered.head, place: options.place }
  await noteStep(ports.context, { ...step, step: "deliver" }, committed)
  await completeTask(shift, hold, describeDelivery(delivered))
  const { commit: judgedCommit, tree } = verdict
  const judged = { ...(judgedCommit && { commit: judgedCommit }), ...(tree && { tree }) }
  await deliver(shift, hold, {
    judged,
    result,
    closing: readClosingBlock(""),
    delivered,
    agent: by,
    nothingToDo: undefined,
  })
  return null
}

interface ToOpen {
  readonly earlier: EarlierSession | undefined
  readonly workspace: string
  readonly ports: OpenPorts
}

async function makeOpened(shift: Shift, { task, token }: Hold, { earlier, workspace, ports }: ToOpen): Promise<Opened> {
  const identity = await shift.ports.gitIdentity()
  const ready = earlier && (await findAgent(shift, earlier))
  if (earlier !== undefined && ready !== undefined) {
    const job = await makeOpenJob(shift, { task, ready, earlier, workspace, identity, token })
    const opened = ready.agent.open?.(job) ?? null
    if (opened !== null) {
      const { command, env } = opened
      return { command, env: { ...job.env, ...env }, workspace, agent: earlier.agent, session: earlier.session.id }
    }
  }
  const env = environmentOf(shift, { task, workspace, identity, base: ports.env })
  return { command: [ports.shell], env, workspace, agent: null, session: null }
}

function describeOpened(task: Task, { agent, session, workspace }: Opened): string {
  if (agent !== null) return `Task ${task.id}: ${agent} opens session ${session} in ${workspace}`
  return `Task ${task.id} has no agent session that can be opened; this is a shell in ${workspace}. Leave it with: exit`
}
