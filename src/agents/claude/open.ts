import type { AgentJob } from "../port.ts"
import type { OpenLaunch, ProgramConfig } from "../program.ts"
import { withoutFlags } from "../without-flags.ts"
import { launchClaude } from "./launch.ts"

const HEADLESS = {
  alone: ["-p", "--verbose", "--replay-user-messages"],
  withValue: ["--input-format", "--output-format", "--max-turns", "--max-budget-usd", "--json-schema"],
}

/** The same settings and guards as in a run. It finds a session only below the folder that it was made in. */
export function openClaude(job: AgentJob, config: ProgramConfig): OpenLaunch {
  const { command, env, files, links } = launchClaude(job, config)
  const home = job.env.CLAUDE_CONFIG_DIR ?? `${job.env.HOME ?? ""}/.claude`
  const file = `${job.resume?.id ?? ""}.jsonl`
  return {
    ...{ command: withoutFlags(command, HEADLESS), env, files, links },
    carry: { from: `${home}/projects/*/${file}`, to: `${home}/projects/${folderName(job.workspace)}/${file}` },
  }
}

function folderName(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9]/g, "-")
}
