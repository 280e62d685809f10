// `npm run check`: everything that can be said about the sources in seconds. The steps do not need each other, so they
// run side by side; each shows its time, and the output of those that fail. With `--no-tests` the unit tests are left
// out, for whoever runs all tests anyway.
import { join } from "node:path"
import { testEnvironment } from "./test.ts"

const ROOT = join(import.meta.dir, "..")
const BIN = join(ROOT, "node_modules/.bin")

interface Step {
  name: string
  command: string[]
}

const UNIT_TESTS = "boundaries and unit tests"

const STEPS: readonly Step[] = [
  // The limits on the length of files and functions are lint rules as well, see biome.json.
  { name: "format and lint", command: [join(BIN, "biome"), "check", "--error-on-warnings", "."] },
  { name: "types", command: [join(BIN, "tsc"), "--noEmit", "-p", "."] },
  {
    name: UNIT_TESTS,
    command: [process.execPath, "test", "--parallel", "--timeout=60000", "./test/boundaries.test.ts", "./src"],
  },
  { name: "unused code", command: [join(BIN, "knip"), "--no-progress"] },
]

interface Result {
  name: string
  passed: boolean
  output: string
}

if (import.meta.main) process.exit(await check(Bun.argv.includes("--no-tests")))

async function check(isWithoutTests: boolean): Promise<number> {
  const steps = STEPS.filter(({ name }) => !(isWithoutTests && name === UNIT_TESTS))
  const results = await Promise.all(steps.map(runStep))
  const failed = results.filter((result) => !result.passed)
  for (const { name, output } of failed) console.log(`\n${name}:\n${output.trimEnd()}`)
  if (failed.length > 0) console.log(`\nfailed: ${failed.map((result) => result.name).join(", ")}`)
  return failed.length > 0 ? 1 : 0
}

async function runStep({ name, command }: Step): Promise<Result> {
  const start = performance.now()
  const child = Bun.spawn(command, { cwd: ROOT, env: testEnvironment(), stdio: ["ignore", "pipe", "pipe"] })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const passed = exitCode === 0
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${passed ? "ok    " : "FAILED"} ${name} (${seconds} s)`)
  return { name, passed, output: stdout + stderr }
}
