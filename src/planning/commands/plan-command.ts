import type { Command, Outcome, Session } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import { choice, flag, type InputOf, optional, text } from "../../lib/fields.ts"
import { quoteArgument } from "../../lib/text/quote-argument.ts"
import { oneLine } from "../../lib/text/table.ts"
import { planFields, teamFields } from "../../store/operation.ts"
import type { PlanFacts } from "../check-plan.ts"
import { type AppliedPlan, applyPlan } from "../operations/apply-plan.ts"
import { TEMPLATES } from "../plan-templates.ts"
import { decompose } from "../planner/route-plan.ts"
import { type Decomposition, renderPlan } from "../views/plan-view.ts"
import { planFacts, readStandings } from "./plan-here.ts"
import { type Proposal, propose } from "./plan-sources.ts"

const notEmpty = (value: string) => (value.trim() === "" ? "is empty" : undefined)

export const planInput = {
  ...teamFields,
  what: text("a plan document, or the goal in words, or workers as 3:executor with the goal behind it", notEmpty),
  goal: optional(text("the goal, where the first word says who works on it", notEmpty)),
  template: optional(choice(TEMPLATES, "plan for a team of known shape")),
  preset: optional(text("the kind of team, which says what the plan leaves out; see teamwork presets", notEmpty)),
  onOverlap: planFields.onOverlap,
  yes: flag("apply the plan without asking"),
  dryRun: flag("only show the plan"),
}
export type PlanInput = InputOf<typeof planInput>

export const planCommand: Command = {
  summary: "Make a team and its tasks of a plan or a goal: show it, let it be changed, and apply it",
  fields: planInput,
  positional: ["what", "goal"],
  example: "teamwork plan plan.yml",
  async run(session, raw) {
    const given = raw as PlanInput
    const facts = await planFacts(session, given)
    return decide(session, { given, facts, first: await propose(session, given, facts) })
  },
}

interface Decision {
  readonly given: PlanInput
  readonly facts: PlanFacts
  readonly first: Proposal
}

async function decide(session: Session, { given, facts, first }: Decision): Promise<Outcome> {
  const { io } = session.host
  const canAsk = io.canAsk && !session.isJson
  for (let proposal = first; ; ) {
    const shown = decompose(proposal.plan, proposal.notes, {
      ...facts,
      ...(await readStandings(session, proposal.plan)),
    })
    const apply = async () => applyHere(session, given, proposal)
    if (given.yes === true && given.dryRun !== true)
      return outcome(shown, { file: proposal.file, applied: await apply() }, given)
    if (given.dryRun === true || !canAsk)
      return outcome(shown, { file: await keep(session, proposal), applied: null }, given)
    io.out(renderPlan(shown, io))
    const [choices, more] =
      proposal.askAgain === undefined ? ["Y/n/e", ""] : ["Y/n/e/a", ", a to have it planned again"]
    const answer = (await io.ask(`\nProceed? [${choices}] `))?.trim().toLowerCase() ?? "n"
    if (["", "y", "yes"].includes(answer)) {
      const applied = await apply()
      return { data: { ...shown, applied, file: proposal.file }, text: () => sayApplied(applied) }
    }
    if (["n", "no"].includes(answer)) {
      const file = await keep(session, proposal)
      return { data: { ...shown, applied: null, file }, text: () => sayKept(file, given) }
    }
    if (answer === "e") proposal = await orAsItWas(session, proposal, () => edit(session, proposal, facts))
    else if (answer === "a" && proposal.askAgain !== undefined)
      proposal = await orAsItWas(session, proposal, () => askAgain(session, proposal))
    else io.err(`Warning: ${quoteInput(answer)} is none of them: y to apply, n to leave it, e to change it${more}`)
  }
}

/** Somebody sits there and has a plan: what goes wrong with the next one is told, and this one stays. */
async function orAsItWas({ host }: Session, proposal: Proposal, change: () => Promise<Proposal>): Promise<Proposal> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { lines } = error.details
    for (const line of [...(Array.isArray(lines) ? lines : []), `Warning: ${error.message}`])
      host.io.err(oneLine(String(line)))
    return proposal
  }
}

async function askAgain({ host }: Session, proposal: Proposal): Promise<Proposal> {
  const remark = (await host.io.ask("What should be different? "))?.trim() ?? ""
  return remark === "" || proposal.askAgain === undefined ? proposal : proposal.askAgain(remark)
}

/** An edited plan is another than the one in the document. */
async function edit({ host }: Session, proposal: Proposal, facts: PlanFacts): Promise<Proposal> {
  const editor = host.env.VISUAL || host.env.EDITOR || "vi"
  const { editPlan } = await import("../planner/edit-plan.ts")
  // The variable holds a command line, by custom; the file is an argument of its own.
  const edited = await editPlan(proposal.plan, facts, (file) =>
    host.io.interactive(["sh", "-c", `${editor} "$1"`, "sh", file]),
  )
  return edited === undefined ? proposal : { ...proposal, ...edited, file: null }
}

async function applyHere(session: Session, { project, team, onOverlap }: PlanInput, proposal: Proposal) {
  const applied = await applyPlan.run(await session.context(), { project, team, plan: proposal.plan, onOverlap })
  await proposal.onApplied?.()
  return applied
}

/** The document that holds it; a plan that is in none is written to one, so that it can be applied later. */
async function keep({ host, configured }: Session, { file, plan }: Proposal): Promise<string> {
  if (file !== null) return file
  const { keepPlan } = await import("../planner/keep-plan.ts")
  const { home, project, team } = await configured()
  return keepPlan(home, `${project}-${team}-${host.ids.uuid().slice(0, 8)}`, plan)
}

type End =
  | { readonly file: string; readonly applied: null }
  | { readonly file: string | null; readonly applied: AppliedPlan }

function outcome(shown: Decomposition, end: End, given: PlanInput): Outcome {
  return {
    data: { ...shown, ...end },
    text: (screen) =>
      `${renderPlan(shown, screen)}\n\n${end.applied === null ? sayKept(end.file, given) : sayApplied(end.applied)}`,
  }
}

function sayKept(file: string, { onOverlap, preset }: PlanInput): string {
  const flags = [
    ...(onOverlap === undefined ? [] : ["--on-overlap", onOverlap]),
    ...(preset === undefined ? [] : ["--preset", quoteArgument(preset)]),
  ]
  const more = flags.map((word) => ` ${word}`).join("")
  return `Nothing was created; apply it with: teamwork plan ${quoteArgument(file)}${more} --yes`
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
