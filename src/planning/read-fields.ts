import * as v from "valibot"
import { quoteInput } from "../kernel/ids.ts"
import { anyRecord, describeField, type Fields, type InputOf, problemOf } from "../lib/schema.ts"
import { nearest } from "../lib/text/nearest.ts"
import type { PlanPath, PlanProblem } from "./plan.ts"

export type Table = Readonly<Record<string, unknown>>

export function isTable(value: unknown): value is Table {
  return v.is(anyRecord, value)
}

export interface ReadFields<F extends Fields> {
  readonly values: Partial<InputOf<F>>
  /** Unknown fields first, then in the order of the table. */
  readonly problems: readonly PlanProblem[]
}

/** Reports all problems of a document at once, below `path`. */
export function readFields<F extends Fields>(fields: F, given: Table, path: PlanPath = []): ReadFields<F> {
  const known = Object.keys(fields)
  const problems: PlanProblem[] = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: [...path, name], message: `is not known here; ${suggest(name, known)}` }))
  const present = Object.fromEntries(known.map((name) => [name, adapt(fields[name], given[name])]))
  const { output, issues = [] } = v.safeParse(v.object(fields), present, { abortPipeEarly: true })
  const wrong = new Set<string>()
  for (const issue of issues) {
    const [name = "", ...rest] = (issue.path ?? []).map(({ key }) => key as string | number)
    wrong.add(String(name))
    const isMissing = present[name] === undefined
    problems.push(
      isMissing
        ? { path, message: `${name} is missing` }
        : { path: [...path, name, ...rest], message: describeIssue(issue) },
    )
  }
  const right = Object.entries(output as Table).filter(([name, value]) => !wrong.has(name) && value !== undefined)
  return { values: Object.fromEntries(right) as Partial<InputOf<F>>, problems }
}

/** People write one value for a list, numbers for ids, and names without a value. */
function adapt(field: v.GenericSchema | undefined, value: unknown): unknown {
  if (value === null || value === undefined || field === undefined) return undefined
  const { kind, item } = describeField(field)
  if (item !== undefined) {
    if (Array.isArray(value)) return value.map((each) => adapt(item, each) ?? each)
    return describeField(item).kind === "record" ? value : [adapt(item, value)]
  }
  return kind === "text" && typeof value === "number" ? String(value) : value
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const problem = problemOf(issue)
  if (issue.type !== "picklist" || typeof issue.input !== "string") return problem
  const close = nearest(issue.input, problem.replace(/^is not one of /, "").split(", "))
  return `${quoteInput(issue.input)} ${problem}${close === undefined ? "" : `; did you mean ${close}?`}`
}

function suggest(name: string, known: readonly string[]): string {
  const close = nearest(name, known)
  return close === undefined ? `there are ${known.join(", ")}` : `did you mean ${close}?`
}
