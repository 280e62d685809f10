import type { Effort } from "../../tasks/effort.ts"
import { hookEntries, jobHooks } from "../job-hooks.ts"
import type { AgentJob, Tier } from "../port.ts"
import type { Launch, ProgramConfig } from "../program.ts"
import { toToml } from "./toml.ts"

const SANDBOX = { edit: "workspace-write", full: "danger-full-access", ask: "read-only" } as const
const EFFORT_OF_TIER: Readonly<Record<Tier, Effort>> = { haiku: "low", sonnet: "medium", opus: "high" }

/**
 * With a home of its own: it writes to its settings file, and those of the user are none of our business. The login is
 * linked. Settings go into the file and not on the command line, where others could read what a server is given.
 */
export function launchCodex(job: AgentJob, config: ProgramConfig): Launch {
  const home = `${job.stateFolder}/codex`
  const usersHome = job.env.CODEX_HOME ?? `${job.env.HOME ?? ""}/.codex`
  const { beforeTool, beforeStop, files } = jobHooks(job, config)
  const hasHooks = beforeTool.length + beforeStop.length > 0
  const { CODEX_API_KEY: ownKey, OPENAI_API_KEY: key } = job.env
  return {
    command: [
      ...config.command,
      "exec",
      "--json",
      "--skip-git-repo-check",
      ...["-C", job.workspace, "-s", SANDBOX[job.permission], "-m", job.model ?? config.models[job.tier]],
      // Not for `closingSchema`: it holds every message of the turn to the schema, also those before the work is done.
      ...(job.answerSchema === null ? [] : ["--output-schema", `${home}/answer.schema.json`]),
      // Our own hooks need no trust of a person's.
      ...(hasHooks ? ["--dangerously-bypass-hook-trust"] : []),
      ...config.args,
      ...(job.resume === null ? [] : ["resume", job.resume.id]),
      "-",
    ],
    // How long it waits for its provider it tells only there.
    env: { CODEX_HOME: home, RUST_LOG: job.env.RUST_LOG ?? "error,codex_core::responses_retry=warn" },
    files: {
      ...files,
      "codex/config.toml": toToml({ ...settings(job), ...config.settings }),
      // Without hooks too, so that those of an earlier run in the same folder are gone.
      "codex/hooks.json": JSON.stringify({
        hooks: { PreToolUse: hookEntries(beforeTool), Stop: hookEntries(beforeStop) },
      }),
      ...(job.answerSchema === null ? {} : { "codex/answer.schema.json": JSON.stringify(job.answerSchema) }),
    },
    links: { "codex/auth.json": `${usersHome}/auth.json` },
    // It takes a key only under its own name, and would take it before a login.
    envWithoutLinks: ownKey !== undefined || key === undefined ? {} : { CODEX_API_KEY: key },
    input: job.prompt,
    encodeMessage: null,
  }
}

function settings({ tier, effort, mcpServers, env }: AgentJob) {
  const servers = Object.entries(mcpServers).map(([name, { command, args, env }]) => {
    // Otherwise a call waits for an approval that nobody gives.
    return [name, { command, args, env, default_tools_approval_mode: "approve" }]
  })
  return {
    approval_policy: "never",
    model_reasoning_effort: effort ?? EFFORT_OF_TIER[tier],
    // Its sandbox lets everybody write to the common temp folder, where other worktrees may lie; one of its own will do.
    sandbox_workspace_write: { exclude_slash_tmp: env.TMPDIR !== undefined },
    // Each of these costs seconds at the end of a run.
    features: { plugins: false },
    analytics: { enabled: false },
    ...(servers.length === 0 ? {} : { mcp_servers: Object.fromEntries(servers) }),
  }
}
