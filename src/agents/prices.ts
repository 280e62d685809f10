/** Dollars for a million tokens. */
export interface Price {
  readonly input: number
  readonly cached: number
  readonly output: number
}

/** `asOf` is the day of the price; empty when unknown. */
export interface DatedPrice extends Price {
  readonly asOf: string
}

export type PriceTable = ReadonlyMap<string, DatedPrice>

/** Rows MODEL=INPUT/CACHED/OUTPUT, optionally with @DATE. A later row for a model overrides an earlier one. */
export function readPrices(rows: readonly string[]): PriceTable {
  return new Map(rows.map(readRow))
}

function readRow(row: string): readonly [string, DatedPrice] {
  const [, model, input, cached, output, asOf] = /^(.+)=([\d.]+)\/([\d.]+)\/([\d.]+)(?:@(.+))?$/.exec(row) ?? []
  if (model === undefined) throw new Error(`${row} is no price`) // the configuration has checked it
  return [model, { input: Number(input), cached: Number(cached), output: Number(output), asOf: asOf ?? "" }]
}

/** Ignores a provider before the name and a date after it, unless the table has them. */
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

/** The price of a million tokens of a typical run, for comparisons. */
export function typicalCost(price: Price): number {
  return costOf(TYPICAL_RUN, price)
}
