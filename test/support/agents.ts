import { join } from "node:path"
import { NO_ACCOUNT } from "../../src/agents/account.ts"
import { type AgentSettings, makeAgent } from "../../src/agents/make-agent.ts"
import { makeAgentJob } from "../../src/agents/make-agent-job.ts"
import type { Agent, AgentEvent, AgentJob, AgentResult, RunOptions } from "../../src/agents/port.ts"
import type { AgentProgram, ProgramConfig } from "../../src/agents/program.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { systemLiveProcesses } from "../../src/lib/process/live-process.ts"
import { systemProcesses } from "../../src/lib/process/process.ts"
import { sleep } from "../../src/lib/sleep.ts"
import type { Ownership } from "../../src/ownership/judge-path.ts"
import { sandboxEnv } from "./sandbox.ts"

export { NO_LIMITS } from "../../src/agents/make-agent-job.ts"

/** What a launch gets where a test says nothing else: not logged in, and no file is there. */
export function programConfig(program: AgentProgram, change: Partial<ProgramConfig> = {}): ProgramConfig {
  return {
    ...{ command: program.command, models: program.models, args: [], settings: {}, isRoot: false },
    ...{ judgeWrite: ["judge"], account: NO_ACCOUNT, hasUserExtras: false, isAgreed: () => false },
    files: { read: () => undefined, has: () => false, list: () => [] },
    ...change,
  }
}

export const FIXTURE_AGENT = join(import.meta.dir, "../fixtures/agents/agent.ts")
/** A task that owns these files, alone in the world. */
export function owning(...files: readonly string[]): Ownership {
  return { task: { id: "1", files }, others: [], granted: [], shared: [] }
}

/** Our own command that judges writes, from source. */
export const JUDGE_WRITE = [
  process.execPath,
  join(import.meta.dir, "../../src/bin/main.ts"),
  "hook",
  "pre-tool-use",
  "--managed",
]

export const AGENT_PORTS = {
  processes: systemLiveProcesses,
  commands: systemProcesses,
  clock: systemClock,
  sleep,
} as const

/** A program whose command is the fixture that speaks its format. */
export function fixtureAgent(program: AgentProgram, settings: Partial<AgentSettings> = {}): Agent {
  const command = program.name === "script" ? ["sh"] : [process.execPath, FIXTURE_AGENT, program.name]
  return makeAgent(program, { command, isRoot: false, judgeWrite: JUDGE_WRITE, graceMs: 300, ...settings }, AGENT_PORTS)
}

export function makeJob(folder: string, change: Partial<AgentJob> = {}): AgentJob {
  return makeAgentJob({
    prompt: "[[hello]]",
    workspace: folder,
    stateFolder: join(folder, ".state"),
    permission: "edit",
    env: sandboxEnv(),
    ...change,
  })
}

/** A job that plays a scenario of the fixture, whatever the program. */
export function scenarioJob(folder: string, scenario: string, change: Partial<AgentJob> = {}): AgentJob {
  const command = `exec '${process.execPath}' '${FIXTURE_AGENT}' script '[[${scenario}]]'`
  return makeJob(folder, { prompt: `[[${scenario}]]`, commands: [command], ...change })
}

export interface Recorded {
  readonly result: AgentResult
  readonly events: readonly AgentEvent[]
}

export async function record(agent: Agent, job: AgentJob, options: RunOptions = {}): Promise<Recorded> {
  const events: AgentEvent[] = []
  const result = await agent.run(job, {
    ...options,
    async onEvent(event) {
      events.push(event)
      await options.onEvent?.(event)
    },
  })
  return { result, events }
}
