import type { AgentJob } from "../port.ts"
import type { OpenLaunch, ProgramConfig } from "../program.ts"
import { withoutFlags } from "../without-flags.ts"
import { launchGemini } from "./launch.ts"

export function openGemini(job: AgentJob, config: ProgramConfig): OpenLaunch {
  const { command, env, files, links } = launchGemini({ ...job, prompt: "", answerSchema: null }, config)
  return { command: withoutFlags(command, { withValue: ["-o", "-p"] }), env, files, links }
}
