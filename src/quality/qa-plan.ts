import { AppError } from "../kernel/errors.ts"
import { classifyTask } from "../planning/complexity/classify-task.ts"
import { findWorkKind, type WorkKind } from "../planning/complexity/work-kind.ts"
import type { Role, Task } from "../tasks/task.ts"

/** One side of work that QA scores, and how much it counts; the weights of a plan add up to 100. */
export interface Dimension {
  readonly name: string
  readonly weight: number
}

/** How the work of one task is going to be checked. */
export interface QaPlan {
  readonly type: QaType
  readonly dimensions: readonly Dimension[]
  /** What is looked at, each in a line. */
  readonly checks: readonly string[]
}

export const QA_TYPES = ["code", "ui", "tests", "refactor", "documents", "audit", "design"] as const
export type QaType = (typeof QA_TYPES)[number]

interface Template {
  readonly weights: Readonly<Record<string, number>>
  readonly checks: readonly string[]
}

const TEMPLATES: Readonly<Record<QaType, Template>> = {
  code: {
    weights: { correctness: 40, completeness: 25, tests: 20, maintainability: 15 },
    checks: ["every changed line, against what the task asks for", "empty, large, wrong and unusual input"],
  },
  ui: {
    weights: { correctness: 30, completeness: 25, usability: 20, tests: 15, maintainability: 10 },
    checks: ["every changed line, against what the task asks for", "keyboard, small screens, empty and failed states"],
  },
  tests: {
    weights: { tests: 45, correctness: 25, completeness: 20, maintainability: 10 },
    checks: ["that each test fails without what it tests", "cases at the edges, and those that must be refused"],
  },
  refactor: {
    weights: { correctness: 45, maintainability: 30, tests: 25 },
    checks: ["that nothing behaves otherwise than before", "that nothing was left behind that is no longer used"],
  },
  documents: {
    weights: { correctness: 35, completeness: 30, clarity: 25, maintainability: 10 },
    checks: ["that each statement holds for the code as it is", "that commands and examples work as they are written"],
  },
  audit: {
    weights: { correctness: 35, completeness: 35, clarity: 30 },
    checks: [
      "that each finding is real, and where it is said to be",
      "that nothing of what was to be read is left out",
    ],
  },
  design: {
    weights: { correctness: 30, completeness: 30, clarity: 25, maintainability: 15 },
    checks: ["that it fits what is there already", "that each decision has its reason, and what was decided against"],
  },
}

/** What a score tells, for those who give one. */
export const DIMENSION_ASKS: Readonly<Record<string, string>> = {
  correctness: "does it do what was asked for, in every case",
  completeness: "is all of it there",
  tests: "would its tests tell if it broke",
  maintainability: "is it clear, and no more complicated than it has to be",
  usability: "can everybody use it, with what they have",
  clarity: "does a reader understand it at once",
}

/** `name=weight` each, from the configuration, for work of every type; none leaves it to the templates. */
export function planQa(task: Task, overrides: readonly string[]): QaPlan {
  const type = qaTypeOf(task)
  const { weights, checks } = TEMPLATES[type]
  const dimensions = Object.entries(weights).map(([name, weight]) => ({ name, weight }))
  return {
    type,
    dimensions: overrides.length === 0 ? dimensions : readDimensions(overrides),
    checks: [
      ...checks,
      ...task.acceptance.map((each) => `it holds: ${each}`),
      ...task.checks.map((line) => `it ends with 0: ${line}`),
    ],
  }
}

/** A role tells more than words do. */
const BY_ROLE: Partial<Record<Role, QaType>> = {
  ...{ docs: "documents", test: "tests", review: "audit", security: "audit", frontend: "ui" },
}
const BY_KIND: Partial<Record<WorkKind, QaType>> = {
  ...{ "security audit": "audit", review: "audit", architecture: "design" },
  ...{ refactor: "refactor", documents: "documents", ui: "ui" },
}

export function qaTypeOf({ role, title, description }: Pick<Task, "role" | "title" | "description">): QaType {
  const text = `${title}\n${description}`
  const kind = findWorkKind(text, classifyTask(text).domain, 0)
  return BY_ROLE[role] ?? (kind === undefined ? undefined : BY_KIND[kind]) ?? "code"
}

/** Throws when the weights do not add up to 100. */
export function readDimensions(overrides: readonly string[]): Dimension[] {
  const dimensions = overrides.map((text) => {
    const [name = "", weight] = text.split("=")
    return { name, weight: Number(weight) }
  })
  const sum = dimensions.reduce((total, { weight }) => total + weight, 0)
  const isTwice = new Set(dimensions.map(({ name }) => name)).size < dimensions.length
  if (sum === 100 && !isTwice) return dimensions
  const what = isTwice ? "name each dimension once" : `add up to 100, and not to ${sum}`
  const remedy = {
    operation: "config set",
    fields: { key: "qa.dimensions", value: "VALUE" },
    to: "mend it with",
  } as const
  throw new AppError("config.bad_value", `qa.dimensions must ${what}`, {}, { remedy })
}

/** The plan as whoever approves it reads it. */
export function describeQaPlan({ type, dimensions, checks }: QaPlan): string {
  return [
    `As ${type}: ${dimensions.map(({ name, weight }) => `${name} ${weight} %`).join(", ")}.`,
    ...checks.map((check) => `- ${check}`),
  ].join("\n")
}
