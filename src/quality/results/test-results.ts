import { GO_READERS } from "./go-results.ts"
import { JAVASCRIPT_READERS } from "./javascript-results.ts"
import { readJunit } from "./junit.ts"
import { NODE_READERS } from "./node-results.ts"
import { PYTHON_READERS } from "./python-results.ts"
import { RUBY_AND_PHP_READERS } from "./ruby-php-results.ts"
import { RUST_READERS } from "./rust-results.ts"
import { makeTally, type Output, type ResultReader, type Tally, type TestStatus } from "./tally.ts"
import { readTap } from "./tap.ts"

/**
 * Names have no durations, line numbers or absolute paths, so they are stable between runs. `failed` is complete;
 * many runners do not print `passed` and `skipped` names.
 */
export interface TestResults {
  /** The runner, or several joined by `+`. */
  readonly format: string
  readonly passed: readonly string[]
  readonly failed: readonly string[]
  readonly skipped: readonly string[]
}

const READERS: readonly ResultReader[] = [
  readJunit,
  readTap,
  ...NODE_READERS,
  ...JAVASCRIPT_READERS,
  ...PYTHON_READERS,
  ...GO_READERS,
  ...RUST_READERS,
  ...RUBY_AND_PHP_READERS,
]

/** Longer lines have no test names and make patterns slow. */
const MAX_LINE = 10_000
const CUT = /^\[\d+ bytes left out\]$/m
/** Not because of a test. */
const OTHER_REASON = /coverage threshold|Required test coverage|^ERROR: Coverage for /m

/**
 * Undefined for an unknown format, a cut output, or if the runner counts other failures than it names. `folder`:
 * where the command ran.
 */
export function readTestResults(output: string, folder = ""): TestResults | undefined {
  const text = Bun.stripANSI(output).replaceAll("\r\n", "\n")
  if (CUT.test(text) || OTHER_REASON.test(text)) return undefined
  let lines: readonly string[] | undefined
  const seen: Output = {
    text,
    path: (path) => fromFolder(path, folder),
    get lines() {
      lines ??= text.split("\n").map((line) => (line.length > MAX_LINE ? "" : line.trimEnd()))
      return lines
    },
  }
  const found: { format: string; tally: Tally }[] = []
  for (const { format, signs, read } of READERS) {
    if (!signs.some((sign) => text.includes(sign))) continue
    const reading = read(seen)
    if (reading === "unclear") return undefined
    if (reading !== undefined) found.push({ format, tally: reading })
  }
  return found.length === 0 ? undefined : join(found)
}

function join(found: readonly { readonly format: string; readonly tally: Tally }[]): TestResults {
  const all = makeTally()
  for (const { tally } of found)
    for (const status of ["passed", "failed", "skipped"] as const satisfies TestStatus[])
      for (const name of tally[status]) all.add(status, name)
  const { passed, failed, skipped } = all
  return { format: found.map((each) => each.format).join("+"), passed, failed, skipped }
}

function fromFolder(path: string, folder: string): string {
  const plain = path.replace(/^file:\/\//, "").replace(/^(?:\.\/)+/, "")
  if (folder !== "" && `${plain}/`.startsWith(`${folder}/`)) return plain.slice(folder.length + 1)
  return plain.startsWith("/") || /^[A-Za-z]:[\\/]/.test(plain) ? (plain.split(/[\\/]/).at(-1) ?? plain) : plain
}
