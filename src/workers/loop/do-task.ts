// One task from its claim to its delivery. Each step is recorded before it begins, so that the next worker can
// continue.
import type { AgentResult } from "../../agents/port.ts"
import type { AsideResult, Workspace } from "../../git/port.ts"
import { type EnforcedScope, enforceOwnership } from "../../ownership/effects/enforce-ownership.ts"
import { excerptFailure, explain } from "../../quality/failure-excerpt.ts"
import type { Verdict } from "../../quality/verdict.ts"
import { findFixed, isFixId } from "../../tasks/fix-task.ts"
import { getTask } from "../../tasks/operations/get-task.ts"
import { listTasks } from "../../tasks/operations/list-tasks.ts"
import { type Committed, noteGivenUp, noteStep } from "../../tasks/operations/note-run.ts"
import { setBack } from "../../tasks/operations/set-back.ts"
import { isPersonsClaim } from "../../tasks/persons-claim.ts"
import type { AfterSetback, SetbackKind } from "../../tasks/retry.ts"
import type { Task } from "../../tasks/task.ts"
import type { FixFacts } from "./agent-job.ts"
import { assignAgent } from "./assign-agent.ts"
import { type ClaimHandle, holdClaim, isLost } from "./claim-handle.ts"
import { type Delivery, deliver, describeDelivery, nameFiles } from "./deliver-task.ts"
import { findEarlierSession, mayRunAgain, PLANNING_TURN, spentOn } from "./earlier-runs.ts"
import { completeTask, planTask } from "./plan-task.ts"
import { followClosing, readClosing, recordEvidence, recordFindings } from "./record-turn.ts"
import { makeTurns } from "./run-turn.ts"
import { Setback, setbackOf } from "./setback.ts"
import { takeWorkspace } from "./take-workspace.ts"
import { findHandedIn, validateTask } from "./validate-task.ts"
import type { GateRequest, WorkerRun } from "./worker-ports.ts"

export type TaskOutcome =
  | { readonly kind: "delivered" }
  | { readonly kind: "set-back"; readonly setback: SetbackKind; readonly next: AfterSetback }
  | { readonly kind: "lost" }

export async function doTask(
  run: WorkerRun,
  { task, wasBegun }: { readonly task: Task; readonly wasBegun: boolean },
): Promise<TaskOutcome> {
  await using claim = holdClaim(run, task)
  try {
    await finishTask(claim, wasBegun)
    return { kind: "delivered" }
  } catch (error) {
    return await afterFailure(claim, error)
  }
}

async function finishTask(claim: ClaimHandle, wasBegun: boolean): Promise<void> {
  const { ports, options, task } = claim
  await beginStep(claim, "workspace")
  const workspace = await takeWorkspace(claim, wasBegun)
  const fix = await findFix(claim)
  const earlier = await findEarlierSession(claim, task, fix)
  const assigned = await assignAgent(claim, earlier)
  const handedIn = await findHandedIn(claim, workspace)
  const agent = handedIn?.agent ?? assigned.ready.agent.name
  const identity = await ports.gitIdentity()
  const takeTurn = await makeTurns(claim, { assigned, workspace, fix, identity, earlier })
  const planned = await planTask(claim, {
    begin: (step) => beginStep(claim, step),
    async ask(prompt, session) {
      const planning = { prompt, isOver: false }
      const result = await takeTurn({ number: PLANNING_TURN, session, verdict: null, planning })
      // An agent that plans may write nothing: set its changes aside.
      await commit(claim, workspace)
      await followClosing(claim, { closing: readClosing(claim, result), delivered: null, agent })
      return result
    },
  })
  const planning = planned === null ? undefined : { prompt: planned.prompt, isOver: true }
  let session: AgentResult["session"] = planned?.session ?? null
  let verdict: Verdict | null = null
  let gateFailures = 0
  let aside: AsideResult["aside"] = null
  for (let number = 1; ; number++) {
    const known = number === 1 ? handedIn?.result : undefined
    if (known === undefined) await beginStep(claim, number === 1 ? "agent" : "repair")
    const result = known ?? (await takeTurn({ number, session, verdict, planning, aside }))
    await beginStep(claim, "commit")
    const delivered = await commit(claim, workspace)
    await recordEvidence(claim, { result, delivered })
    const closing = readClosing(claim, result)
    await recordFindings(claim, { closing, answer: result.answer, commit: delivered.head, agent })
    await followClosing(claim, { closing, delivered, agent })
    const saysNothing = delivered.kept.length === 0 && closing.outcome === "nothing-to-do"
    const nothingToDo = saysNothing ? closing.reason : undefined
    const answer = assigned.prompt === null ? undefined : result.answer
    const work = { workspace, delivered, result, closing, agent, nothingToDo, answer, executor: agent }
    const failed = await judgeAndDeliver(claim, work)
    if (failed === null) return
    if (failed.by === "gate") {
      ports.say(`Task ${task.id}: the gate failed: ${reasonOf(failed.verdict)}`)
      const isSame = failed.verdict.tree != null && failed.verdict.tree === verdict?.tree
      const isLast = isSame || ++gateFailures > options.settings.repairTurns || !(await mayRunAgain(claim, task))
      if (isLast) throw gateSetback(failed.verdict, assigned.ready.agent.name, isSame)
    } else if (!(await mayRunAgain(claim, task)))
      throw new Setback("qa", `QA sent it back: ${reasonOf(failed.verdict)}`, { agent })
    session = result.session
    verdict = failed.verdict
    aside = delivered.aside
  }
}

type Step = "workspace" | "planning" | "approval" | "agent" | "commit" | "gate" | "qa" | "repair" | "deliver"

/** Begins nothing when the claim is lost or the worker must stop. */
async function beginStep(claim: ClaimHandle, step: Step, committed?: Committed): Promise<void> {
  const { ports, team, worker, task, lost, cut } = claim
  if (cut.aborted) throw new Setback("interrupted", lost.aborted ? "the claim was lost" : "the worker was stopped")
  claim.isOwnWork = step !== "agent" && step !== "repair"
  await noteStep(ports.context, { ...team, task: task.id, attempt: task.attempt, worker, step }, committed)
}

/** Sets the rest aside. */
export async function commit(claim: ClaimHandle, workspace: Workspace): Promise<EnforcedScope> {
  const { ports, fence, worker, task } = claim
  const { path: folder, base } = workspace
  const done = await enforceOwnership(ports.context, ports.scopes, { ...fence, task: task.id, folder, base })
  const { aside } = done
  if (aside !== null && aside.changes.length > 0)
    ports.say(
      `BOUNDARY: task ${task.id} changed files that are not its own (${nameFiles(aside.changes)}); they are kept as ${aside.ref}`,
    )
  // Pins the current use of the worktree: a worker that hung here may have lost it, and must not replace newer work.
  const pins = await ports.workspaces.pin({ worker })
  // Only what is pinned for the attempt is merged.
  if (!pins.some(({ place }) => "task" in place && place.task === task.id && place.attempt === task.attempt))
    throw new Setback("workspace", `the worktree of ${worker} is no longer used for task ${task.id}`)
  return done
}

export interface Work extends Omit<Delivery, "judged">, Pick<GateRequest, "answer"> {
  readonly workspace: Workspace
  readonly delivered: EnforcedScope
  /** For QA. */
  readonly executor: string
}

/** Returns the failed verdict, or null when delivered. */
export async function judgeAndDeliver(
  claim: ClaimHandle,
  work: Work,
): Promise<{ readonly by: "gate" | "qa"; readonly verdict: Verdict } | null> {
  const { options, task, token } = claim
  const { workspace, delivered, result, executor } = work
  await beginStep(claim, "gate")
  const verdict = await runGate(claim, work)
  if (verdict.status === "failed") return { by: "gate", verdict }
  if (task.qa !== null) await beginStep(claim, "qa")
  const handIn = { verdict, folder: workspace.path, base: workspace.base, answer: result.answer, executor }
  const failed = await validateTask(claim, handIn)
  if (failed !== null) return { by: "qa", verdict: failed }
  const { base, head } = delivered
  await beginStep(claim, "deliver", { token, base, commit: head, place: options.place })
  await completeTask(claim, describeDelivery(delivered))
  const judged = { ...(verdict.commit && { commit: verdict.commit }), ...(verdict.tree && { tree: verdict.tree }) }
  await deliver(claim, { ...work, judged })
  return null
}

async function runGate({ ports, fence, task, cut }: ClaimHandle, work: Work): Promise<Verdict> {
  const { workspace, nothingToDo, answer, delivered } = work
  const notDelivered = delivered.notDelivered.map(({ message }) => message)
  const request = { ...fence, taskId: task.id, nothingToDo, answer, notDelivered, folder: workspace.path, signal: cut }
  try {
    return await ports.verify(request)
  } catch (error) {
    if (cut.aborted && !isLost(error)) throw new Setback("interrupted", "the worker was stopped while its gate ran")
    throw error
  }
}

function gateSetback(verdict: Verdict, agent: string, isRepeating: boolean): Setback {
  const again = isRepeating ? " once more, and its agent changed nothing" : ""
  const why = `the work does not pass its gate${again}: ${reasonOf(verdict)}`
  return new Setback("gate", why, { agent, isRepeating })
}

/** One line, followed by the last lines of the failed check. */
export function reasonOf(verdict: Verdict): string {
  const excerpt = excerptFailure({ ...verdict, status: "failed" })
  return excerpt === undefined ? "see its verdict" : explain(excerpt)
}

async function findFix({ ports, team, task: { id } }: ClaimHandle): Promise<FixFacts | undefined> {
  if (!isFixId(id)) return undefined
  const fixed = findFixed(id, await listTasks.run(ports.context, team))
  const pin = fixed && (await ports.pins.find({ task: fixed.id, attempt: fixed.attempt }, "head"))
  return fixed && pin && { of: fixed.id, head: pin.commit }
}

async function afterFailure(claim: ClaimHandle, error: unknown): Promise<TaskOutcome> {
  if (claim.lost.aborted || isLost(error)) return giveUp(claim)
  const setback = setbackOf(error)
  if (setback === undefined) throw error
  const { ports, fence, worker, options, task } = claim
  await ports.workspaces.pin({ worker }).catch((problem) => {
    // Leave a broken worktree alone: the next worker pins it, or reports that it cannot.
    ports.say(`Task ${task.id}: not pinned: ${problem instanceof Error ? problem.message : problem}`)
  })
  const { kind, agent, advice, message: reason } = setback
  if (setback.isRecorded) {
    ports.say(`FAILED task #${task.id}: ${reason} (${kind}); it is paused`)
    return { kind: "set-back", setback: kind, next: "pause" }
  }
  try {
    const past = await spentOn(claim, task)
    const spent = { ...past, isRepeating: setback.isRepeating || past.isRepeating }
    const how = { kind, agent, reason, advice, limits: options.settings.retry, spent }
    const { next } = await setBack(ports.context, { ...fence, taskId: task.id, worker, ...how })
    const becomes = { retry: "it goes back for another try", pause: "it is paused", fail: "it failed" }[next]
    ports.say(`${next === "retry" ? "Task" : "FAILED task"} #${task.id}: ${reason} (${kind}); ${becomes}`)
    return { kind: "set-back", setback: kind, next }
  } catch (problem) {
    if (isLost(problem)) return giveUp(claim)
    throw problem
  }
}

async function giveUp({ ports, team, worker, options, task, token }: ClaimHandle): Promise<TaskOutcome> {
  const attempt = { task: task.id, attempt: task.attempt }
  const now = await getTask.run(ports.context, { ...team, id: task.id }).catch(() => undefined)
  // Keep the work when there is no newer claim, or when a person took the task over and waits for it. Another worker
  // pins what it finds itself.
  const isOpened = now?.claimedBy != null && isPersonsClaim(now.claimedBy)
  if (now?.claimToken === token || isOpened) {
    const pins = await ports.workspaces.pin({ worker }).catch(() => [])
    const find = (kind: "base" | "head") =>
      pins.find(({ place, ...pin }) => pin.kind === kind && "task" in place && place.task === task.id)?.commit
    const [base, head] = [find("base"), find("head")]
    const committed = base && head ? { token, base, commit: head, place: options.place } : undefined
    // The orchestrator waits for this before it merges, see `orchestrator/merged.ts`.
    await noteGivenUp(ports.context, { ...team, ...attempt, worker }, committed).catch((error) => {
      if (!isLost(error)) throw error
    })
  }
  ports.say(`Task ${task.id} is no longer ${worker}'s; nothing more is done for it`)
  await ports.workspaces.disown({ worker, attempt })
  return { kind: "lost" }
}
