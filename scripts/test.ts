// `npm test`: runs `bun test` with several files at a time, shows its output as it comes, and ends with one line a person
// or a script can rely on: `12 passed, 0 failed`. Arguments go to `bun test`; `--no-skips` (or CI=true) makes skipped and
// todo tests a failure. `--update-timings` measures again how long each file takes.
import { accessSync, constants, readFileSync, statfsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"

const TEST_FOLDERS = ["./src", "./test"]
/** They need the real agent CLIs, which `npm run test:clis` installs. */
const NOT_HERE = "test/clis/**"
/** Flags of `bun test` whose value may come as the next argument, where it would look like a path. */
const FLAGS_WITH_VALUE = ["-t", "--test-name-pattern", "--timeout", "--seed", "--rerun-each", "--retry", "--preload"]
/** With one of these set, Bun takes us for a program and hides skipped tests. */
const QUIETING_VARIABLES = ["CLAUDECODE", "AGENT", "REPL_ID"]
/** A process that outlives the tests may hold their output open. */
const DRAIN_MS = 2_000
const MAX_CONCURRENT_TESTS = 2
/** Real processes and databases on a busy machine; tests that need longer say so themselves. */
const TIMEOUT_MS = 60_000
/** Half of a test's time is waiting for processes and disks, so more files than cores run at once. */
const FILES_AT_ONCE = Math.ceil(availableParallelism() * 1.5)
/** How long each file takes, so that the slowest ones start first. */
const TIMINGS = join(import.meta.dir, "../test/timings.json")

/** In memory tests take a third less time, most of it that of fsync. They kill processes, not the machine. */
const MEMORY = "/dev/shm"
const ENOUGH_BYTES = 4e9

export interface Outcome {
  passed: number
  failed: number
  skipped: string[]
  /** What went wrong besides failing tests. */
  problems: string[]
}

if (import.meta.main) process.exit(await main(Bun.argv.slice(2)))

async function main(args: readonly string[]): Promise<number> {
  const forbidSkips = args.includes("--no-skips") || process.env.CI === "true"
  const run = await runBunTest(args.filter((arg) => arg !== "--no-skips"))
  const outcome = readOutcome(run.report, run.exitCode, run.signal)
  const skipsForbidden = forbidSkips && outcome.skipped.length > 0

  const lines = [...outcome.problems]
  if (skipsForbidden) lines.push(...outcome.skipped.map((name) => `skipped, which is not allowed here: ${name}`))
  const skipped = outcome.skipped.length > 0 ? `, ${outcome.skipped.length} skipped` : ""
  await print(`${[...lines, `${outcome.passed} passed, ${outcome.failed} failed${skipped}`].join("\n")}\n`)
  const good = outcome.failed === 0 && outcome.passed > 0 && outcome.problems.length === 0 && !skipsForbidden
  return good ? 0 : 1
}

interface BunTestRun {
  /** Where Bun writes its results: the error output. What tests print to the normal output is not in here. */
  report: string
  exitCode: number | null
  signal: string | null
}

async function runBunTest(args: readonly string[]): Promise<BunTestRun> {
  const targets = hasTarget(args) ? [] : TEST_FOLDERS
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      `--parallel=${FILES_AT_ONCE}`,
      `--timings=${TIMINGS}`,
      `--max-concurrency=${MAX_CONCURRENT_TESTS}`,
      `--timeout=${TIMEOUT_MS}`,
      `--path-ignore-patterns=${NOT_HERE}`,
      ...args,
      ...targets,
    ],
    { env: testEnvironment(), stdio: ["ignore", "pipe", "pipe"] },
  )
  // Tests get the chance to clean up, and we the chance to say what came out so far.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal))

  let report = ""
  const decoder = new TextDecoder()
  const drained = Promise.all([
    forward(child.stdout, () => {}),
    forward(child.stderr, (chunk) => {
      report += decoder.decode(chunk, { stream: true })
    }),
  ])
  await child.exited
  await Promise.race([drained, Bun.sleep(DRAIN_MS)])
  const signal = child.signalCode === null ? null : String(child.signalCode)
  return { report: Bun.stripANSI(report), exitCode: child.exitCode, signal }
}

function hasTarget(args: readonly string[]): boolean {
  return args.some((arg, i) => !arg.startsWith("-") && !FLAGS_WITH_VALUE.includes(args[i - 1] ?? ""))
}

export function testEnvironment(): Record<string, string | undefined> {
  const env = { ...process.env }
  for (const name of QUIETING_VARIABLES) delete env[name]
  if (process.stdout.isTTY && env.NO_COLOR === undefined) env.FORCE_COLOR = "1"
  env.TMPDIR ??= findMemory()
  return env
}

/** A folder in memory for the files of tests, where the machine has one with enough room. */
function findMemory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    accessSync(MEMORY, constants.W_OK | constants.X_OK)
    const mount = readFileSync("/proc/mounts", "utf8").match(/^\S+ \/dev\/shm .*$/m)?.[0] ?? ""
    // Tests write programs and run them.
    const isFit = bavail * bsize >= ENOUGH_BYTES && !/\bnoexec\b/.test(mount)
    return isFit ? MEMORY : undefined
  } catch {
    return undefined
  }
}

async function forward(output: ReadableStream<Uint8Array>, also: (chunk: Uint8Array) => void): Promise<void> {
  for await (const chunk of output) {
    also(chunk)
    await print(chunk)
  }
}

/** Everything goes to one stream, or the summary could come before the end of the error output. */
function print(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()))
}

/** Reads the summary that `bun test` prints last. No summary means that the tests did not come to their end, whatever exit code. */
export function readOutcome(report: string, exitCode: number | null, signal: string | null): Outcome {
  const paragraphs = report.split(/\n\s*\n/)
  const summary = paragraphs.findLast((paragraph) => /^Ran \d+ tests? across \d+ files?\./m.test(paragraph))
  if (summary === undefined) {
    if (
      exitCode !== 0 &&
      signal === null &&
      /did not match any test files|No tests found|matched 0 tests/.test(report)
    ) {
      return { passed: 0, failed: 0, skipped: [], problems: ["no test ran"] }
    }
    const end = signal === null ? `with exit code ${exitCode}` : `by ${signal}`
    const passed = report.match(/^\(pass\) /gm)?.length ?? 0
    const failed = report.match(/^\(fail\) /gm)?.length ?? 0
    return {
      passed,
      failed: failed + 1,
      skipped: listSkipped(report),
      problems: [`the tests ended early, ${end}; counted as a failure`],
    }
  }
  const passed = count(summary, "pass")
  const failed = count(summary, "fail") // files that could not be loaded are in here
  const names = listSkipped(report)
  const skippedCount = count(summary, "skip") + count(summary, "todo")
  const skipped = Array.from({ length: skippedCount }, (_, i) => names[i] ?? "(name not shown)")
  if (passed + failed === 0) return { passed, failed, skipped, problems: ["no test ran"] }
  if (failed === 0 && exitCode !== 0) {
    const problems = [`bun test ended with ${signal ?? `exit code ${exitCode}`} though no test failed; counted as one`]
    return { passed, failed: 1, skipped, problems }
  }
  return { passed, failed, skipped, problems: [] }
}

function count(summary: string, kind: string): number {
  return Number(new RegExp(`^ +(\\d+) ${kind}$`, "m").exec(summary)?.[1] ?? 0)
}

function listSkipped(report: string): string[] {
  const skipped: string[] = []
  let file = ""
  for (const line of report.split("\n")) {
    file = /^(\S.*\.[cm]?[jt]sx?):$/.exec(line)?.[1] ?? file
    const name = /^\((?:skip|todo)\) (.*)$/.exec(line)?.[1]
    if (name !== undefined) skipped.push(`${file}: ${name}`)
  }
  return skipped
}
