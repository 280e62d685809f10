import * as v from "valibot"
import { AppError } from "../kernel/errors.ts"
import { validItems } from "../lib/schema.ts"
import { classifyTask } from "../planning/complexity/classify-task.ts"
import { findWorkKind, type WorkKind } from "../planning/complexity/work-kind.ts"
import { type WorkType, workTypeOf } from "../planning/complexity/work-type.ts"
import type { Responsibility } from "../planning/roles/roles.ts"
import { GENERIC_ROLE, type Task } from "../tasks/task.ts"

export const QA_TYPES = ["code", "ui", "tests", "refactor", "documents", "research", "audit", "design"] as const
export type QaType = (typeof QA_TYPES)[number]

/** The weights of a plan add up to 100. */
export const Dimension = v.object({ name: v.string(), weight: v.number() })
export type Dimension = Readonly<v.InferOutput<typeof Dimension>>

export const QaPlan = v.object({
  type: v.fallback(v.picklist(QA_TYPES), "code"),
  dimensions: validItems(Dimension),
  checks: validItems(v.string()),
})
export type QaPlan = Readonly<v.InferOutput<typeof QaPlan>>

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
  research: {
    weights: { correctness: 35, completeness: 25, evidence: 25, clarity: 15 },
    checks: [
      "that each statement is true, and names the file, command or document that it was seen in",
      "that the question is answered, and that it says what stays open",
    ],
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

export const DIMENSION_ASKS: Readonly<Record<string, string>> = {
  correctness: "does it do what was asked for, in every case",
  completeness: "is all of it there",
  tests: "would its tests tell if it broke",
  maintainability: "is it clear, and no more complicated than it has to be",
  usability: "can everybody use it, with what they have",
  evidence: "can others check each statement by what it names as its source",
  clarity: "does a reader understand it at once",
}

/** `overrides` from the configuration, each `name=weight`, replace the dimensions of the template. */
export function planQa(task: Task, overrides: readonly string[], responsibility?: Responsibility): QaPlan {
  const type = qaTypeOf(task, responsibility)
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

/** Role and agent type say more than the words of a task. */
const BY_NAME: Readonly<Partial<Record<string, QaType>>> = {
  docs: "documents",
  test: "tests",
  "test-engineer": "tests",
  frontend: "ui",
  designer: "design",
  explorer: "research",
  architect: "research",
  review: "audit",
  security: "audit",
  "style-reviewer": "audit",
  "quality-reviewer": "audit",
  "security-reviewer": "audit",
  "performance-reviewer": "audit",
  "code-reviewer": "audit",
}
const BY_RESPONSIBILITY: Readonly<Partial<Record<Responsibility, QaType>>> = {
  review: "audit",
  exploration: "research",
  analysis: "research",
  synthesis: "documents",
}
const BY_KIND: Partial<Record<WorkKind, QaType>> = {
  "security audit": "audit",
  review: "audit",
  architecture: "design",
  refactor: "refactor",
  documents: "documents",
  ui: "ui",
}
const BY_WORK: Partial<Record<WorkType, QaType>> = { document: "documents", research: "research", design: "design" }
/** Research plus a change is judged by the change. */
const ALSO_CHANGES = /\b(?:and|then)\s+(?:fix|implement|add|change|update|remove|repair|refactor|migrate)\b/i

type Described = Pick<Task, "role" | "title" | "description" | "files"> & { readonly agentType?: string | null }

/** Decides by agent type, responsibility of a generated role, role, words and files. */
export function qaTypeOf(task: Described, responsibility?: Responsibility): QaType {
  const { role, agentType, title, description } = task
  const made = responsibility === undefined ? undefined : BY_RESPONSIBILITY[responsibility]
  const named = BY_NAME[agentType ?? ""] ?? made ?? BY_NAME[role]
  if (named !== undefined) return named
  const text = `${title}\n${description}`
  const kind = findWorkKind(text, classifyTask(text).domain, 0)
  const byKind = kind === undefined ? undefined : BY_KIND[kind]
  if (byKind !== undefined && byKind !== "ui") return byKind
  // A role that writes code may also do research.
  const isResearch = workTypeOf({ ...task, role: GENERIC_ROLE }) === "research"
  const work = isResearch ? "research" : workTypeOf(task)
  const isChange = work === "research" && (task.files.length > 0 || ALSO_CHANGES.test(title))
  return (isChange ? undefined : BY_WORK[work]) ?? byKind ?? "code"
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
    to: "fix it with",
  } as const
  throw new AppError("config.bad_value", `qa.dimensions must ${what}`, {}, { remedy })
}

/** The text of the approval question. */
export function describeQaPlan({ type, dimensions, checks }: QaPlan): string {
  return [
    `As ${type}: ${dimensions.map(({ name, weight }) => `${name} ${weight} %`).join(", ")}.`,
    ...checks.map((check) => `- ${check}`),
  ].join("\n")
}
