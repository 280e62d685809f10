// `npm run test:clis`: the real agent CLIs against a scripted model, see docs/agents.md. Installs the pinned versions
// into a cache folder where they are missing (TEAMWORK_CLI_CACHE names another), then runs the files of test/clis, two
// at a time, without a network where that is permitted. Arguments go to `bun test`. The last line tells the versions.
// With `--install` it only installs.
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { installCli, installedVersion } from "../test/clis/install.ts"
import { openToAll } from "../test/clis/open-to-all.ts"
import { PINNED } from "../test/clis/pinned.ts"
import { type Outcome, readOutcome, testEnvironment } from "./test.ts"

const ROOT = join(import.meta.dir, "..")
/** All files together, on a busy machine. */
const TESTS_TIMEOUT_MS = 60 * 60_000
/** A test that runs a slow CLI twice on a busy machine. */
const TEST_TIMEOUT_MS = 200_000
/** Which take longest, so that none of them is left for the end. */
const SLOW = ["faults", "acp-opencode", "opencode", "acp-gemini", "gemini"]

if (import.meta.main) process.exit(await main(Bun.argv.slice(2)))

async function main(args: readonly string[]): Promise<number> {
  const cache = process.env.TEAMWORK_CLI_CACHE ?? join(ROOT, "node_modules/.cache/teamwork-clis")
  try {
    for (const pinned of PINNED) await installCli(cache, pinned)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
  if (args.includes("--install")) return 0
  const versions = PINNED.map((pinned) => `${pinned.name} ${installedVersion(cache, pinned)}`)
  const outcomes = await runTests(cache, args)
  const exitCode = report(outcomes)
  console.log(`ran ${versions.join(", ")}`)
  return exitCode
}

/** Each file has a process, temp folders and a network of its own, so two of them do not meet. */
async function runTests(cache: string, args: readonly string[]): Promise<Outcome[]> {
  const apart = setApart()
  console.log(apart.length === 0 ? "network: not cut off here, addresses are loopback only" : "network: loopback only")
  using opened = openToAll(cache)
  const interrupted = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupted.abort())
  const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(TESTS_TIMEOUT_MS)])
  // These programs do things of their own in the background, at times of their own: what fails is tried once more.
  const flags = ["--max-concurrency=1", "--retry=1", `--timeout=${TEST_TIMEOUT_MS}`, ...args]
  const env = { ...testEnvironment(), ...opened.env, CLI_TEST_CACHE: opened.cache }
  const waiting = listFiles()
  const outcomes: Outcome[] = []
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift())
      outcomes.push(signal.aborted ? notRun(file) : await runFile(file, { apart, flags, env, signal }))
  }
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
  return outcomes
}

function notRun(file: string): Outcome {
  return { passed: 0, failed: 1, skipped: [], problems: [`${file} did not run: interrupted, or the time was up`] }
}

interface How {
  readonly apart: readonly string[]
  readonly flags: readonly string[]
  /** The cache is in there under a name that test/support/preload.ts leaves alone. */
  readonly env: Record<string, string | undefined>
  readonly signal: AbortSignal
}

async function runFile(file: string, { apart, flags, env, signal }: How): Promise<Outcome> {
  const child = Bun.spawn([...apart, process.execPath, "test", ...flags, `./test/clis/${file}`], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    // Whoever is set apart dies as a whole; otherwise the tests get the chance to clean up.
    killSignal: apart.length === 0 ? "SIGTERM" : "SIGKILL",
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  process.stdout.write(stdout + stderr)
  const { exitCode, signalCode } = child
  return readOutcome(Bun.stripANSI(stderr), exitCode, signalCode === null ? null : String(signalCode))
}

function listFiles(): string[] {
  const files = [...new Bun.Glob("*.test.ts").scanSync(join(ROOT, "test/clis"))].sort()
  const rank = (file: string) => SLOW.indexOf(file.replace(".test.ts", "")) >>> 0
  return files.sort((a, b) => rank(a) - rank(b))
}

/** A file of which a pattern selects no test is no failure, as long as another one has some. */
function report(outcomes: readonly Outcome[]): number {
  const sum = (count: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + count(outcome), 0)
  const [passed, failed] = [sum((outcome) => outcome.passed), sum((outcome) => outcome.failed)]
  const skipped = outcomes.flatMap((outcome) => outcome.skipped)
  const forbidden = process.env.CI === "true" ? skipped : []
  const problems = outcomes.filter((outcome) => outcome.failed > 0).flatMap((outcome) => outcome.problems)
  for (const line of problems) console.log(line)
  for (const name of forbidden) console.log(`skipped, which is not allowed here: ${name}`)
  console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`)
  return passed > 0 && failed === 0 && forbidden.length === 0 ? 0 : 1
}

/**
 * A command that runs another one with a network of its own, which has nothing but loopback, and with processes of its
 * own, none of which outlives it. Empty where that is not permitted.
 */
function setApart(): readonly string[] {
  const command = ["unshare", "--net", "--pid", "--mount-proc", "--kill-child"]
  const inside = ["sh", "-c", 'ip link set lo up && "$@"', "sh"]
  if (Bun.which("unshare") === null || Bun.which("ip") === null) return []
  return Bun.spawnSync([...command, ...inside, "true"]).success ? [...command, ...inside] : []
}
