export type TestStatus = "passed" | "failed" | "skipped"

/** The names of one output, by how each test ended. */
export interface Tally {
  readonly passed: string[]
  readonly failed: string[]
  readonly skipped: string[]
  /** A name that was there before, with any ending, gets a number: the order in which a runner prints is stable. */
  add(status: TestStatus, name: string): void
}

/**
 * What one reader found in an output: nothing of its runner (`undefined`), names that agree with the runner's own
 * counts, or `unclear` where they do not, or where the output was cut.
 */
export type Reading = Tally | "unclear" | undefined

export interface Output {
  readonly text: string
  /** Without colours; a line too long for a name is empty. */
  readonly lines: readonly string[]
  /** A path as it is from the checkout's folder on; one from elsewhere keeps only its last part. */
  readonly path: (path: string) => string
}

export interface ResultReader {
  readonly format: string
  /** At least one of them stands in every output of this runner; looking for them is far cheaper than reading. */
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

/** `file::suite > name`; what is empty, or repeats the part before it, is left out. */
export function nameOf(file: string | undefined, ...parts: readonly string[]): string {
  const kept: string[] = []
  for (const part of parts) if (part !== "" && part !== file && part !== kept.at(-1)) kept.push(part)
  const name = kept.join(" > ")
  return file === undefined || file === "" ? name : name === "" ? file : `${file}::${name}`
}

/** The sum of a number that stands in every line that fits, as `fail 2` in `ℹ fail 2`. Undefined if no line fits. */
export function sumOf(lines: readonly string[], pattern: RegExp): number | undefined {
  let sum: number | undefined
  for (const line of lines) {
    const found = pattern.exec(line)?.[1]
    if (found !== undefined) sum = (sum ?? 0) + Number(found)
  }
  return sum
}

/** The number before a word in a summary line, as in `2 failed, 1 passed`; 0 without the word. */
export function countIn(line: string, word: RegExp): number {
  return Number(new RegExp(`(\\d+) (?:${word.source})\\b`).exec(line)?.[1] ?? 0)
}
