import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { BenchCase } from "../lib/bench-case.ts"
import { median, show, takeTurns } from "../lib/measure.ts"
import { timeProcess } from "../lib/program.ts"

const RUNS = 30
const FILES = 2000
/** Build, lint and a red test with many names, as a real repository has them. */
const SCRIPTS = { build: "true", lint: "true", test: "node tests.js" }
const TESTS = `const lines = Array.from({ length: 2000 }, (_, at) => \`\${at % 100 === 0 ? "not ok" : "ok"} \${at + 1} - test \${at}\`)
console.log(["TAP version 13", "1..2000", ...lines].join("\\n"))
process.exit(1)
`

export const preflight: BenchCase = {
  name: "preflight",
  summary: "preflight of an unchanged base as a process, against the program's version line",
  async run({ sandbox, binary, say }) {
    const program = [await binary()]
    const cwd = sandbox.folder("repository")
    // As a person has it who agreed once.
    const place = { cwd, env: sandbox.env({ TEAMWORK_TRUST: "" }) }
    const git = (...args: string[]) => timeProcess(["git", ...args], place)
    await git("init", "--quiet", "--initial-branch=main")
    for (let file = 0; file < FILES; file++) {
      mkdirSync(join(cwd, `src/${file % 50}`), { recursive: true })
      writeFileSync(join(cwd, `src/${file % 50}/${file}.js`), `export const a = ${file}\n`)
    }
    writeFileSync(join(cwd, "package.json"), JSON.stringify({ scripts: SCRIPTS }))
    writeFileSync(join(cwd, "tests.js"), TESTS)
    await git("add", "--all")
    await git("-c", "user.name=Bench", "-c", "user.email=bench@example.com", "commit", "--quiet", "-m", "Start")
    const judge = async (...flags: string[]) =>
      (await timeProcess([...program, "preflight", "--json", ...flags], place)).ms
    say("judging the base")
    const first = await judge("--trust")
    say(`${RUNS} of each`)
    const bare = async () => (await timeProcess([...program, "--version"], place)).ms
    const times = await takeTurns({ preflight: () => judge(), bare }, RUNS)
    const [ours, least] = [median(times.preflight), median(times.bare)]
    const figures = `the first time ${show(first)} ms, with its commands`
    return [
      { what: "of an unchanged base", value: ours, unit: "ms", limit: { atMost: 100 }, figures },
      {
        ...{ what: "the same against a bare call", value: ours / least, unit: "x" },
        figures: `${show(ours)} ms against ${show(least)} ms`,
      },
    ]
  },
}
