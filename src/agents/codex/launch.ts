import { realpathSync } from "node:fs"
import type { Effort } from "../../tasks/effort.ts"
import { hookEntries, jobHooks } from "../job-hooks.ts"
import type { AgentJob, Tier } from "../port.ts"
import type { Launch, ProgramConfig } from "../program.ts"
import { agreedServers, findInstructions } from "../project-setup.ts"
import { codexHome } from "./account.ts"
import { codexFacts } from "./facts.ts"
import { toToml } from "./toml.ts"

const SANDBOX = { edit: "workspace-write", full: "danger-full-access", ask: "read-only" } as const
const EFFORT_OF_TIER: Readonly<Record<Tier, Effort>> = { haiku: "low", sonnet: "medium", opus: "high" }

/**
 * With a home of its own: it writes to its settings file. The login is linked, and providers of the user's settings are
 * taken over. It would trust the workspace by itself and then run hooks and servers of the project, so it is told not to,
 * and gets the project's instructions as its own. Settings go into the file and not on the command line, where others
 * could read what a server is given.
 */
export function launchCodex(job: AgentJob, config: ProgramConfig): Launch {
  const home = `${job.stateFolder}/codex`
  const login = `${codexHome(job.env)}/auth.json`
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
    env: {
      CODEX_HOME: home,
      // How long it waits for its provider it tells only there.
      RUST_LOG: job.env.RUST_LOG ?? "error,codex_core::responses_retry=warn",
      // It takes a key only under its own name, and would take it before a login.
      ...(ownKey !== undefined || key === undefined || config.files.has(login) ? {} : { CODEX_API_KEY: key }),
    },
    files: {
      ...files,
      "codex/config.toml": toToml({ ...config.account.settings, ...settings(job, config), ...config.settings }),
      "codex/AGENTS.md": instructions(job, config),
      // Without hooks too, so that those of an earlier run in the same folder are gone.
      "codex/hooks.json": JSON.stringify({
        hooks: { PreToolUse: hookEntries(beforeTool), Stop: hookEntries(beforeStop) },
      }),
      ...(job.answerSchema === null ? {} : { "codex/answer.schema.json": JSON.stringify(job.answerSchema) }),
    },
    links: {
      "codex/auth.json": login,
      // It finds those in .agents and .codex by itself.
      "codex/skills/project": `${job.workspace}/.claude/skills`,
      "codex/skills/user": config.hasUserExtras ? (config.account.own.skills[0] ?? NOWHERE) : NOWHERE,
    },
    input: job.prompt,
    encodeMessage: null,
  }
}

/** A link to it is not made. */
const NOWHERE = "/nowhere"

/** Its own file for all projects, since it reads none of a workspace that it does not trust. */
function instructions({ workspace }: AgentJob, { files, account, hasUserExtras }: ProgramConfig): string {
  const own = findInstructions(workspace, ["AGENTS.override.md", "AGENTS.md"], files.has)
  const paths = [
    ...(hasUserExtras ? account.own.instructions : []),
    ...(own === undefined ? [] : [`${workspace}/${own}`]),
  ]
  return paths.map((path) => files.read(path) ?? "").join("\n\n")
}

function settings(job: AgentJob, config: ProgramConfig) {
  const { tier, effort, mcpServers, env, workspace } = job
  const { files, isAgreed, account, hasUserExtras } = config
  const all = {
    ...(hasUserExtras ? account.own.servers : {}),
    ...agreedServers(codexFacts, { workspace, read: files.read, isAgreed }),
    ...mcpServers,
  }
  // Otherwise a call waits for an approval that nobody gives.
  const servers = Object.entries(all).map(([name, server]) => [
    name,
    { ...Object(server), default_tools_approval_mode: "approve" },
  ])
  const untrusted = { trust_level: "untrusted" }
  return {
    approval_policy: "never",
    projects: { [workspace]: untrusted, [realPath(workspace)]: untrusted },
    model_reasoning_effort: effort ?? EFFORT_OF_TIER[tier],
    // Its sandbox lets everybody write to the common temp folder, where other worktrees may lie; one of its own will do.
    sandbox_workspace_write: { exclude_slash_tmp: env.TMPDIR !== undefined },
    // Each of these costs seconds at the end of a run.
    features: { plugins: false },
    analytics: { enabled: false },
    ...(servers.length === 0 ? {} : { mcp_servers: Object.fromEntries(servers) }),
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // then it does not start either
  }
}
