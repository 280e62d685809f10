import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { claude } from "../../src/agents/claude/program.ts"
import { makeAgent } from "../../src/agents/make-agent.ts"
import { makeAgentJob } from "../../src/agents/make-agent-job.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { systemLiveProcesses } from "../../src/lib/process/live-process.ts"
import { systemProcesses } from "../../src/lib/process/process.ts"
import { sleep } from "../../src/lib/sleep.ts"
import { type LinesReport, PROGRAMS } from "../agent-lines.ts"
import type { BenchCase, Finding } from "../lib/bench-case.ts"
import { median, show, takeTurns } from "../lib/measure.ts"
import { type Place, timeProcess } from "../lib/program.ts"

const RUNS = 100
const STREAMS = join(import.meta.dir, "../../test/fixtures/agent-streams")
const AGENT_LINES = join(import.meta.dir, "../agent-lines.ts")

export const agents: BenchCase = {
  name: "agents",
  summary: "running an agent against its bare process, and its lines against JSON.parse",
  async run({ sandbox, say }) {
    say(`${RUNS} runs of each`)
    const place = { cwd: sandbox.folder("workspace"), env: sandbox.env() }
    const findings = [await measureOverhead(place)]
    for (const { name } of PROGRAMS) findings.push(...(await measureLines(name, place)))
    return findings
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
  const { cwd, env } = place
  const job = makeAgentJob({ prompt: "go", workspace: cwd, stateFolder: join(cwd, "state"), permission: "edit", env })
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

/** Two rows: what the limit is about, and what a run does beyond it. */
async function measureLines(name: string, place: Place): Promise<Finding[]> {
  const { stdout } = await timeProcess([process.execPath, AGENT_LINES, name], place)
  const { lines, bytes, plainMs, parseMs, runMs }: LinesReport = JSON.parse(stdout)
  const against = (ms: number) => `${show(ms)} ms against ${show(plainMs)} ms`
  const figures = `${lines} lines of ${Math.round(bytes / lines)} bytes: ${against(parseMs)}`
  return [
    { what: `${name}, lines to events`, value: parseMs / plainMs, unit: "x", limit: { atMost: 2 }, figures },
    { what: `${name}, the same, masked`, value: runMs / plainMs, unit: "x", figures: against(runMs) },
  ]
}
