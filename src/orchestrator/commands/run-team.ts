import * as v from "valibot"
import { command, type Outcome, type Session } from "../../app/command.ts"
import { makeWatcher, watchTeam } from "../../app/live-screen.ts"
import { finishRun, HOW_TO_FINISH } from "../../app/wiring/complete-here.ts"
import { mirrorHere, writeHome } from "../../app/wiring/mirror-here.ts"
import { offerPart } from "../../app/wiring/offer-part.ts"
import { makeSelf, openOrchestrator } from "../../app/wiring/open-orchestrator.ts"
import { estimateTeam } from "../../app/wiring/past-here.ts"
import { planInput, plannedOutcome, planTeam } from "../../app/wiring/plan-team.ts"
import { type Preflight, preflightHere, showPreflight } from "../../app/wiring/preflight-here.ts"
import { assertNoFileName } from "../../app/wiring/propose-plan.ts"
import { trustHere } from "../../app/wiring/trust-here.ts"
import { runHere, sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { assertRoomForBranches } from "../../delivery/merge-queue/branch-room.ts"
import { assertTarget } from "../../git/integration.ts"
import { BUDGET_FORMS, type Budget, parseBudget, readBudget } from "../../kernel/budget.ts"
import { AppError } from "../../kernel/errors.ts"
import { describeTeam, type RunName, SCHEDULES, type TeamName } from "../../kernel/team.ts"
import { resolvePath } from "../../lib/paths.ts"
import { choice, described, describeField, flag, type InputOf, text } from "../../lib/schema.ts"
import { sleep } from "../../lib/sleep.ts"
import type { Estimate } from "../../planning/estimate.ts"
import { parseStaffing, problemWithSize, STAFFING_FORMS } from "../../planning/staffing.ts"
import { sayBudgetAhead, sayEstimate, sayRuns } from "../../planning/views/estimate-view.ts"
import { recordPreflight } from "../../quality/operations/record-preflight.ts"
import type { History } from "../../reporting/history.ts"
import type { Context } from "../../store/operation.ts"
import { teamFields } from "../../store/operation.ts"
import { calculateWaves } from "../../tasks/operations/wave-status.ts"
import { assertNotLed } from "../../teams/operations/lead-team.ts"
import { runChoice } from "../../teams/operations/place-for-plan.ts"
import { resumeAfterBudget, reviveTeam } from "../../teams/operations/steer-team.ts"
import { updateTeam } from "../../teams/operations/update-team.ts"
import { sayCompleted } from "../../teams/views/completion-view.ts"
import { ALL_DONE } from "../finish.ts"
import { type EngineSettings, limitsOf, type RunSettings, readRunSettings } from "../loop/engine-limits.ts"
import type { EngineEnd, OrchestratorOptions, Self } from "../loop/engine-ports.ts"
import { orchestrate } from "../loop/orchestrate.ts"
import { beginFollowing, type EngineFacts, readEngine } from "../operations/read-engine.ts"
import { assertWork, forgotten, neverRun, noTeam, tooMany, withoutPlan } from "../operations/run-refusals.ts"

const input = {
  ...teamFields,
  what: v.optional(
    described(planInput.what, `${describeField(planInput.what).description}; without it, the tasks that the team has`),
  ),
  plans: v.optional(text("a plan document, as earlier versions took it")),
  goal: planInput.goal,
  template: planInput.template,
  preset: planInput.preset,
  onOverlap: planInput.onOverlap,
  yes: flag("run what was planned for a goal, and the programs of this repository, without asking"),
  trust: flag("agree to the programs that this repository would start, without asking"),
  workers: v.optional(text(`how many workers: ${STAFFING_FORMS}; by default auto, or what the team ran with before`)),
  runtime: v.optional(choice(["child", "tmux"] as const, "where workers run; by default what engine.runtime says")),
  schedule: v.optional(
    choice(SCHEDULES, "waves with a gate between them, or each task as soon as its needs are merged"),
  ),
  target: v.optional(text("the branch that gets the work in the end; by default the one that is checked out")),
  budget: described(planInput.budget, `what the agents of this run may use up, planning included: ${BUDGET_FORMS}`),
  ...runChoice,
  resume: flag("resume the current run; fails when it was never started"),
  worktree: flag("does nothing, for older scripts: every worker has its own worktree"),
  partial: flag(
    "when failed tasks keep the run from its end, deliver what is finished without them, also in later runs",
  ),
  noDeliver: flag("leave the work on the integration branch, also in later runs"),
  noReview: flag("without the review by another agent program"),
  cascade: flag("with follow-up tasks for tests and reviews, also where the plan does not ask for them"),
  noCascade: flag("without follow-up tasks for tests and reviews"),
  sourceDir: sourceDirField,
}
type Input = InputOf<typeof input>

export const runTeam = command({
  summary: "Run the team on its tasks to a verified, merged and delivered end",
  fields: input,
  positional: ["what", "goal"],
  example: "teamwork run plan.yml --workers 3",
  async run(session, input) {
    const given = withPlans(input)
    await assertPlanFile(session, given)
    const asked = { project: given.project, team: given.team }
    const self = makeSelf()
    await trustHere(session, { folder: folderOf(session, given), isAgreed: given.trust ?? given.yes })
    if (given.what !== undefined || given.target !== undefined) await assertPlace(session, given)
    const context = await session.context()
    await assertNotLed(context, { ...asked, isGone: self.isGone })
    const preflight = makePreflight(session, given)
    if (given.what !== undefined) {
      // A planner costs money, so check the repository first.
      if (!(await isPlanFile(session, given.what))) await preflight(given.target)
      const ended = await planFirst(session, given, given.what)
      if (ended !== undefined) return ended
    }
    const settings = await (await session.configured()).engine()
    // Names this run, even if another begins meanwhile.
    const name = await runHere(session, asked)
    const following = beginFollowing()
    const { history } = following
    const facts = await readEngine(context, name, following).catch((error) => {
      throw error instanceof AppError && error.code === "team.not_found" ? noTeam(name, teamsIn(error)) : error
    })
    const run = chooseSettings(given, { settings, history, name })
    assertWork(name, facts)
    await assertPlace(session, { ...given, target: run.target ?? undefined })
    const limits = limitsOf(settings, run)
    const { schedule = facts.team.schedule } = given
    const ahead = await estimateTeam(session, { ...name, schedule, tasks: facts.tasks, limits })
    if (ahead.runs > 0 && !session.isJsonAsked)
      session.host.io.out(`${sayRuns(ahead)}; ${sayEstimate(ahead)}${sayBudgetAhead(ahead, limits.budget)}`)
    const baseline = await preflight(run.target ?? undefined)
    await recordPreflight(context, name, baseline)
    const end = await lead(session, { given, name, run, settings, self, facts }).catch((error) => {
      throw error instanceof AppError && error.code === "team.not_found" ? forgotten(name) : error
    })
    const outcome = await finish(session, { given, name, settings, estimate: ahead }, { ...end, preflight: baseline })
    if (settings.files) await writeHome(session, name)
    return outcome
  },
})

function folderOf({ host }: Session, { sourceDir }: Pick<Input, "sourceDir">): string {
  return resolvePath(sourceDir ?? ".", host.io.cwd)
}

function teamsIn({ details }: AppError): readonly string[] {
  return Array.isArray(details.teams) ? details.teams.map(String) : []
}

function makePreflight(session: Session, { project, team, sourceDir }: Input): (target?: string) => Promise<Preflight> {
  const folder = folderOf(session, { sourceDir })
  let done: Promise<Preflight> | undefined
  const judge = async (target?: string) => {
    const baseline = await preflightHere(session, { project, team, folder, target })
    showPreflight(session, baseline)
    return baseline
  }
  return (target) => (done ??= judge(target))
}

function isPlanFile(session: Session, what: string): Promise<boolean> {
  return Bun.file(resolvePath(what, session.host.io.cwd)).exists()
}

/** Reports a wrong file name before the tests of the base run. */
async function assertPlanFile(session: Session, { what, goal, template }: Input): Promise<void> {
  if (what === undefined || goal !== undefined || template !== undefined) return
  if (!(await isPlanFile(session, what))) assertNoFileName(what)
}

type Ending = Pick<Run, "given" | "name" | "settings"> & { readonly estimate: Estimate }

async function finish(
  session: Session,
  { given, name, settings, estimate }: Ending,
  end: EngineEnd & { readonly preflight: Preflight },
): Promise<Outcome> {
  const base = { data: { ...end, estimate }, exitCode: exitCodeFor(end), isDocument: true }
  if (end.outcome === "stuck" && settings.partialDelivery === "ask") {
    const offer = await offerPart(session, { name, sourceDir: given.sourceDir })
    const data = { ...base.data, partial: offer?.part ?? null }
    return { ...base, data, text: () => [sayEnd(name, end), ...(offer?.lines ?? [])].join("\n") }
  }
  if (end.outcome !== "done") return { ...base, text: () => sayEnd(name, end) }
  const request = { ...name, action: settings.completionAction, sourceDir: given.sourceDir }
  const completed = await finishRun(session, request)
  if (completed === undefined) {
    const hint = session.host.io.isTerminal ? `\n${HOW_TO_FINISH}` : ""
    return { ...base, text: () => `${sayEnd(name, end)}${hint}` }
  }
  return {
    ...base,
    data: { ...base.data, completion: { ...name, ...completed } },
    warnings: completed.warnings,
    text: () => `${sayEnd(name, end)}\n${sayCompleted(name, completed)}`,
  }
}

/** Before anything changes: a repository with a commit, and the target branch. */
async function assertPlace(session: Session, { project, team, target, sourceDir }: Input): Promise<void> {
  const folder = folderOf(session, { sourceDir })
  const { workspaces, merging } = await session.configured()
  const name = await runHere(session, { project, team })
  await workspaces({ sourceDir: folder, team: name })
  const { merges, targets } = await merging(folder)
  await targets.assertWritable()
  await assertRoomForBranches(merges, name)
  await assertTarget(merges, name, target)
}

function withPlans(given: Input): Input {
  if (given.what !== undefined && given.plans !== undefined)
    throw new AppError("usage", (say) => `name the plan once, as an argument or with ${say.field("plans")}`)
  const what = given.what ?? given.plans
  if (what === undefined && given.preset !== undefined) throw withoutPlan(given.preset)
  if (what === undefined && (given.add === true || given.new === true))
    throw new AppError(
      "usage",
      (say) => `${say.field(given.add === true ? "add" : "new")} is for a plan or a goal; name one`,
    )
  return { ...given, what }
}

/** Applies a plan file at once, and shows a new plan first. Returns the outcome when it was refused. */
async function planFirst(session: Session, given: Input, what: string): Promise<Outcome | undefined> {
  const { project, team, goal, template, preset, onOverlap, budget } = given
  const isFile = await isPlanFile(session, what)
  const more = { add: given.add, new: given.new, yes: given.yes === true || isFile }
  const request = { project, team, what, goal, template, preset, onOverlap, budget, ...more }
  const planned = await planTeam(session, request)
  return planned.applied === null ? plannedOutcome(planned, request) : undefined
}

/** Flags override the plan, and the plan overrides the last run. */
function chooseSettings(
  given: Input,
  {
    settings,
    history,
    name,
  }: { readonly settings: EngineSettings; readonly history: History; readonly name: TeamName },
): RunSettings {
  const before = readRunSettings(history.settings)
  if (given.resume === true && before === undefined) throw neverRun(name)
  const { planned } = history
  // A plan counts for its own run, and for the first one.
  const isPlanned = given.what !== undefined || before === undefined
  const workers = given.workers ?? (isPlanned ? planned?.workers : null) ?? undefined
  const staffing = workers === undefined ? (before?.staffing ?? AUTO) : parseWorkers(workers)
  const problem = problemWithSize(staffing, settings.maxAgents)
  if (problem !== undefined) throw tooMany(problem)
  return {
    staffing,
    runtime: given.runtime ?? before?.runtime ?? settings.runtime,
    target: given.target ?? before?.target ?? null,
    deliver: given.noDeliver === true ? false : (before?.deliver ?? true),
    review: given.noReview === true ? false : (before?.review ?? true),
    cascade: chooseCascade(given, (isPlanned ? planned?.followUps : null) ?? before?.cascade),
    partial: given.partial === true || before?.partial === true,
    ...budgetOf(given, isPlanned ? planned?.budget : null, before),
    template: planned?.template ?? null,
  }
}

function budgetOf(given: Input, planned: Budget | null | undefined, before: RunSettings | undefined) {
  const said = given.budget === undefined ? undefined : readBudget(parseBudget(given.budget))
  const budget = said ?? planned ?? before?.budget
  return budget === undefined ? {} : { budget }
}

/** Follow-ups cost agent runs, so the plan, its preset or template, or the call must ask for them. */
function chooseCascade({ cascade, noCascade }: Input, before = false): boolean {
  if (cascade === true && noCascade === true)
    throw new AppError("usage", (say) => `use ${say.field("cascade")} or ${say.field("noCascade")}, not both`)
  return cascade === true || (before && noCascade !== true)
}

const AUTO = { kind: "auto" } as const

function parseWorkers(text: string): RunSettings["staffing"] {
  const staffing = parseStaffing(text)
  if ("problem" in staffing) throw new AppError("usage", (say) => `${say.field("workers")} ${staffing.problem}`)
  return staffing
}

/** Revives a cancelled team, and gives a new one its waves. */
async function prepare(
  context: Context,
  name: TeamName,
  { facts, given }: { readonly facts: EngineFacts; readonly given: Pick<Input, "schedule" | "budget"> },
): Promise<void> {
  const { schedule, budget } = given
  await reviveTeam(context, name)
  if (budget !== undefined) await resumeAfterBudget(context, name)
  if (schedule !== undefined && schedule !== facts.team.schedule) await updateTeam.run(context, { ...name, schedule })
  if (facts.waves.totalWaves === 0) await calculateWaves.run(context, name)
}

interface Run {
  readonly given: Input
  readonly name: RunName
  readonly run: RunSettings
  readonly settings: EngineSettings
  readonly self: Self
  readonly facts: EngineFacts
}

async function lead(session: Session, asked: Run): Promise<EngineEnd> {
  const { given, name, run, settings, facts } = asked
  const { io } = session.host
  // At most 80 columns.
  const hint = "Ctrl+C stops the run, twice stops it now; resume with: teamwork run --resume"
  const view = { hint, steps: false }
  let watcher = makeWatcher(session, view)
  const folder = folderOf(session, given)
  const ports = await openOrchestrator(session, { ...asked, folder, say: (line) => watcher.say(line) })
  const { leaseMs, shutdownTimeoutMs, monitorIntervalMs } = settings
  const options: OrchestratorOptions = {
    ...name,
    limits: limitsOf(settings, run),
    settings: JSON.stringify(run),
    target: run.target ?? undefined,
    leaseMs,
    shutdownTimeoutMs,
    monitorIntervalMs,
    drain: io.interrupted,
    stop: io.interruptedAgain,
    prepare: () => prepare(ports.context, name, { facts, given }),
  }
  const ended = new AbortController()
  const ending = "stopping: workers finish what they can; Ctrl+C again stops them now"
  io.interrupted.addEventListener("abort", () => watcher.say(ending))
  const beside = [watchOn(), settings.files ? mirrorOn() : undefined]
  try {
    return await orchestrate(ports, options)
  } finally {
    ended.abort()
    await Promise.all(beside)
    await ports.runtime[Symbol.asyncDispose]()
  }

  /** A failing view does not disturb the run. */
  async function watchOn(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        await watchTeam(session, name, { ...view, watcher, untilOver: false, signal: ended.signal })
      } catch {
        await sleep(RETRY_VIEW_MS, ended.signal)
        watcher = makeWatcher(session, view)
      }
    }
  }

  /** Nor do failing writes. */
  async function mirrorOn(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        await mirrorHere(session, name, ended.signal)
      } catch (error) {
        if (error instanceof AppError && error.code.startsWith("export."))
          return watcher.say(`no files are written: ${error.message}`)
        await sleep(RETRY_VIEW_MS, ended.signal)
      }
    }
  }
}

const RETRY_VIEW_MS = 1000

function sayEnd(name: TeamName, { outcome, reason }: EngineEnd): string {
  const team = describeTeam(name)
  switch (outcome) {
    case "done":
      return `${team} is done${afterDone(reason)}; see: teamwork report`
    case "cancelled":
      return `${team} was cancelled; go on with: teamwork run`
    case "interrupted":
      return `${team} was interrupted; go on with: teamwork run --resume`
    case "lost":
      return `${team} is led by another teamwork run now; watch it with: teamwork watch`
    case "paused":
      return `${team} is paused (${reason}); see: teamwork escalations, then: teamwork run --resume`
    default:
      return `${team} is not done: ${reason}; see: teamwork report`
  }
}

function afterDone(reason: string): string {
  const isPlain = reason === ALL_DONE || reason.startsWith(`${ALL_DONE};`)
  return isPlain ? reason.slice(ALL_DONE.length) : `: ${reason}`
}

function exitCodeFor({ outcome }: EngineEnd): number {
  if (outcome === "done") return 0
  return outcome === "interrupted" ? 130 : 1
}
