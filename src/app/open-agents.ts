import { acp } from "../agents/acp/program.ts"
import { buildEnvironment } from "../agents/agent-environment.ts"
import { claude } from "../agents/claude/program.ts"
import { codex } from "../agents/codex/program.ts"
import { gemini } from "../agents/gemini/program.ts"
import type { ReadyAgent } from "../agents/jobs/run-job.ts"
import { makeAgent } from "../agents/make-agent.ts"
import { opencode } from "../agents/opencode/program.ts"
import { findPrice, readPrices } from "../agents/prices.ts"
import type { AgentProgram } from "../agents/program.ts"
import { agentNameOf } from "../agents/program-of.ts"
import { script } from "../agents/script/program.ts"
import { systemClock } from "../lib/clock.ts"
import { systemLiveProcesses } from "../lib/process/live-process.ts"
import type { Processes } from "../lib/process/process.ts"
import { sleep } from "../lib/sleep.ts"
import { type AgentProfileFolder, agentProfiles, agentSettings } from "./config/agent-settings.ts"
import { userHomeOf } from "./config/environment.ts"
import type { Config } from "./config/keys.ts"
import type { Machine } from "./host.ts"

const PROGRAMS: readonly AgentProgram[] = [claude, codex, gemini, opencode, acp, script]

/** The agents that there are, each as the configuration has it. */
export function openAgents(config: Config, { env, isRoot, self }: Machine, commands: Processes): ReadyAgent[] {
  const ports = { processes: systemLiveProcesses, commands, clock: systemClock, sleep }
  const judgeWrite = [...self, "hook", "pre-tool-use", "--managed"]
  const prices = readPrices(config["agents.prices"])
  return PROGRAMS.flatMap((program) => {
    const { isEnabled, ...own } = agentSettings(config, program)
    const settings = { ...own, isRoot, prices, judgeWrite }
    const model = (name: string) => ({ model: name || null, price: findPrice(prices, name) ?? null })
    const { haiku, sonnet, opus } = settings.models
    const models = { haiku: model(haiku), sonnet: model(sonnet), opus: model(opus) }
    const accounts = [null, ...agentProfiles(config, program.name, userHomeOf(env))]
    return accounts.map((profile) => {
      const name = agentNameOf(program.name, profile?.name ?? null)
      const agentEnv = profile === null ? buildEnvironment(env, program.variables) : profileEnv(program, env, profile)
      return { agent: makeAgent(program, { ...settings, name }, ports), env: agentEnv, isEnabled, models }
    })
  })
}

/** Keys and providers in the caller's variables belong to the program's own account, so a profile gets none of them. */
function profileEnv(program: AgentProgram, env: Machine["env"], { folder }: AgentProfileFolder) {
  return { ...buildEnvironment(env, []), ...program.profile?.(folder) }
}
