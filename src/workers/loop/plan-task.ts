import type { AgentResult, Session } from "../../agents/port.ts"
import { mayWrite, PHASE_TRANSITIONS, type Phase } from "../../kernel/phase.ts"
import { approvedPrompt, isPlanned, phasePrompt } from "../../prompts/views/phase-prompt.ts"
import { readPlan } from "../../requests/operations/approvals.ts"
import { advancePhase } from "../../requests/operations/phases.ts"
import { getTask } from "../../tasks/operations/get-task.ts"
import type { Task } from "../../tasks/task.ts"
import type { Hold } from "./hold-claim.ts"
import { isScripted } from "./script-variables.ts"
import { Setback } from "./setback.ts"
import type { Shift } from "./shift.ts"

export interface Planning {
  /** One run of the agent that answers and writes nothing. */
  readonly ask: (prompt: string, session: Session | null) => Promise<AgentResult>
  /** Told of each part: what is done now. */
  readonly begin: (step: "planning" | "approval") => Promise<void>
}

export interface Planned {
  /** In which the plan was made, where that was just now. */
  readonly session: Session | null
  /** What the agent is told before it begins. */
  readonly prompt: string
}

/**
 * Takes a task through the phases before its execution and waits until its plan is approved. Whoever is cut off here
 * loses nothing: phase and question are in the store, and the next one goes on from there. Null for a task that needs
 * no plan.
 */
export async function planTask(shift: Shift, hold: Hold, planning: Planning): Promise<Planned | null> {
  let phase = (await look(shift, hold)).phase
  if (phase === null) return null
  let session: Session | null = null
  while (phase !== null && !mayWrite(phase)) {
    if (phase === "awaiting_approval") {
      await planning.begin("approval")
      phase = await untilDecided(shift, hold)
      continue
    }
    await planning.begin("planning")
    const { report, session: next } = await reportOn(shift, hold, { phase, session, planning })
    session = next
    phase = await goOn(shift, hold, { phase, report })
  }
  const { plan, note } = await readPlan(shift.ports.context, { ...shift.team, task: hold.task.id })
  return { session, prompt: approvedPrompt({ plan, note }) }
}

/** The last of the phases: from here on the task can be resolved. */
export async function completeTask(shift: Shift, hold: Hold, report: string): Promise<void> {
  const { phase } = await look(shift, hold)
  if (phase === "execution") await goOn(shift, hold, { phase, report })
}

function look({ ports, team }: Shift, { task }: Hold): Promise<Task> {
  return getTask.run(ports.context, { ...team, id: task.id })
}

async function goOn(
  { ports, team, worker }: Shift,
  { task, token }: Hold,
  { phase, report }: { readonly phase: Phase; readonly report: string },
): Promise<Phase> {
  const [to] = PHASE_TRANSITIONS[phase]
  if (to === undefined) throw new Error(`nothing comes after ${phase}`)
  const moved = await advancePhase.run(ports.context, { ...team, id: task.id, to, report, owner: worker, token })
  return moved.phase ?? to
}

const MAX_REPORT = 20_000

async function reportOn(
  { ports, team }: Shift,
  { task }: Hold,
  { phase, session, planning }: { phase: Phase; session: Session | null; planning: Planning },
): Promise<{ report: string; session: Session | null }> {
  if (!isPlanned(phase)) throw new Error(`${phase} is not planned`)
  // What a script does is its plan.
  if (isScripted(task)) return { report: describeScript(task, phase), session: null }
  const { rejection } = phase === "plan_design" ? await readPlan(ports.context, { ...team, task: task.id }) : NO_PLAN
  const result = await planning.ask(phasePrompt(phase, rejection), session)
  const report = ports.mask(result.answer.trim()).slice(0, MAX_REPORT)
  return { report: report === "" ? "nothing to tell" : report, session: result.session }
}

const NO_PLAN = { rejection: null }

function describeScript({ title, acceptance, work }: Task, phase: Phase): string {
  if (phase === "requirement") return [title, ...acceptance.map((line) => `- ${line}`)].join("\n")
  if (phase === "plan_design") return `Run these commands:\n${work.commands.map((line) => `    ${line}`).join("\n")}`
  return "It is done by commands that its plan gives; nothing has to be found out."
}

/** However long that takes, and whatever restarts meanwhile; the claim is kept. */
async function untilDecided({ ports, team }: Shift, { task, cut }: Hold): Promise<Phase | null> {
  ports.say(`Task ${task.id}: its plan waits for an approval; see: teamwork approvals`)
  await using watch = await ports.context.store.watch()
  for (;;) {
    const { phase } = await getTask.run(ports.context, { ...team, id: task.id })
    if (phase !== "awaiting_approval") return phase
    await watch.next(WAIT_MS, cut)
    if (cut.aborted) throw new Setback("interrupted", "the worker was stopped while its plan waited for an approval")
  }
}

/** Told of every change by the store; looked at now and then all the same. */
const WAIT_MS = 60_000
