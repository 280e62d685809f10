/** Dollars for a million tokens. */
export interface Price {
  readonly input: number
  /** Read from a cache. */
  readonly cached: number
  readonly output: number
}

/** `asOf` is the day it was looked up; empty when unknown. */
export interface DatedPrice extends Price {
  readonly asOf: string
}

export type PriceTable = ReadonlyMap<string, DatedPrice>

/** Reads rows MODEL=INPUT/CACHED/OUTPUT, optionally with @DATE. Of two rows for a model the later counts. */
export function readPrices(rows: readonly string[]): PriceTable {
  return new Map(rows.map(readRow))
}

function readRow(row: string): readonly [string, DatedPrice] {
  const [, model, input, cached, output, asOf] = /^(.+)=([\d.]+)\/([\d.]+)\/([\d.]+)(?:@(.+))?$/.exec(row) ?? []
  if (model === undefined) throw new Error(`${row} is no price`) // the configuration has checked it
  return [model, { input: Number(input), cached: Number(cached), output: Number(output), asOf: asOf ?? "" }]
}

/** A provider before the name and a date after it are ignored, unless the table has them. */
export function findPrice(prices: PriceTable, model: string): DatedPrice | undefined {
  const bare = model.slice(model.lastIndexOf("/") + 1)
  const undated = bare.replace(/-(?:\d{8}|\d{4}-\d\d-\d\d)$/, "")
  return prices.get(model) ?? prices.get(bare) ?? prices.get(undated)
}

/** `inputTokens` include `cachedTokens`. */
export interface TokenCount {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
}

export function costOf(
  { inputTokens, cachedTokens, outputTokens }: TokenCount,
  { input, cached, output }: Price,
): number {
  const fromCache = Math.min(cachedTokens, inputTokens)
  return ((inputTokens - fromCache) * input + fromCache * cached + outputTokens * output) / 1_000_000
}

/** Agents mostly read again what they have read before. */
const TYPICAL_RUN: TokenCount = { inputTokens: 950_000, cachedTokens: 800_000, outputTokens: 50_000 }

/** One number to compare prices: a million tokens of a typical run. */
export function typicalCost(price: Price): number {
  return costOf(TYPICAL_RUN, price)
}
