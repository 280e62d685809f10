export type TestStatus = "passed" | "failed" | "skipped"

export interface Tally {
  readonly passed: string[]
  readonly failed: string[]
  readonly skipped: string[]
  /** Numbers repeated names: runners print in a stable order. */
  add(status: TestStatus, name: string): void
}

/** `undefined`: not this runner. `unclear`: names and counts differ, or the output was cut. */
export type Reading = Tally | "unclear" | undefined

export interface Output {
  readonly text: string
  /** Without colours; very long lines are empty. */
  readonly lines: readonly string[]
  /** Relative to the checkout; only the last part if outside. */
  readonly path: (path: string) => string
}

export interface ResultReader {
  readonly format: string
  /** A cheap test: every output of this runner has one of them. */
  readonly signs: readonly string[]
  readonly read: (output: Output) => Reading
}

export function makeTally(): Tally {
  const names = { passed: [] as string[], failed: [] as string[], skipped: [] as string[] }
  const seen = new Map<string, number>()
  return {
    ...names,
    add(status, name) {
      const tidy = name.replaceAll(/\s+/g, " ").trim()
      const times = (seen.get(tidy) ?? 0) + 1
      seen.set(tidy, times)
      names[status].push(times === 1 ? tidy : `${tidy} #${times}`)
    },
  }
}

/** `file::suite > name`, without empty and repeated parts. */
export function nameOf(file: string | undefined, ...parts: readonly string[]): string {
  const kept: string[] = []
  for (const part of parts) if (part !== "" && part !== file && part !== kept.at(-1)) kept.push(part)
  const name = kept.join(" > ")
  return file === undefined || file === "" ? name : name === "" ? file : `${file}::${name}`
}

/** Adds the first groups of all matches; undefined without a match. */
export function sumOf(lines: readonly string[], pattern: RegExp): number | undefined {
  let sum: number | undefined
  for (const line of lines) {
    const found = pattern.exec(line)?.[1]
    if (found !== undefined) sum = (sum ?? 0) + Number(found)
  }
  return sum
}

/** Adds the numbers before a word, as in `2 failed, 1 passed`; 0 without the word. */
export function sumIn(lines: readonly string[], word: RegExp): number {
  const pattern = new RegExp(`(\\d+) (?:${word.source})\\b`)
  return lines.reduce((sum, line) => sum + Number(pattern.exec(line)?.[1] ?? 0), 0)
}
