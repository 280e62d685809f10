import { listClaims, type Ownership } from "../../ownership/judge-path.ts"
import { cleanPattern } from "../../ownership/plain-pattern.ts"
import { askForJson } from "../answer.ts"
import type { AgentJob } from "../port.ts"
import type { Launch, ProgramConfig } from "../program.ts"
import { placePrompt } from "../prompt-place.ts"

const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
}

/** With a configuration folder of its own. Login and sessions are data, not configuration, and stay where they are. */
export function launchOpencode(job: AgentJob, config: ProgramConfig): Launch {
  const folder = `${job.stateFolder}/opencode`
  const usersConfig = job.env.XDG_CONFIG_HOME ?? `${job.env.HOME ?? ""}/.config`
  const { argument, input } = placePrompt(askForJson(job))
  return {
    command: [
      ...config.command,
      ...["run", "--format", "json", "-m", job.model ?? config.models[job.tier]],
      // That the model's server failed, and that it will try again, it tells only there.
      ...["--print-logs", "--log-level", "ERROR"],
      ...(job.permission === "full" ? ["--auto"] : []),
      ...(job.effort === null ? [] : ["--variant", job.effort]),
      ...(job.resume === null ? [] : ["-s", job.resume.id]),
      ...config.args,
      ...(argument === null ? [] : [argument]),
    ],
    env: { ...QUIET, OPENCODE_CONFIG: `${folder}/opencode.json`, XDG_CONFIG_HOME: `${folder}/config` },
    files: { "opencode/opencode.json": JSON.stringify({ ...settings(job), ...config.settings }) },
    // The git that the agent calls looks here for a person's name.
    links: { "opencode/config/git": `${usersConfig}/git` },
    input,
    encodeMessage: null,
  }
}

function settings(job: AgentJob) {
  const servers = Object.entries(job.mcpServers).map(([name, { command, args, env }]) => [
    name,
    { type: "local", command: [command, ...args], environment: env },
  ])
  return {
    $schema: "https://opencode.ai/config.json",
    autoupdate: false,
    share: "disabled",
    permission: permissions(job),
    mcp: Object.fromEntries(servers),
  }
}

/** Nothing is ever left at "ask": that would end the run in its middle, with exit code 0. */
function permissions({ permission, ownership, allowedTools, deniedTools }: AgentJob): Record<string, unknown> {
  const all = (tools: readonly string[], word: "allow" | "deny") =>
    Object.fromEntries(tools.map((tool) => [tool, word]))
  const denied = all(deniedTools, "deny")
  if (permission === "full") return { "*": "allow", ...denied }
  const owned = ownership === null ? "allow" : ownershipRules(ownership)
  const careful = all(["bash", "webfetch", "websearch", "external_directory", "doom_loop"], "deny")
  return { ...careful, edit: permission === "edit" ? owned : "deny", ...all(allowedTools, "allow"), ...denied }
}

/** The last that fits decides. */
function ownershipRules({ task, others, granted, shared, isCoordinated }: Ownership): Record<string, "allow" | "deny"> {
  const rules = (patterns: readonly string[], word: "allow" | "deny") =>
    patterns.flatMap((pattern) =>
      widen(cleanPattern(pattern).replace(/\/$/, "/**")).map((rule) => [rule, word] as const),
    )
  const files = task?.files ?? []
  const foreign = others.flatMap((other) => other.files)
  const own: ReturnType<typeof rules> =
    files.length === 0 ? [["*", "allow"], ...rules(foreign, "deny")] : [["*", "deny"], ...rules(files, "allow")]
  const claimed = files.flatMap((pattern) => listClaims(pattern, shared))
  const common =
    task === null ? [] : [...rules(shared, isCoordinated === true ? "allow" : "deny"), ...rules(claimed, "allow")]
  return Object.fromEntries([...own, ...common, ...rules(granted, "allow")])
}

/** It knows only `?` and a `*` that goes over folders. So its rule is never narrower than ours, at times wider. */
function widen(glob: string): string[] {
  const [, before = "", choices, behind = ""] = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(glob) ?? []
  if (choices !== undefined) return choices.split(",").flatMap((choice) => widen(before + choice + behind))
  const letters = glob.replaceAll(/\[[^\]]*\]/g, "?")
  return [...new Set([glob, letters, letters.replaceAll("**/", "")])]
}
