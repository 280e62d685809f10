import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { claude } from "../../src/agents/claude/program.ts"
import { codex } from "../../src/agents/codex/program.ts"
import { gemini } from "../../src/agents/gemini/program.ts"
import { makeAgent } from "../../src/agents/make-agent.ts"
import { opencode } from "../../src/agents/opencode/program.ts"
import type { AgentJob } from "../../src/agents/port.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { systemLiveProcesses } from "../../src/lib/live-process.ts"
import { systemProcesses } from "../../src/lib/process.ts"
import { sleep } from "../../src/lib/sleep.ts"
import type { BenchCase, Finding } from "../lib/bench-case.ts"
import { median, show, takeTurns } from "../lib/measure.ts"
import { type Place, timeProcess } from "../lib/program.ts"

const RUNS = 30
const STREAMS = join(import.meta.dir, "../../test/fixtures/agent-streams")
const ROUNDS = 15
const LINES = 4000

export const agents: BenchCase = {
  name: "agents",
  summary: "running an agent against its bare process, and reading its output against JSON.parse",
  async run({ sandbox, say }) {
    say(`${RUNS} runs of each`)
    const cwd = sandbox.folder("workspace")
    const overhead = await measureOverhead({ cwd, env: sandbox.env() })
    const parsing: Finding[] = []
    for (const program of [claude, codex, gemini, opencode]) parsing.push(await measureParsing(program.name, cwd))
    return [overhead, ...parsing]
  },
}

/** A fixture that prints what Claude printed once; both sides start the same program. */
async function measureOverhead(place: Place): Promise<Finding> {
  const command = ["sh", join(place.cwd, "agent.sh")]
  const stream = join(STREAMS, "claude-hello.jsonl")
  mkdirSync(place.cwd, { recursive: true })
  writeFileSync(join(place.cwd, "agent.sh"), `cat '${stream}'\n`)
  const ports = { processes: systemLiveProcesses, commands: systemProcesses, clock: systemClock, sleep }
  const agent = makeAgent(claude, { command, isRoot: false }, ports)
  const job = jobIn(place)
  const times = await takeTurns(
    {
      bare: async () => (await timeProcess(command, place)).ms,
      agent: async () => {
        const start = performance.now()
        const { reason, error } = await agent.run(job, { onEvent: () => undefined })
        if (reason !== "done") throw new Error(`the agent ended with ${reason}: ${error}`)
        return performance.now() - start
      },
    },
    RUNS,
  )
  const [bare, ours] = [median(times.bare), median(times.agent)]
  const figures = `${show(ours)} ms against ${show(bare)} ms`
  return { what: "added to the bare process", value: ours - bare, unit: "ms", limit: { atMost: 20 }, figures }
}

async function measureParsing(name: string, cwd: string): Promise<Finding> {
  const program = [claude, codex, gemini, opencode].find((each) => each.name === name) ?? claude
  const streams = readdirSync(STREAMS)
    .filter((file) => file.startsWith(name))
    .map((file) => readFileSync(join(STREAMS, file), "utf8").split("\n"))
    .map((lines) => lines.filter((line) => line.startsWith("{")))
  const lineCount = streams.flat().length
  const passes = Math.ceil(LINES / lineCount)
  const job = jobIn({ cwd, env: {} })
  let sink = 0
  const timed = (work: () => void) => async () => {
    const start = performance.now()
    work()
    return performance.now() - start
  }
  const times = await takeTurns(
    {
      plain: timed(() => {
        for (let pass = 0; pass < passes; pass++)
          for (const lines of streams) for (const line of lines) sink += JSON.parse(line) === null ? 1 : 0
      }),
      ours: timed(() => {
        for (let pass = 0; pass < passes; pass++)
          for (const lines of streams) {
            // A new one for each, as in a run: one that has seen an id before has less to do.
            const translator = program.translate(job, systemClock)
            for (const line of lines) sink += translator.line(line).length
          }
      }),
    },
    ROUNDS,
  )
  if (sink === 0) throw new Error("nothing was read")
  const [plain, ours] = [median(times.plain), median(times.ours)]
  const figures = `${passes * lineCount} lines: ${show(ours)} ms against ${show(plain)} ms`
  return { what: `${name}'s lines against JSON.parse`, value: ours / plain, unit: "x", limit: { atMost: 2 }, figures }
}

function jobIn({ cwd, env }: Place): AgentJob {
  return {
    prompt: "go",
    commands: [],
    workspace: cwd,
    stateFolder: join(cwd, "state"),
    model: null,
    tier: "sonnet",
    effort: null,
    allowedTools: [],
    deniedTools: [],
    ownedFiles: [],
    mcpServers: {},
    hooks: {},
    answerSchema: null,
    resume: null,
    permission: "edit",
    limits: { turns: null, timeMs: null, tokens: null, dollars: null, outputBytes: null },
    env,
  }
}
