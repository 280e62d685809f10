import type { AgentJob } from "../port.ts"
import type { OpenLaunch, ProgramConfig } from "../program.ts"
import { launchCodex } from "./launch.ts"

/** The home that the runs had, with its settings, hooks and sessions. */
export function openCodex(job: AgentJob, config: ProgramConfig): OpenLaunch {
  const { command, env, files, links } = launchCodex({ ...job, resume: null, answerSchema: null }, config)
  const flags = command.slice(config.command.length).filter((word) => !HEADLESS.includes(word))
  return {
    ...{ env, files, links },
    command: [
      ...[...config.command, "resume", ...flags],
      // Otherwise it copies a server of several hundred megabytes into its home.
      ...["-c", "features.daemon_auto_start=false"],
      job.resume?.id ?? "",
    ],
  }
}

const HEADLESS = ["exec", "--json", "--skip-git-repo-check", "-"]
