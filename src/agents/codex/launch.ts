import { realpathSync } from "node:fs"
import type { Effort } from "../../tasks/effort.ts"
import { hookEntries, jobHooks, joinFiles, userExtras } from "../launch-parts.ts"
import type { AgentJob, Tier } from "../port.ts"
import type { Launch, OpenLaunch, ProgramConfig } from "../program.ts"
import { agreedServers, findInstructions } from "../project-setup.ts"
import { codexHome } from "./account.ts"
import { codexFacts } from "./facts.ts"

const SANDBOX = { edit: "workspace-write", full: "danger-full-access", ask: "read-only" } as const
const EFFORT_OF_TIER: Readonly<Record<Tier, Effort>> = { haiku: "low", sonnet: "medium", opus: "high" }

/**
 * Codex gets its own home, because it writes to its settings file. We link the login and copy the user's providers.
 * It would trust the workspace and run the project's hooks and servers, so the settings forbid that, and it gets
 * the project's instructions as its own. Settings go into the file: a command line would show secrets of servers.
 */
export function launchCodex(job: AgentJob, config: ProgramConfig): Launch {
  const home = `${job.stateFolder}/codex`
  const login = `${codexHome(job.env)}/auth.json`
  const { beforeTool, beforeStop, files } = jobHooks(job, config)
  const hasHooks = beforeTool.length + beforeStop.length > 0
  const { CODEX_API_KEY: ownKey, OPENAI_API_KEY: key } = job.env
  const schema = job.answerSchema
  return {
    command: [
      ...config.command,
      "exec",
      "--json",
      "--skip-git-repo-check",
      "-C",
      job.workspace,
      "-s",
      SANDBOX[job.permission],
      "-m",
      job.model ?? config.models[job.tier],
      // Not for `closingSchema`: Codex applies the schema to every message, also before the work is done.
      ...(schema === null ? [] : ["--output-schema", `${home}/answer.schema.json`]),
      // Our own hooks need no consent.
      ...(hasHooks ? ["--dangerously-bypass-hook-trust"] : []),
      ...config.args,
      ...(job.resume === null ? [] : ["resume", job.resume.id]),
      "-",
    ],
    env: {
      CODEX_HOME: home,
      // Only the log shows how long it waits for its provider.
      RUST_LOG: job.env.RUST_LOG ?? "error,codex_core::responses_retry=warn",
      // Codex takes a key only under its own name, and would prefer it to a login.
      ...(ownKey === undefined && key !== undefined && !config.files.has(login) && { CODEX_API_KEY: key }),
    },
    files: {
      ...files,
      "codex/config.toml": toToml({ ...config.account.settings, ...settings(job, config), ...config.settings }),
      "codex/AGENTS.md": instructions(job, config),
      // Also without hooks, to replace those of an earlier run.
      "codex/hooks.json": JSON.stringify({
        hooks: { PreToolUse: hookEntries(beforeTool), Stop: hookEntries(beforeStop) },
      }),
      ...(schema !== null && { "codex/answer.schema.json": JSON.stringify(schema) }),
    },
    links: {
      "codex/auth.json": login,
      // Codex finds those in .agents and .codex by itself.
      "codex/skills/project": `${job.workspace}/.claude/skills`,
      "codex/skills/user": userExtras(config).skills[0] ?? NOWHERE,
    },
    input: job.prompt,
    encodeMessage: null,
  }
}

/** No link is made to it. */
const NOWHERE = "/nowhere"

const HEADLESS = ["exec", "--json", "--skip-git-repo-check", "-"]

/** With the home of the runs: settings, hooks and sessions. */
export function openCodex(job: AgentJob, config: ProgramConfig): OpenLaunch {
  const { command, env, files, links } = launchCodex({ ...job, resume: null, answerSchema: null }, config)
  const flags = command.slice(config.command.length).filter((word) => !HEADLESS.includes(word))
  // Otherwise it copies a server of several hundred megabytes into its home.
  const quiet = ["-c", "features.daemon_auto_start=false"]
  return { env, files, links, command: [...config.command, "resume", ...flags, ...quiet, job.resume?.id ?? ""] }
}

/** Codex reads no instructions of an untrusted workspace, so they become its own. */
function instructions({ workspace }: AgentJob, config: ProgramConfig): string {
  const own = findInstructions(workspace, ["AGENTS.override.md", "AGENTS.md"], config.files.has)
  const paths = [...userExtras(config).instructions, ...(own === undefined ? [] : [`${workspace}/${own}`])]
  return joinFiles(paths, config)
}

function settings(job: AgentJob, config: ProgramConfig) {
  const { tier, effort, mcpServers, env, workspace } = job
  const all = { ...userExtras(config).servers, ...agreedServers(codexFacts, job, config), ...mcpServers }
  // Otherwise a call waits for an approval forever.
  const servers = Object.entries(all).map(([name, server]) => [
    name,
    { ...Object(server), default_tools_approval_mode: "approve" },
  ])
  const untrusted = { trust_level: "untrusted" }
  return {
    approval_policy: "never",
    projects: { [workspace]: untrusted, [realPath(workspace)]: untrusted },
    model_reasoning_effort: effort ?? EFFORT_OF_TIER[tier],
    // Its sandbox may write to the common temp folder, which may hold other worktrees, unless TMPDIR is set.
    sandbox_workspace_write: { exclude_slash_tmp: env.TMPDIR !== undefined },
    // Each of these costs seconds at the end of a run.
    features: { plugins: false },
    analytics: { enabled: false },
    ...(servers.length > 0 && { mcp_servers: Object.fromEntries(servers) }),
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // then Codex does not start either
  }
}

/** One line per entry, deeper tables inline. Values are JSON without null. */
function toToml(table: Readonly<Record<string, unknown>>): string {
  return Object.entries(table)
    .map(([key, value]) => `${JSON.stringify(key)} = ${inlineToml(value)}\n`)
    .join("")
}

function inlineToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineToml).join(", ")}]`
  if (typeof value !== "object" || value === null) {
    // JSON and TOML agree on these values, except for one character that TOML wants escaped.
    return JSON.stringify(value ?? "").replaceAll("\u007f", "\\u007F")
  }
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)} = ${inlineToml(item)}`)
  return `{ ${entries.join(", ")} }`
}
