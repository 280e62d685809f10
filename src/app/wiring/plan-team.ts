import * as v from "valibot"
import { BUDGET_FORMS, problemWithBudget } from "../../kernel/budget.ts"
import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import { resolvePath } from "../../lib/paths.ts"
import { choice, flag, type InputOf, text } from "../../lib/schema.ts"
import { quoteArgument } from "../../lib/text/quote-argument.ts"
import { oneLine } from "../../lib/text/table.ts"
import type { PlanFacts } from "../../planning/check-plan.ts"
import { type AppliedPlan, applyPlan, isSamePlan } from "../../planning/operations/apply-plan.ts"
import type { Plan } from "../../planning/plan.ts"
import { TEMPLATES } from "../../planning/plan-templates.ts"
import { editPlan } from "../../planning/planner/edit-plan.ts"
import { decompose } from "../../planning/planner/route-plan.ts"
import { keepPlan } from "../../planning/planner/write-plan.ts"
import { type Decomposition, renderPlan } from "../../planning/views/plan-view.ts"
import { planFields, teamFields } from "../../store/operation.ts"
import type { Task } from "../../tasks/task.ts"
import { assertOneChoice, checkPlace, runChoice } from "../../teams/operations/place-for-plan.ts"
import type { Outcome, Session } from "../command.ts"
import { closeRunHere } from "./close-run-here.ts"
import { readPast } from "./past-here.ts"
import { planFacts, readStandings } from "./plan-facts.ts"
import { type Proposal, propose } from "./propose-plan.ts"

const notEmpty = (value: string) => (value.trim() === "" ? "is empty" : undefined)

export const planInput = {
  ...teamFields,
  what: text(
    "a plan document, or the goal in words, or workers as 3:executor or a template with the goal behind it",
    notEmpty,
  ),
  goal: v.optional(text("the goal, where the first word says who works on it", notEmpty)),
  template: v.optional(choice(TEMPLATES, "plan for a team of known shape")),
  preset: v.optional(text("the kind of team, which says what the plan leaves out; see teamwork presets", notEmpty)),
  onOverlap: planFields.onOverlap,
  budget: v.optional(text(`what planning and the run may use up: ${BUDGET_FORMS}`, problemWithBudget)),
  explain: flag("show for each task why it gets its model and its agent"),
  yes: flag("apply the plan without asking"),
  dryRun: flag("only show the plan"),
  ...runChoice,
}
export type PlanInput = InputOf<typeof planInput>

export type Planned = {
  readonly shown: Decomposition
  readonly isShown: boolean
} & (
  | { readonly file: string; readonly applied: null }
  | { readonly file: string | null; readonly applied: AppliedPlan }
)

export async function planTeam(session: Session, given: PlanInput): Promise<Planned> {
  assertOneChoice(given)
  const facts = await planFacts(session, given)
  const isFile = await Bun.file(resolvePath(given.what, session.host.io.cwd)).exists()
  // Check a goal before an agent plans it. A file needs no agent, so check its plan below.
  const { begins } = isFile ? { begins: false } : await placeHere(session, given)
  const first = await propose(session, given, { facts, beginsRun: begins })
  // Showing a plan changes nothing, so check it only if it may be applied.
  if (isFile && (given.yes === true || canAsk(session))) await placeHere(session, given, first.plan)
  return decide(session, { given, facts, first })
}

function canAsk({ host, isJson }: Session): boolean {
  return host.io.canAsk && !isJson
}

async function placeHere(session: Session, { project, team, dryRun, ...asked }: PlanInput, plan?: Plan) {
  const { hasStore } = await session.configured()
  if (dryRun === true || !(await hasStore())) return { begins: true }
  const isSame = (tasks: readonly Task[]) => plan !== undefined && isSamePlan(plan, tasks)
  return checkPlace(await session.context(), { project, team }, { add: asked.add, new: asked.new, isSame })
}

interface Decision {
  readonly given: PlanInput
  readonly facts: PlanFacts
  readonly first: Proposal
}

async function decide(session: Session, { given, facts, first }: Decision): Promise<Planned> {
  const { io } = session.host
  const past = await readPast(session, given)
  const { agentDefaults, engine } = await session.configured()
  const { enableCascade } = await engine()
  for (let proposal = withBudget(first, given); ; ) {
    const shown = decompose(proposal.plan, proposal.notes, {
      ...facts,
      past,
      enableCascade,
      defaultModel: agentDefaults.tier,
      ...(await readStandings(session, proposal.plan)),
    })
    const apply = async () => applyHere(session, given, proposal)
    if (given.yes === true && given.dryRun !== true)
      return { shown, file: proposal.file, applied: await apply(), isShown: false }
    if (given.dryRun === true || !canAsk(session))
      return { shown, file: await keep(session, proposal), applied: null, isShown: false }
    io.out(renderPlan(shown, io, given))
    const [choices, more] =
      proposal.askAgain === undefined ? ["Y/n/e", ""] : ["Y/n/e/a", ", a to have it planned again"]
    const answer = (await io.ask(`\nProceed? [${choices}] `))?.trim().toLowerCase() ?? "n"
    if (["", "y", "yes"].includes(answer)) {
      return { shown, file: proposal.file, applied: await apply(), isShown: true }
    }
    if (["n", "no"].includes(answer)) {
      return { shown, file: await keep(session, proposal), applied: null, isShown: true }
    }
    if (answer === "e") proposal = await orAsItWas(session, proposal, () => edit(session, proposal, facts))
    else if (answer === "a" && proposal.askAgain !== undefined)
      proposal = withBudget(await orAsItWas(session, proposal, () => askAgain(session, proposal)), given)
    else io.err(`Warning: ${quoteInput(answer)} is none of them: y to apply, n to leave it, e to change it${more}`)
  }
}

/** The command line overrides the document. The budget is part of the plan, so that the editor shows it. */
function withBudget(proposal: Proposal, { budget }: PlanInput): Proposal {
  return budget === undefined ? proposal : { ...proposal, plan: { ...proposal.plan, budget } }
}

/** Reports the error and keeps the current plan, so that the user loses nothing. */
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

/** An edited plan no longer matches its document. */
async function edit({ host }: Session, proposal: Proposal, facts: PlanFacts): Promise<Proposal> {
  const editor = host.env.VISUAL || host.env.EDITOR || "vi"
  // By convention the variable holds a command line; pass the file as its argument.
  const edited = await editPlan(proposal.plan, facts, (file) =>
    host.io.interactive(["sh", "-c", `${editor} "$1"`, "sh", file]),
  )
  return edited === undefined ? proposal : { ...proposal, ...edited, file: null }
}

async function applyHere(session: Session, { project, team, onOverlap, ...asked }: PlanInput, proposal: Proposal) {
  const { agentDefaults } = await session.configured()
  const request = {
    project,
    team,
    plan: proposal.plan,
    onOverlap,
    defaultModel: agentDefaults.tier,
    add: asked.add,
    new: asked.new,
  }
  const applied = await applyPlan.run(await session.context(), request)
  await proposal.onApplied?.()
  if (applied.closed !== null)
    for (const line of await closeRunHere(session, { project, team, run: applied.closed })) session.host.io.err(line)
  return applied
}

/** Writes a plan without a document to one, so that it can be applied later. */
async function keep({ host, configured }: Session, { file, plan }: Proposal): Promise<string> {
  if (file !== null) return file
  const { home, project, team } = await configured()
  return keepPlan(home, `${project}-${team}-${host.ids.uuid().slice(0, 8)}`, plan)
}

export function plannedOutcome({ shown, isShown, ...end }: Planned, given: PlanInput): Outcome {
  const said = end.applied === null ? sayKept(end.file, given) : sayApplied(end.applied)
  return {
    data: { ...shown, ...end },
    text: (screen) => (isShown ? said : `${renderPlan(shown, screen, given)}\n\n${said}`),
  }
}

function sayKept(file: string, { onOverlap, preset, add, new: isNew }: PlanInput): string {
  const flags = [
    ...(add === true ? ["--add"] : []),
    ...(isNew === true ? ["--new"] : []),
    ...(onOverlap === undefined ? [] : ["--on-overlap", onOverlap]),
    ...(preset === undefined ? [] : ["--preset", quoteArgument(preset)]),
  ]
  const more = flags.map((word) => ` ${word}`).join("")
  return `Nothing was created; apply it with: teamwork plan ${quoteArgument(file)}${more} --yes`
}

function sayApplied({ team, created, updated, unchanged, others, totalWaves, closed }: AppliedPlan): string {
  const parts = [
    `${created.length} created`,
    ...(updated.length === 0 ? [] : [`${updated.length} changed`]),
    ...(unchanged.length === 0 ? [] : [`${unchanged.length} as before`]),
    ...(others.length === 0 ? [] : [`${others.length} not in the plan`]),
  ]
  const waves = `${totalWaves} ${totalWaves === 1 ? "wave" : "waves"}`
  const run = team.run === 1 ? "" : `, ${closed === null ? "" : "new "}run ${team.run}`
  return `Project ${team.project}/${team.team}${run}: tasks ${parts.join(", ")}; ${waves}`
}
