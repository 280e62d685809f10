import type { AgentResult, Session } from "../../agents/port.ts"
import { mayWrite, PHASE_TRANSITIONS, type Phase } from "../../kernel/phase.ts"
import { approvedPrompt, isPlanned, phasePrompt } from "../../prompts/views/phase-prompt.ts"
import { readPlan } from "../../requests/operations/approvals.ts"
import { advancePhase } from "../../requests/operations/phases.ts"
import { getTask } from "../../tasks/operations/get-task.ts"
import type { Task } from "../../tasks/task.ts"
import { isScripted } from "./agent-job.ts"
import type { ClaimHandle } from "./claim-handle.ts"
import { Setback } from "./setback.ts"

export interface Planning {
  /** The run writes nothing. */
  readonly ask: (prompt: string, session: Session | null) => Promise<AgentResult>
  readonly begin: (step: "planning" | "approval") => Promise<void>
}

export interface Planned {
  /** Of the agent that just made the plan. */
  readonly session: Session | null
  readonly prompt: string
}

/**
 * Takes a task through the phases before its execution and waits until its plan is approved. Phase and question are
 * in the store, so an interrupted worker loses nothing. Null for a task without a plan.
 */
export async function planTask(claim: ClaimHandle, planning: Planning): Promise<Planned | null> {
  let phase = await readPhase(claim)
  if (phase === null) return null
  let session: Session | null = null
  while (phase !== null && !mayWrite(phase)) {
    if (phase === "awaiting_approval") {
      await planning.begin("approval")
      phase = await waitForApproval(claim)
      continue
    }
    await planning.begin("planning")
    const made = await makeReport(claim, planning, phase, session)
    session = made.session
    phase = await advance(claim, phase, made.report)
  }
  const { plan, note } = await readPlan(claim.ports.context, { ...claim.team, task: claim.task.id })
  return { session, prompt: approvedPrompt({ plan, note }) }
}

/** Only in its last phase a planned task can be resolved. */
export async function completeTask(claim: ClaimHandle, report: string): Promise<void> {
  const phase = await readPhase(claim)
  if (phase === "execution") await advance(claim, phase, report)
}

async function readPhase({ ports, team, task }: ClaimHandle): Promise<Phase | null> {
  return (await getTask.run(ports.context, { ...team, id: task.id })).phase
}

async function advance({ ports, fence, task }: ClaimHandle, phase: Phase, report: string): Promise<Phase> {
  const [to] = PHASE_TRANSITIONS[phase]
  if (to === undefined) throw new Error(`nothing comes after ${phase}`)
  const moved = await advancePhase.run(ports.context, { ...fence, id: task.id, to, report })
  return moved.phase ?? to
}

const MAX_REPORT = 20_000

async function makeReport(
  { ports, team, task }: ClaimHandle,
  { ask }: Planning,
  phase: Phase,
  session: Session | null,
): Promise<{ readonly report: string; readonly session: Session | null }> {
  if (!isPlanned(phase)) throw new Error(`${phase} is not planned`)
  // The commands of a script are its plan.
  if (isScripted(task)) return { report: describeScript(task, phase), session: null }
  const plan = phase === "plan_design" ? await readPlan(ports.context, { ...team, task: task.id }) : null
  const result = await ask(phasePrompt(phase, plan?.rejection ?? null), session)
  const report = ports.mask(result.answer.trim()).slice(0, MAX_REPORT)
  return { report: report === "" ? "nothing to report" : report, session: result.session }
}

function describeScript({ title, acceptance, work }: Task, phase: Phase): string {
  if (phase === "requirement") return [title, ...acceptance.map((line) => `- ${line}`)].join("\n")
  if (phase === "plan_design") return `Run these commands:\n${work.commands.map((line) => `    ${line}`).join("\n")}`
  return "The commands of the plan do it; there is nothing to find out."
}

/** The store reports every change. */
const LOOK_AGAIN_MS = 60_000

async function waitForApproval(claim: ClaimHandle): Promise<Phase | null> {
  const { ports, task, cut } = claim
  ports.say(`Task ${task.id}: its plan waits for an approval; see: teamwork approvals`)
  await using watch = await ports.context.store.watch()
  for (;;) {
    const phase = await readPhase(claim)
    if (phase !== "awaiting_approval") return phase
    await watch.next(LOOK_AGAIN_MS, cut)
    if (cut.aborted) throw new Setback("interrupted", "the worker was stopped while its plan waited for an approval")
  }
}
