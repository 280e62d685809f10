export type TestStatus = "passed" | "failed" | "skipped"

export interface Tally {
  readonly passed: string[]
  readonly failed: string[]
  readonly skipped: string[]
  /** A repeated name gets a number: runners print in a stable order. */
  add(status: TestStatus, name: string): void
}

/** `undefined`: not the output of this runner. `unclear`: the names do not match the counts, or the output was cut. */
export type Reading = Tally | "unclear" | undefined

export interface Output {
  readonly text: string
  /** Without colours; very long lines are empty. */
  readonly lines: readonly string[]
  /** Makes a path relative to the checkout; a path from elsewhere keeps only its last part. */
  readonly path: (path: string) => string
}

export interface ResultReader {
  readonly format: string
  /** Every output of this runner has one of them. Cheaper than reading. */
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

/** The sum of the first groups of all matching lines; undefined if none matches. */
export function sumOf(lines: readonly string[], pattern: RegExp): number | undefined {
  let sum: number | undefined
  for (const line of lines) {
    const found = pattern.exec(line)?.[1]
    if (found !== undefined) sum = (sum ?? 0) + Number(found)
  }
  return sum
}

/** The sum of the numbers before a word, as in `2 failed, 1 passed`; a line without the word counts 0. */
export function sumIn(lines: readonly string[], word: RegExp): number {
  const pattern = new RegExp(`(\\d+) (?:${word.source})\\b`)
  return lines.reduce((sum, line) => sum + Number(pattern.exec(line)?.[1] ?? 0), 0)
}
