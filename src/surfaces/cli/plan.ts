import type { CheckedPlan, PlanFacts } from "../../domain/check-plan.ts"
import { AppError } from "../../domain/errors.ts"
import { quoteInput } from "../../domain/ids.ts"
import type { Plan } from "../../domain/plan.ts"
import { decompose } from "../../engine/planner/route-plan.ts"
import { surveyAgents } from "../../engine/survey-agents.ts"
import { flag, type InputOf, optional, text } from "../../lib/fields.ts"
import { quoteArgument } from "../../lib/quote-argument.ts"
import { type AppliedPlan, applyPlan } from "../../operations/apply-plan.ts"
import { planFields, teamFields } from "../../operations/operation.ts"
import { type Decomposition, renderPlan } from "../../views/plan.ts"
import { readSurvey } from "./choose-here.ts"
import type { Command, Outcome, Session } from "./command.ts"
import { findPlanFile, planFacts } from "./plan-here.ts"

const notEmpty = (value: string) => (value.trim() === "" ? "is empty" : undefined)

const input = {
  ...teamFields,
  what: text("a plan document (YAML, JSON or Markdown)", notEmpty),
  onOverlap: planFields.onOverlap,
  yes: flag("apply the plan without asking"),
  dryRun: flag("only show the plan"),
}
type Input = InputOf<typeof input>

/** A plan that somebody has yet to agree to. */
interface Proposal extends Omit<CheckedPlan, "problems"> {
  /** A document holds it, so that it can be applied later; null while there is none. */
  readonly file: string | null
}

export const planCommand: Command = {
  summary: "Make a team and its tasks of a plan: show it, let it be changed, and apply it",
  fields: input,
  positional: ["what"],
  example: "teamwork plan plan.yml",
  async run(session, raw) {
    const given = raw as Input
    const facts = await planFacts(session, given.onOverlap)
    const proposal = await propose(session, given, facts)
    return decide(session, { given, facts, proposal })
  },
}

async function propose(session: Session, { what }: Input, facts: PlanFacts): Promise<Proposal> {
  const loaded = await findPlanFile(session, what, async () => facts)
  if (loaded !== undefined) return { ...loaded, file: what }
  throw new AppError("plan.not_found", `there is no file ${quoteInput(what)}`, { file: what })
}

interface Decision {
  readonly given: Input
  readonly facts: PlanFacts
  readonly proposal: Proposal
}

async function decide(session: Session, decision: Decision): Promise<Outcome> {
  const { given, facts } = decision
  const { io } = session.host
  const canAsk = io.canAsk && !session.isJson
  for (let { proposal } = decision; ; ) {
    const shown = await showPlan(session, proposal, facts)
    if (given.dryRun === true) return outcome(shown, null, [])
    if (given.yes === true) return outcome(shown, await apply(session, given, proposal.plan), [])
    if (!canAsk) return outcome(shown, null, [hint(proposal)])
    io.out(renderPlan(shown, { columns: io.columns, color: io.color }))
    const answer = (await io.ask("\nProceed? [Y/n/e] "))?.trim().toLowerCase()
    if (answer === "" || answer === "y" || answer === "yes") {
      const applied = await apply(session, given, proposal.plan)
      return { data: { ...shown, applied }, text: () => sayApplied(applied) }
    }
    if (answer === "e") proposal = await edit(session, proposal, facts)
    else if (answer === "n" || answer === "no" || answer === undefined)
      return { data: { ...shown, applied: null }, text: () => "Nothing was created" }
    else io.err(`Warning: ${quoteInput(answer)} is none of the answers: y to apply, n to leave it, e to change it`)
  }
}

async function showPlan(session: Session, { plan, notes }: Proposal, facts: PlanFacts): Promise<Decomposition> {
  const isNeeded = plan.tasks.some(({ run }) => run.length === 0)
  const { warnings: _, ...survey } = await readSurvey(session)
  const ready = survey.ready.filter(({ agent }) => agent.name !== "script")
  // Whoever only runs scripts waits for no agent to tell its version.
  const standings = isNeeded ? await surveyAgents({ ...survey, ready }) : []
  return decompose(plan, notes, { ...facts, standings, now: survey.rateLimits.now })
}

async function edit(session: Session, proposal: Proposal, facts: PlanFacts): Promise<Proposal> {
  const { host } = session
  const editor = host.env.VISUAL || host.env.EDITOR || "vi"
  const { editPlan } = await import("../../engine/planner/edit-plan.ts")
  // The variable holds a command line, by custom; the file is an argument of its own.
  const edited = await editPlan(proposal.plan, facts, (file) =>
    host.io.interactive(["sh", "-c", `${editor} "$1"`, "sh", file]),
  )
  return edited === undefined ? proposal : { ...edited, file: null }
}

async function apply(session: Session, { project, team, onOverlap }: Input, plan: Plan): Promise<AppliedPlan> {
  return applyPlan.run(await session.context(), { project, team, plan, onOverlap })
}

function outcome(shown: Decomposition, applied: AppliedPlan | null, more: readonly string[]): Outcome {
  return {
    data: { ...shown, applied },
    text: (screen) =>
      [renderPlan(shown, screen), "", ...more, ...(applied === null ? [] : [sayApplied(applied)])].join("\n").trimEnd(),
  }
}

function hint({ file }: Proposal): string {
  return `Nothing was created yet; apply it with: teamwork plan ${quoteArgument(file ?? "")} --yes`
}

function sayApplied({ team, created, updated, unchanged, others, totalWaves }: AppliedPlan): string {
  const parts = [
    `${created.length} created`,
    ...(updated.length === 0 ? [] : [`${updated.length} changed`]),
    ...(unchanged.length === 0 ? [] : [`${unchanged.length} as before`]),
    ...(others.length === 0 ? [] : [`${others.length} not in the plan`]),
  ]
  const waves = `${totalWaves} ${totalWaves === 1 ? "wave" : "waves"}`
  return `Project ${team.project}/${team.team}: tasks ${parts.join(", ")}; ${waves}`
}
