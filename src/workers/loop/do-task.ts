import type { AgentResult } from "../../agents/port.ts"
import type { AsideResult, Workspace } from "../../git/port.ts"
import { type EnforcedScope, enforceOwnership } from "../../ownership/effects/enforce-ownership.ts"
import { excerptOf, explain } from "../../quality/failure-excerpt.ts"
import type { Verdict } from "../../quality/verdict.ts"
import { findFixed, isFixId } from "../../tasks/fix-task.ts"
import { getTask } from "../../tasks/operations/get-task.ts"
import { listTasks } from "../../tasks/operations/list-tasks.ts"
import { type Committed, noteGivenUp, noteStep } from "../../tasks/operations/note-run.ts"
import { setBack } from "../../tasks/operations/set-back.ts"
import { isPersonsClaim } from "../../tasks/persons-claim.ts"
import type { AfterSetback, SetbackKind } from "../../tasks/retry.ts"
import type { Task } from "../../tasks/task.ts"
import { chooseDoer, type Doer } from "./choose-doer.ts"
import { deliver, describeDelivery, nameFiles } from "./deliver-task.ts"
import { findEarlierSession } from "./find-session.ts"
import { closingOf, heedClosing } from "./heed-closing.ts"
import { type Hold, holdClaim, isLost } from "./hold-claim.ts"
import { noteEvidence } from "./note-evidence.ts"
import { noteFindings } from "./note-findings.ts"
import { completeTask, planTask } from "./plan-task.ts"
import { findHandedIn } from "./resume-qa.ts"
import { mayRunAgain, PLANNING_TURN, spentOn } from "./run-budget.ts"
import type { FixFacts } from "./script-variables.ts"
import { Setback, setbackOf } from "./setback.ts"
import type { Shift } from "./shift.ts"
import { makeTurns } from "./take-turns.ts"
import { takeWorkspace } from "./take-workspace.ts"
import { validateTask } from "./validate-task.ts"
import type { GateRequest } from "./worker-ports.ts"

export type TaskOutcome =
  | { readonly kind: "delivered" }
  | { readonly kind: "set-back"; readonly setback: SetbackKind; readonly next: AfterSetback }
  /** It is somebody else's now; nothing was written any more. */
  | { readonly kind: "lost" }

/** From the claim to the end of one worker's work on a task. */
export async function doTask(
  shift: Shift,
  { task, wasBegun }: { readonly task: Task; readonly wasBegun: boolean },
): Promise<TaskOutcome> {
  await using hold = holdClaim(shift, task)
  try {
    await bringToEnd(shift, hold, wasBegun)
    return { kind: "delivered" }
  } catch (error) {
    return await afterFailure(shift, hold, error)
  }
}

type Step = "workspace" | "planning" | "approval" | "agent" | "commit" | "gate" | "qa" | "repair" | "deliver"

async function bringToEnd(shift: Shift, hold: Hold, wasBegun: boolean): Promise<void> {
  const { ports, options } = shift
  const { task } = hold
  const begin = (step: Step, committed?: Committed) => beginStep(shift, hold, step, committed)
  await begin("workspace")
  const workspace = await takeWorkspace(shift, hold, wasBegun)
  const fix = await findFix(shift, task)
  const earlier = await findEarlierSession(shift, task, fix)
  const doer = await chooseDoer(shift, hold, earlier)
  const handedIn = await findHandedIn(shift, hold, workspace)
  const agent = handedIn?.agent ?? doer.ready.agent.name
  const identity = await ports.gitIdentity()
  const takeTurn = await makeTurns(shift, hold, { doer, workspace, fix, identity, earlier })
  const planned = await planTask(shift, hold, {
    begin,
    async ask(prompt, session) {
      const only = { prompt, isOver: false }
      const result = await takeTurn({ number: PLANNING_TURN, session, verdict: null, planning: only })
      // Whatever was written all the same does not become part of the work.
      await commit(shift, hold, workspace)
      await heedClosing(shift, hold, { closing: closingOf(shift, result), delivered: null, agent })
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
    if (known === undefined) await begin(number === 1 ? "agent" : "repair")
    const result = known ?? (await takeTurn({ number, session, verdict, planning, aside }))
    await begin("commit")
    const delivered = await commit(shift, hold, workspace)
    aside = delivered.aside
    await noteEvidence(shift, hold, { result, delivered })
    const closing = closingOf(shift, result)
    await noteFindings(shift, hold, { closing, answer: result.answer, commit: delivered.head, agent })
    await heedClosing(shift, hold, { closing, delivered, agent })
    await begin("gate")
    const saysNothing = delivered.kept.length === 0 && closing.outcome === "nothing-to-do"
    const nothingToDo = saysNothing ? closing.reason : undefined
    const failedTree = verdict?.tree ?? null
    const notDelivered = delivered.notDelivered.map(({ message }) => message)
    const answer = doer.prompt === null ? undefined : result.answer
    verdict = await judge(shift, hold, { workspace, nothingToDo, answer, notDelivered })
    session = result.session
    if (verdict.status === "failed") {
      ports.say(`Task ${task.id}: the gate failed: ${reasonOf(verdict)}`)
      const isSame = failedTree !== null && verdict.tree === failedTree
      const isLast = isSame || ++gateFailures > options.settings.repairTurns || !(await mayRunAgain(shift, task))
      if (isLast) throw gateFailed(verdict, { doer, isSame })
      continue
    }
    const { commit: judgedCommit, tree } = verdict
    if (task.qa !== null) await begin("qa")
    verdict = await validateTask(shift, hold, {
      ...{ verdict, folder: workspace.path, base: workspace.base, answer: result.answer, executor: agent },
    })
    if (verdict !== null) {
      if (!(await mayRunAgain(shift, task))) throw new Setback("qa", `QA sent it back: ${reasonOf(verdict)}`, { agent })
      continue
    }
    const { base, head } = delivered
    await begin("deliver", { token: hold.token, base, commit: head, place: options.place })
    await completeTask(shift, hold, describeDelivery(delivered))
    const judged = { ...(judgedCommit && { commit: judgedCommit }), ...(tree && { tree }) }
    return deliver(shift, hold, { judged, result, closing, delivered, agent, nothingToDo })
  }
}

/** Nothing is begun for a task that is lost, or by a worker that is to stop. */
async function beginStep({ ports, team, worker }: Shift, hold: Hold, step: Step, committed?: Committed): Promise<void> {
  const { task, lost, cut } = hold
  if (cut.aborted) throw new Setback("interrupted", lost.aborted ? "the claim was lost" : "the worker was stopped")
  hold.isOwnWork = step !== "agent" && step !== "repair"
  await noteStep(ports.context, { ...team, task: task.id, attempt: task.attempt, worker, step }, committed)
}

/** What is in scope, committed and pinned. */
export async function commit({ ports, team, worker }: Shift, hold: Hold, workspace: Workspace): Promise<EnforcedScope> {
  const { task, token } = hold
  const done = await enforceOwnership(ports.context, ports.scopes, {
    ...{ ...team, task: task.id, owner: worker, token },
    ...{ folder: workspace.path, base: workspace.base },
  })
  const { aside } = done
  if (aside !== null && aside.changes.length > 0)
    ports.say(
      `BOUNDARY: task ${task.id} changed files that are not its own (${nameFiles(aside.changes)}); they are kept as ${aside.ref}`,
    )
  // By what the worktree is for now: whoever hung here meanwhile was disowned, and must not replace what others delivered.
  const pins = await ports.workspaces.pin({ worker })
  // What is not pinned as the attempt's would not be merged as its work either.
  if (!pins.some(({ place }) => "task" in place && place.task === task.id && place.attempt === task.attempt))
    throw new Setback("workspace", `the worktree of ${worker} is no longer used for task ${task.id}`)
  return done
}

async function judge(
  { ports, team, worker }: Shift,
  hold: Hold,
  {
    workspace,
    ...more
  }: Pick<GateRequest, "nothingToDo" | "answer" | "notDelivered"> & { readonly workspace: Workspace },
): Promise<Verdict> {
  const { task, token, cut } = hold
  const claim = { ...team, taskId: task.id, owner: worker, token }
  const request = { ...claim, ...more, folder: workspace.path, signal: cut }
  try {
    return await ports.verify(request)
  } catch (error) {
    if (cut.aborted && !isLost(error))
      throw new Setback("interrupted", "the worker was stopped while its work was judged")
    throw error
  }
}

function gateFailed(verdict: Verdict, { doer, isSame }: { readonly doer: Doer; readonly isSame: boolean }): Setback {
  const again = isSame ? " once more, and its agent changed nothing" : ""
  const why = `the work does not pass its gate${again}: ${reasonOf(verdict)}`
  return new Setback("gate", why, { agent: doer.ready.agent.name, isRepeating: isSame })
}

/** One line, and below it the last lines of the check that failed. */
export function reasonOf(verdict: Verdict): string {
  const excerpt = excerptOf({ ...verdict, status: "failed" })
  return excerpt === undefined ? "see its verdict" : explain(excerpt)
}

async function findFix({ ports, team }: Shift, { id }: Task): Promise<FixFacts | undefined> {
  if (!isFixId(id)) return undefined
  const fixed = findFixed(id, await listTasks.run(ports.context, team))
  const pin = fixed && (await ports.pins.find({ task: fixed.id, attempt: fixed.attempt }, "head"))
  return fixed && pin && { of: fixed.id, head: pin.commit }
}

async function afterFailure(shift: Shift, hold: Hold, error: unknown): Promise<TaskOutcome> {
  if (hold.lost.aborted || isLost(error)) return giveUp(shift, hold)
  const setback = setbackOf(error)
  if (setback === undefined) throw error
  const { ports, team, worker, options } = shift
  await ports.workspaces.pin({ worker }).catch((problem) => {
    // A worktree that is broken stays as it is; whoever takes it next pins it, or says that it cannot be.
    ports.say(`Task ${hold.task.id}: not pinned: ${problem instanceof Error ? problem.message : problem}`)
  })
  if (setback.isNoted) {
    ports.say(`FAILED task #${hold.task.id}: ${setback.message} (${setback.kind}); it is paused`)
    return { kind: "set-back", setback: setback.kind, next: "pause" }
  }
  try {
    const { kind, agent, advice, message: reason } = setback
    const past = await spentOn(shift, hold.task)
    const spent = { ...past, isRepeating: setback.isRepeating || past.isRepeating }
    const { next } = await setBack(ports.context, {
      ...{ ...team, taskId: hold.task.id, owner: worker, token: hold.token, worker },
      ...{ kind, agent, reason, advice, limits: options.settings.retry, spent },
    })
    const becomes = { retry: "it goes back for another try", pause: "it is paused", fail: "it failed" }[next]
    ports.say(`${next === "retry" ? "Task" : "FAILED task"} #${hold.task.id}: ${reason} (${kind}); ${becomes}`)
    return { kind: "set-back", setback: kind, next }
  } catch (problem) {
    if (isLost(problem)) return giveUp(shift, hold)
    throw problem
  }
}

async function giveUp({ ports, team, worker, options }: Shift, { task, token }: Hold): Promise<TaskOutcome> {
  // Nobody has claimed it since, so what was done is kept for whoever goes on. A new holder pins what it finds itself.
  const now = await getTask.run(ports.context, { ...team, id: task.id }).catch(() => undefined)
  // A person who took it over waits for that instead.
  const isOpened = now?.claimedBy != null && isPersonsClaim(now.claimedBy)
  const isKept = now?.claimToken === task.claimToken || isOpened
  const pins = isKept ? await ports.workspaces.pin({ worker }).catch(() => []) : []
  const at = (kind: "base" | "head") =>
    pins.find(({ place, ...pin }) => pin.kind === kind && "task" in place && place.task === task.id)?.commit
  const [base, commit] = [at("base"), at("head")]
  const committed = base && commit ? { token, base, commit, place: options.place } : undefined
  const given = { ...team, task: task.id, attempt: task.attempt, worker }
  // Who leads the team waits for this, see `orchestrator/merged.ts`. A new claim says as much.
  if (isKept)
    await noteGivenUp(ports.context, given, committed).catch((error) => {
      if (!isLost(error)) throw error
    })
  ports.say(`Task ${task.id} is no longer ${worker}'s; nothing more is done for it`)
  await ports.workspaces.disown({ worker, attempt: { task: task.id, attempt: task.attempt } })
  return { kind: "lost" }
}
