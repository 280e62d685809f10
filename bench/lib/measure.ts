export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

/** The smallest value that at least `percent` of them do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)]
  if (value === undefined) throw new Error("nothing was measured")
  return value
}

/** Lets each side do its part once per round, so that whatever else the machine does hits all of them alike. */
export async function takeTurns<Side extends string>(
  sides: Record<Side, () => Promise<number>>,
  rounds: number,
): Promise<Record<Side, number[]>> {
  const names = Object.keys(sides) as Side[]
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Side, number[]>
  for (let round = 0; round < rounds; round++) {
    // The order goes backwards every other round: nobody always comes right behind the same other one.
    for (const name of round % 2 === 0 ? names : names.toReversed()) results[name].push(await sides[name]())
  }
  return results
}

/** How often per second `work` can be done, tried for about `durationMs`. */
export async function rateOf(durationMs: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  let count = 0
  do {
    await work()
    count++
  } while (performance.now() - start < durationMs)
  return (count * 1000) / (performance.now() - start)
}

export function show(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en-US")
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
