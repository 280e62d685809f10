import type { AgentJob } from "../port.ts"
import type { OpenLaunch, ProgramConfig } from "../program.ts"
import { launchOpencode } from "./launch.ts"

export function openOpencode(job: AgentJob, config: ProgramConfig): OpenLaunch {
  const { env, files, links } = launchOpencode({ ...job, prompt: "", answerSchema: null }, config)
  const model = job.model ?? config.models[job.tier]
  const flags = ["-s", job.resume?.id ?? "", ...(model === "" ? [] : ["-m", model])]
  return { command: [...config.command, ...flags, ...config.args], env, files, links }
}
