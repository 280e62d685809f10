import { SCRIPT } from "../../agents/programs.ts"
import { NO_BUDGET, parseBudget, readBudget } from "../../kernel/budget.ts"
import { cut, manyLines, oneLine, paint, type Screen, width } from "../../lib/text/table.ts"
import type { FollowUp } from "../../tasks/follow-up.ts"
import type { Complexity, Role } from "../../tasks/task.ts"
import type { Estimate } from "../estimate.ts"
import { sayBudgetFor, sayEstimate, sayRuns } from "./estimate-view.ts"

/** A plan, and who would do it now. */
export interface Decomposition {
  /** As typed. */
  readonly goal: string
  /** In the planner's words; null without a planner. */
  readonly understanding: string | null
  readonly capabilities: readonly string[]
  readonly preset: string | null
  readonly schedule: string
  readonly mode: string
  readonly protocol: string
  readonly qa: boolean
  readonly workers: string
  readonly template: string | null
  readonly totalWaves: number
  readonly roleSpecs: readonly PlannedRole[]
  readonly tasks: readonly RoutedTask[]
  /** Added after their tasks, unless those bring their own tests. */
  readonly followUps: readonly FollowUp[]
  readonly estimate: Estimate
  /** Null: the settings decide. */
  readonly budget: string | null
  /** Shared files that tasks name. */
  readonly shared: readonly { readonly file: string; readonly tasks: readonly string[] }[]
  /** Files of one task that others name. */
  readonly boundary: readonly { readonly file: string; readonly owner: string; readonly usedBy: readonly string[] }[]
  /** Added needs, and why. */
  readonly notes: readonly string[]
}

interface PlannedRole {
  readonly name: string
  readonly prefix: string
  readonly responsibility: string
  readonly capability: string
  readonly tasks: readonly string[]
}

export interface RoutedTask {
  readonly id: string
  readonly title: string
  readonly wave: number
  readonly role: Role
  readonly agentType: string
  readonly complexity: Complexity
  /** Null if no agent can take it now. */
  readonly agent: string | null
  readonly tier: string | null
  readonly model: string | null
  readonly effort: string | null
  /** Why this agent. */
  readonly because: string
  readonly why: readonly string[]
  readonly needs: readonly string[]
  readonly files: readonly string[]
  readonly checks: readonly string[]
  readonly acceptance: readonly string[]
}

/** `explain` adds the reasons for model and agent. */
export interface PlanStyle {
  readonly explain?: boolean
}

export function renderPlan(plan: Decomposition, screen: Screen, style: PlanStyle = {}): string {
  const { tasks, totalWaves } = plan
  const lines = [
    paint("TEAM DECOMPOSITION", "bold", screen.color),
    ...block("Goal", plan.goal),
    ...(plan.understanding === null ? [] : block("Taken as", plan.understanding)),
    `Team      ${sayTeam(plan)}`,
    `Tasks     ${tasks.length} in ${totalWaves} ${totalWaves === 1 ? "wave" : "waves"}`,
    `Runs      ${sayRuns(plan.estimate)}`,
    `Estimate  ${sayEstimate(plan.estimate)}`,
    ...(plan.budget === null
      ? []
      : [`Budget    ${sayBudgetFor(plan.estimate, readBudget(parseBudget(plan.budget)) ?? NO_BUDGET)}`]),
  ]
  lines.push(...section("Capabilities it needs", plan.capabilities, screen))
  lines.push(...section("Roles made for it", plan.roleSpecs.map(sayRole), screen))
  const indent = Math.min(20, Math.max(...tasks.map(({ id }) => width(id))) + 2)
  for (let wave = 1; wave <= totalWaves; wave++) {
    const some = tasks.filter((task) => task.wave === wave)
    lines.push(
      "",
      paint(`Wave ${wave}`, "bold", screen.color),
      ...some.flatMap((task) => renderTask(task, indent, style)),
    )
  }
  lines.push(...section("Added for work that brings no tests", plan.followUps.map(sayFollowUp), screen))
  lines.push(...section("Shared files", plan.shared.map(sayShared), screen))
  lines.push(...section("Boundary files", plan.boundary.map(sayBoundary), screen))
  lines.push(...section("Notes", plan.notes, screen))
  return lines.map((line) => cut(line, Math.max(40, screen.columns))).join("\n")
}

function block(name: string, text: string): string[] {
  const [first = "", ...more] = manyLines(text).split("\n")
  return [`${name.padEnd(10)}${first}`, ...more.filter((line) => line.trim() !== "").map((line) => `          ${line}`)]
}

function sayTeam({ preset, template, mode, schedule, workers, protocol, qa }: Decomposition): string {
  const named = [preset, template].filter((name) => name !== null).map(oneLine)
  const guards = [...(protocol === "none" ? [] : [`protocol ${protocol}`]), ...(qa ? ["QA"] : [])]
  return [...new Set(named), mode, `schedule ${schedule}`, `workers ${workers}`, ...guards].join(", ")
}

function sayRole({ name, prefix, responsibility, capability, tasks }: PlannedRole): string {
  return `${name} (${prefix}-, ${responsibility}): ${capability}; ${tasks.length === 0 ? "no task yet" : tasks.join(", ")}`
}

function renderTask(task: RoutedTask, indent: number, { explain = false }: PlanStyle): string[] {
  const id = `${task.id}  `.padEnd(indent)
  const space = " ".repeat(2 + indent)
  const parts = [
    ["route", sayRoute(task)],
    ["files", task.files.join(", ")],
    ["needs", task.needs.join(", ")],
    ["done", [...task.acceptance, ...task.checks.map((check) => `\`${check}\``)].join("; ")],
  ] as const
  const why = explain ? task.why.map((line, index) => [index === 0 ? "why" : "", line] as const) : []
  const told = [...parts.filter(([, value]) => value !== ""), ...why]
  return [`  ${id}${oneLine(task.title)}`, ...told.map(([name, value]) => `${space}${name.padEnd(7)}${oneLine(value)}`)]
}

function sayRoute({ role, agentType, agent, tier, model, effort }: RoutedTask): string {
  const who = agentType === role ? role : `${role} as ${agentType}`
  if (agent === SCRIPT) return `${who}, by the script agent`
  const brain = [tier, model === null || model === tier ? null : model].filter((part) => part !== null).join(" ")
  const by = agent === null ? "no agent can take it now" : `by ${agent}`
  return `${who}, ${by}, ${brain}${effort === null ? "" : `, effort ${effort}`}`
}

function sayFollowUp({ id, title, role, agentType, of }: FollowUp): string {
  return `${id}: ${title} (${role} as ${agentType}, after ${of})`
}

function sayShared({ file, tasks }: Decomposition["shared"][number]): string {
  return `${file}: named by ${tasks.join(", ")}`
}

function sayBoundary({ file, owner, usedBy }: Decomposition["boundary"][number]): string {
  return `${file}: owned by ${owner}, used by ${usedBy.join(", ")}`
}

/** Programs get all of them. */
const MOST_LISTED = 30

function section(title: string, entries: readonly string[], screen: Screen): string[] {
  if (entries.length === 0) return []
  const left = entries.length - MOST_LISTED
  const shown = entries.slice(0, MOST_LISTED).map((entry) => `  ${oneLine(entry)}`)
  return ["", paint(title, "bold", screen.color), ...shown, ...(left > 0 ? [`  and ${left} more`] : [])]
}
