import * as v from "valibot"
import { money } from "../lib/text/money.ts"

/** How much agent runs may use. 0 is no limit. */
export interface Budget {
  readonly tokens: number
  readonly dollars: number
}

export const NO_BUDGET: Budget = { tokens: 0, dollars: 0 }

export const BUDGET_FORMS = "5usd, 200k (tokens), both as 5usd,200k, or none"

const FACTORS: Readonly<Record<string, number>> = { "": 1, k: 1e3, m: 1e6 }
const DOLLARS = /^(?:\$\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*(?:usd|dollars?|\$))$/
const TOKENS = /^(\d+(?:\.\d+)?)\s*([km]?)\s*(tokens?|t)?$/

/** Parses what a person types. A bare number could mean dollars or tokens, so it needs a unit. */
export function parseBudget(text: string): Budget | { readonly problem: string } {
  const given = text.trim().toLowerCase()
  if (given === "none") return NO_BUDGET
  let budget = NO_BUDGET
  for (const part of given.split(/\s*[,+]\s*/)) {
    const read = parsePart(part)
    if ("problem" in read) return read
    if (read.dollars > 0 && budget.dollars > 0) return { problem: "names dollars twice" }
    if (read.tokens > 0 && budget.tokens > 0) return { problem: "names tokens twice" }
    budget = { tokens: budget.tokens + read.tokens, dollars: budget.dollars + read.dollars }
  }
  return budget
}

function parsePart(part: string): Budget | { readonly problem: string } {
  const [, before, after] = DOLLARS.exec(part) ?? []
  const dollars = before ?? after
  if (dollars !== undefined) return positive({ tokens: 0, dollars: Number(dollars) })
  const [, count, factor = "", unit] = TOKENS.exec(part) ?? []
  if (count === undefined) return { problem: `must be ${BUDGET_FORMS}` }
  if (factor === "" && unit === undefined)
    return { problem: `has no unit; write ${count}usd for dollars, or ${count}k or "${count} tokens" for tokens` }
  return positive({ tokens: Math.floor(Number(count) * (FACTORS[factor] ?? 1)), dollars: 0 })
}

function positive(budget: Budget): Budget | { readonly problem: string } {
  const isLimit = budget.tokens >= 1 || budget.dollars >= 0.01
  if (!isLimit) return { problem: "is nothing; write none for no limit" }
  return Number.isFinite(budget.tokens + budget.dollars) ? budget : { problem: "is too large" }
}

export function problemWithBudget(text: string): string | undefined {
  const read = parseBudget(text)
  return "problem" in read ? read.problem : undefined
}

export function isUnlimited({ tokens, dollars }: Budget): boolean {
  return tokens === 0 && dollars === 0
}

/** `$5.00 and 200,000 tokens`, `none` */
export function sayBudget({ tokens, dollars }: Budget): string {
  const parts = [
    ...(dollars > 0 ? [money(dollars)] : []),
    ...(tokens > 0 ? [`${tokens.toLocaleString("en-US")} tokens`] : []),
  ]
  return parts.join(" and ") || "none"
}

/** The budget of a run overrides the settings, unit by unit; `none` removes both limits. */
export function chooseBudget(run: Budget | null, configured: Budget): Budget {
  if (run === null) return configured
  if (isUnlimited(run)) return run
  return { tokens: run.tokens || configured.tokens, dollars: run.dollars || configured.dollars }
}

const Limit = v.pipe(v.number(), v.finite(), v.minValue(0))
const StoredBudget = v.object({ tokens: Limit, dollars: Limit })

/** A stored budget; null for anything else. */
export function readBudget(value: unknown): Budget | null {
  const { success, output } = v.safeParse(StoredBudget, value)
  return success ? output : null
}
