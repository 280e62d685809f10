import { AppError } from "../../kernel/errors.ts"
import { type CheckedPlan, checkPlan, type PlanFacts } from "../check-plan.ts"
import { type Plan, type PlanPath, type PlanProblem, sayPath } from "../plan.ts"
import { fillPlan, getPreset } from "../presets.ts"
import { readPlan } from "../read-plan.ts"
import type { PlanDocument, Position } from "./document-reader.ts"
import { readMarkdown } from "./markdown-document.ts"
import { readYaml } from "./yaml-document.ts"

export interface PlacedProblem extends Position {
  /** `tasks[2].needs`; empty for the plan. */
  readonly field: string
  readonly message: string
}

export interface PlanText {
  /** The ending decides the format. */
  readonly name: string
  readonly text: string
}

/** Throws `plan.invalid` with all problems. */
export async function loadPlan(source: PlanText, facts: PlanFacts): Promise<Omit<CheckedPlan, "problems">> {
  const { name, text } = source
  const document = /\.(?:md|markdown)$/i.test(name) ? readMarkdown(text) : readYaml(text)
  if (document.faults.length > 0) {
    const faults = document.faults.map((fault) => ({ ...fault, field: "" }))
    throw invalidPlan(source.name, faults)
  }
  const { plan, problems, notes } = examinePlan(document.value, facts)
  if (problems.length > 0) throw invalidPlan(source.name, placed(problems, document))
  return { plan, notes }
}

export function examinePlan(value: unknown, facts: PlanFacts): CheckedPlan {
  const { plan: said, problems, knowsTasks } = readPlan(value)
  const { plan, problem } = withPreset(said, facts)
  const shape = problem === undefined ? problems : [...problems, problem]
  if (!knowsTasks) return { plan, problems: shape, notes: [] }
  const wrong = new Set(shape.flatMap(({ path }) => [path.slice(0, 2).join(), path.slice(0, 3).join()]))
  const checked = checkPlan(plan, facts)
  const more = checked.problems.filter(({ path }) => {
    // A wrong field makes others look wrong, but not ids and needs.
    const depth = STAND_ALONE.has(path[2]) ? 3 : 2
    return !wrong.has(path.slice(0, depth).join())
  })
  return { ...checked, problems: [...shape, ...more] }
}

const STAND_ALONE: ReadonlySet<unknown> = new Set(["id", "needs"])

function withPreset(plan: Plan, facts: PlanFacts): { readonly plan: Plan; readonly problem?: PlanProblem } {
  const name = facts.preset ?? plan.preset
  if (name === undefined) return { plan }
  try {
    return { plan: fillPlan(plan, getPreset(facts.presets, name), facts.roles) }
  } catch (error) {
    if (error instanceof AppError) return { plan, problem: { path: ["preset"], message: error.message } }
    throw error
  }
}

function placed(problems: readonly PlanProblem[], { placeOf }: PlanDocument): PlacedProblem[] {
  const found = problems.map(({ path, message }) => ({ ...placeOf(path), field: sayPath(withoutItem(path)), message }))
  return found.sort((a, b) => a.line - b.line || a.column - b.column)
}

/** The position shows the item of a list. */
function withoutItem(path: PlanPath): PlanPath {
  return path.length > 3 ? path.slice(0, 3) : path
}

function invalidPlan(name: string, problems: readonly PlacedProblem[]): AppError {
  const lines = problems.map((problem) => sayProblem(name, problem))
  const [first = ""] = lines
  const message = lines.length === 1 ? first : `${name} has ${lines.length} problems; nothing was changed`
  return new AppError("plan.invalid", message, { file: name, problems, lines: lines.length === 1 ? [] : lines })
}

function sayProblem(name: string, { line, column, field, message }: PlacedProblem): string {
  return `${name}:${line}:${column}: ${field === "" ? "" : `${field}: `}${message}`
}
