import { listSharedParts, type Ownership } from "../../ownership/judge-path.ts"
import { cleanPattern } from "../../ownership/plain-pattern.ts"
import { readTable } from "../account.ts"
import { placePrompt, userExtras } from "../launch-parts.ts"
import type { AgentJob } from "../port.ts"
import type { Launch, OpenLaunch, ProgramConfig } from "../program.ts"
import { agreedServers, findInstructions } from "../project-setup.ts"
import { OPENCODE_CONFIG_FILES, opencodeFacts } from "./facts.ts"

const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
}

/**
 * OpenCode gets its own configuration folder with the user's providers. Login and sessions stay where they are. The
 * project's configuration would override ours (permissions, plugins, servers), so we switch it off and copy its
 * plain text.
 */
export function launchOpencode(job: AgentJob, config: ProgramConfig): Launch {
  const folder = `${job.stateFolder}/opencode`
  const usersConfig = job.env.XDG_CONFIG_HOME ?? `${job.env.HOME ?? ""}/.config`
  const { argument, input } = placePrompt(job)
  return {
    command: [
      ...config.command,
      "run",
      "--format",
      "json",
      "-m",
      job.model ?? config.models[job.tier],
      // Only the log shows that the model's server failed and OpenCode will retry.
      "--print-logs",
      "--log-level",
      "ERROR",
      ...(job.permission === "full" ? ["--auto"] : []),
      ...(job.effort === null ? [] : ["--variant", job.effort]),
      ...(job.resume === null ? [] : ["-s", job.resume.id]),
      ...config.args,
      ...(argument === null ? [] : [argument]),
    ],
    env: {
      ...QUIET,
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      OPENCODE_CONFIG: `${folder}/opencode.json`,
      XDG_CONFIG_HOME: `${folder}/config`,
    },
    files: {
      "opencode/opencode.json": JSON.stringify({
        ...config.account.settings,
        ...settings(job, config),
        ...config.settings,
      }),
    },
    // Git looks here for the name of the author.
    links: { "opencode/config/git": `${usersConfig}/git` },
    input,
    encodeMessage: null,
  }
}

export function openOpencode(job: AgentJob, config: ProgramConfig): OpenLaunch {
  const { env, files, links } = launchOpencode({ ...job, prompt: "", answerSchema: null }, config)
  const model = job.model ?? config.models[job.tier]
  const flags = ["-s", job.resume?.id ?? "", ...(model === "" ? [] : ["-m", model])]
  return { command: [...config.command, ...flags, ...config.args], env, files, links }
}

/** The user's where wanted, the project's, and those its configuration names. */
function instructions({ workspace }: AgentJob, config: ProgramConfig): string[] {
  const { files } = config
  const found = findInstructions(workspace, ["AGENTS.md", "CLAUDE.md"], files.has)
  const named = OPENCODE_CONFIG_FILES.flatMap((name) => readTable(files, `${workspace}/${name}`).instructions ?? [])
  // OpenCode would fetch a URL.
  const paths = named.filter((path) => typeof path === "string" && !/^\w+:\/\/|^[/~]|\.\./.test(path))
  return [...userExtras(config).instructions, ...[found ?? [], ...paths].flat().map((path) => `${workspace}/${path}`)]
}

function settings(job: AgentJob, config: ProgramConfig) {
  const { workspace } = job
  const own = userExtras(config)
  const servers = Object.entries(job.mcpServers).map(([name, { command, args, env }]) => [
    name,
    { type: "local", command: [command, ...args], environment: env },
  ])
  const skills = [`${workspace}/.opencode/skills`, `${workspace}/.opencode/skill`].filter(config.files.has)
  return {
    $schema: "https://opencode.ai/config.json",
    autoupdate: false,
    share: "disabled",
    permission: permissions(job),
    instructions: instructions(job, config),
    // OpenCode finds those in .claude and .agents by itself.
    skills: { paths: [...skills, ...own.skills] },
    mcp: { ...own.servers, ...agreedServers(opencodeFacts, job, config), ...Object.fromEntries(servers) },
  }
}

/** Never "ask": that would end the run in the middle, with exit code 0. */
function permissions({ permission, ownership, allowedTools, deniedTools }: AgentJob): Record<string, unknown> {
  const all = (tools: readonly string[], word: "allow" | "deny") =>
    Object.fromEntries(tools.map((tool) => [tool, word]))
  const denied = all(deniedTools, "deny")
  if (permission === "full") return { "*": "allow", ...denied }
  const owned = ownership === null ? "allow" : ownershipRules(ownership)
  const careful = all(["bash", "webfetch", "websearch", "external_directory", "doom_loop"], "deny")
  return { ...careful, edit: permission === "edit" ? owned : "deny", ...all(allowedTools, "allow"), ...denied }
}

/** The last matching rule decides. */
function ownershipRules({ task, others, granted, shared, isCoordinated }: Ownership): Record<string, "allow" | "deny"> {
  const rules = (patterns: readonly string[], word: "allow" | "deny") =>
    patterns.flatMap((pattern) =>
      widen(cleanPattern(pattern).replace(/\/$/, "/**")).map((rule) => [rule, word] as const),
    )
  const files = task?.files ?? []
  const foreign = others.flatMap((other) => other.files)
  const own: ReturnType<typeof rules> =
    files.length === 0 ? [["*", "allow"], ...rules(foreign, "deny")] : [["*", "deny"], ...rules(files, "allow")]
  const claimed = files.flatMap((pattern) => listSharedParts(pattern, shared))
  const common =
    task === null ? [] : [...rules(shared, isCoordinated === true ? "allow" : "deny"), ...rules(claimed, "allow")]
  return Object.fromEntries([...own, ...common, ...rules(granted, "allow")])
}

/** OpenCode has only `?` and a `*` that crosses folders, so its rule is never narrower than ours and may be wider. */
function widen(glob: string): string[] {
  const [, before = "", choices, behind = ""] = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(glob) ?? []
  if (choices !== undefined) return choices.split(",").flatMap((choice) => widen(before + choice + behind))
  const letters = glob.replaceAll(/\[[^\]]*\]/g, "?")
  return [...new Set([glob, letters, letters.replaceAll("**/", "")])]
}
