import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { BenchCase } from "../lib/bench-case.ts"
import { median, show, takeTurns } from "../lib/measure.ts"
import { type Place, timeProcess } from "../lib/program.ts"
import { halfDone, seedHome } from "../lib/seed.ts"

const RUNS = 50
const TASKS = 1000

export const guards: BenchCase = {
  name: "guards",
  summary:
    "hook pre-tool-use as a process, which decides whether a file may be written, against a node that does nothing",
  async run({ sandbox, binary, say }) {
    const built = await binary()
    const home = await seedHome(sandbox, halfDone(TASKS))
    const run = (...args: string[]) => timeProcess([built, ...args], home)
    await run("join", "--worker-id", "w1", "--terminal-id", "joined")
    await run("task", "claim", "--next", "--owner", "w1")
    const decide = callOf(home, built, "joined")
    const pass = callOf(home, built, "stranger")
    say(`${RUNS} starts of each, ${TASKS} tasks`)
    const times = await takeTurns(
      {
        node: async () => (await timeProcess(["node", "-e", "0"], home)).ms,
        decide: async () => (await timeProcess(decide, home)).ms,
        pass: async () => (await timeProcess(pass, home)).ms,
      },
      RUNS,
    )
    const [node, decided, passed] = [median(times.node), median(times.decide), median(times.pass)]
    return [
      {
        ...{ what: "a decision against node", value: decided / node, unit: "x", limit: { atMost: 0.3 } },
        figures: `${show(decided)} ms against ${show(node)} ms`,
      },
      {
        ...{ what: "no opinion against node", value: passed / node, unit: "x", limit: { atMost: 0.3 } },
        figures: `${show(passed)} ms against ${show(node)} ms`,
      },
      { what: "the decision itself", value: decided - passed, unit: "ms", limit: { atMost: 5 } },
    ]
  },
}

/** Through a file and a shell that becomes the program, since a process is timed without an input of its own. */
function callOf({ cwd }: Place, built: string, session: string): string[] {
  const folder = join(cwd, "calls")
  mkdirSync(folder, { recursive: true })
  const tool = { tool_name: "Write", tool_input: { file_path: join(cwd, "src/a.ts"), content: "x".repeat(10_000) } }
  const file = join(folder, `${session}.json`)
  writeFileSync(file, JSON.stringify({ session_id: session, cwd, tool_use_id: "t1", ...tool }))
  return ["sh", "-c", 'exec "$1" hook pre-tool-use < "$2"', "sh", built, file]
}
