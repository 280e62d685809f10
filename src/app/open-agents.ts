import { diskFiles, NO_ACCOUNT } from "../agents/account.ts"
import { buildEnvironment } from "../agents/agent-environment.ts"
import type { ReadyAgent } from "../agents/jobs/run-job.ts"
import { makeAgent } from "../agents/make-agent.ts"
import { findPrice, readPrices } from "../agents/prices.ts"
import type { AgentProgram } from "../agents/program.ts"
import { agentNameOf } from "../agents/program-of.ts"
import { PROGRAMS } from "../agents/programs.ts"
import { systemClock } from "../lib/clock.ts"
import { dirname } from "../lib/paths.ts"
import { systemLiveProcesses } from "../lib/process/live-process.ts"
import type { Processes } from "../lib/process/process.ts"
import { sleep } from "../lib/sleep.ts"
import { agentProfiles, agentSettings } from "./config/agent-settings.ts"
import { userHomeOf } from "./config/environment.ts"
import type { Config } from "./config/settings.ts"
import { agreedPrograms } from "./config/trusted-settings.ts"
import type { Machine } from "./host.ts"

export async function openAgents(
  config: Config,
  { env, isRoot, self, commands, home, repositoryFile }: Pick<Machine, "env" | "isRoot" | "self"> & AgentSurroundings,
): Promise<ReadyAgent[]> {
  const ports = { processes: systemLiveProcesses, commands, clock: systemClock, sleep }
  const judgeWrite = [...self, "hook", "pre-tool-use", "--managed"]
  const isAgreed = agreedPrograms({ env, home, folder: dirname(repositoryFile) })
  const prices = readPrices([...PROGRAMS.flatMap((program) => program.prices), ...config("agents.prices")])
  const model = (name: string) => ({ model: name || null, price: findPrice(prices, name) ?? null })
  const programs: AgentProgram[] = await Promise.all(PROGRAMS.map(({ load }) => load()))
  return programs.flatMap((program) =>
    [null, ...agentProfiles(config, program.name, userHomeOf(env))].map((profile) => {
      const place = profile === null ? {} : (program.profile?.(profile.folder) ?? {})
      const seen = profile === null ? env : { ...buildEnvironment(env, []), ...place }
      const account = program.account?.(seen, diskFiles) ?? NO_ACCOUNT
      const { isEnabled, ...own } = agentSettings(config, {
        ...program,
        models: { ...program.models, ...account.models },
      })
      const { haiku, sonnet, opus } = own.models
      const name = agentNameOf(program.name, profile?.name ?? null)
      const extras = { hasUserExtras: config("agents.userSettings"), isAgreed }
      return {
        agent: makeAgent(program, { ...own, ...extras, name, isRoot, prices, judgeWrite }, ports),
        // Keys in the caller's variables belong to the default account: a profile gets only those that it names.
        env: {
          ...buildEnvironment(env, [
            ...(profile === null ? program.variables : []),
            ...account.variables,
            ...config("agents.passEnv"),
          ]),
          ...place,
        },
        isEnabled,
        models: { haiku: model(haiku), sonnet: model(sonnet), opus: model(opus) },
      }
    }),
  )
}

interface AgentSurroundings {
  readonly commands: Processes
  readonly home: string
  /** It may not exist. */
  readonly repositoryFile: string
}
