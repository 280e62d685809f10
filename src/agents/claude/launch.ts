import { hookEntries, type JobHooks, jobHooks, userExtras, withoutFlags } from "../launch-parts.ts"
import type { AgentJob, AgentMessage } from "../port.ts"
import type { EncodedMessage, Launch, OpenLaunch, ProgramConfig } from "../program.ts"
import { agreedServers, findInstructions } from "../project-setup.ts"
import { claudeFacts } from "./facts.ts"
import { projectSkills } from "./project-skills.ts"

const QUIET = {
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
}

/**
 * Claude Code reads no settings file of the project, because settings may run programs and grant permissions. It
 * gets plain text in other ways: instructions by an added folder, skills and subagents as a plugin. It gets a skill
 * with hooks only where a person agreed. Of the user's settings it gets how to reach the model.
 */
export function launchClaude(job: AgentJob, config: ProgramConfig): Launch {
  const { turns, dollars } = job.limits
  // The model calls the schema as its last tool, so it does not change what the agent says before.
  const schema = job.answerSchema ?? job.closingSchema
  const hooks = jobHooks(job, config)
  const project = projectParts(job, config)
  const servers = {
    ...userExtras(config).servers,
    ...agreedServers(claudeFacts, job, config),
    ...Object.fromEntries(Object.entries(job.mcpServers).map(([name, server]) => [name, { type: "stdio", ...server }])),
  }
  return {
    command: [
      ...config.command,
      "-p",
      "--input-format",
      "stream-json",
      "--output-format",
      "stream-json",
      "--verbose",
      "--replay-user-messages",
      "--setting-sources",
      config.hasUserExtras ? "user" : "",
      "--settings",
      `${job.stateFolder}/claude/settings.json`,
      ...project.args,
      "--strict-mcp-config",
      "--mcp-config",
      `${job.stateFolder}/claude/mcp.json`,
      "--permission-mode",
      permissionMode(job),
      "--model",
      job.model ?? config.models[job.tier],
      ...(job.effort === null ? [] : ["--effort", job.effort]),
      ...(turns === null ? [] : ["--max-turns", String(turns)]),
      ...(dollars === null ? [] : ["--max-budget-usd", String(dollars)]),
      ...(schema === undefined ? [] : ["--json-schema", JSON.stringify(schema)]),
      ...(job.resume === null ? [] : ["--resume", job.resume.id]),
      ...config.args,
    ],
    // As root it skips permissions only in a sandbox.
    env: { ...QUIET, ...project.env, ...(job.permission === "full" && config.isRoot && { IS_SANDBOX: "1" }) },
    files: {
      ...hooks.files,
      ...project.files,
      "claude/settings.json": JSON.stringify({
        ...config.account.settings,
        ...settings(job, hooks, Object.keys(servers)),
        ...config.settings,
      }),
      "claude/mcp.json": JSON.stringify({ mcpServers: servers }),
    },
    links: project.links,
    input: userLine(job.prompt),
    encodeMessage,
  }
}

const HEADLESS = {
  alone: ["-p", "--verbose", "--replay-user-messages"],
  withValue: ["--input-format", "--output-format", "--max-turns", "--max-budget-usd", "--json-schema"],
}

/** With the settings and guards of a run. Claude Code finds a session only below the folder of its start. */
export function openClaude(job: AgentJob, config: ProgramConfig): OpenLaunch {
  const { command, env, files, links } = launchClaude(job, config)
  const home = job.env.CLAUDE_CONFIG_DIR ?? `${job.env.HOME ?? ""}/.claude`
  const file = `${job.resume?.id ?? ""}.jsonl`
  const folder = job.workspace.replaceAll(/[^A-Za-z0-9]/g, "-")
  return {
    command: withoutFlags(command, HEADLESS),
    env,
    files,
    links,
    carry: { from: `${home}/projects/*/${file}`, to: `${home}/projects/${folder}/${file}` },
  }
}

function permissionMode({ permission, ownership }: AgentJob): string {
  if (permission === "full") return "bypassPermissions"
  // acceptEdits also runs commands that write, such as mv; with owned files only tools that we can check may write.
  return permission === "edit" && ownership === null ? "acceptEdits" : "default"
}

const PLUGIN = "claude/plugin"
/** Besides skills. Their hooks do not run. */
const PLUGIN_PARTS = ["agents", "commands"] as const

/** Only text, which runs nothing by itself. */
function projectParts({ workspace, stateFolder }: AgentJob, { files, isAgreed }: ProgramConfig) {
  const isOwn = ["CLAUDE.md", ".claude/CLAUDE.md", ".claude/rules"].some((name) => files.has(`${workspace}/${name}`))
  const foreign = isOwn ? undefined : findInstructions(workspace, [], files.has)
  const skills = [...projectSkills({ workspace, files, isAgreed })]
  const links = Object.fromEntries([
    ...PLUGIN_PARTS.map((name) => [`${PLUGIN}/${name}`, `${workspace}/.claude/${name}`]),
    ...skills.map(([name, folder]) => [`${PLUGIN}/skills/${name}`, folder]),
  ])
  const hasPlugin = skills.length > 0 || PLUGIN_PARTS.some((name) => files.has(`${workspace}/.claude/${name}`))
  return {
    args: [
      ...(isOwn ? ["--add-dir", workspace] : []),
      ...(foreign === undefined ? [] : ["--append-system-prompt-file", `${workspace}/${foreign}`]),
      ...(hasPlugin ? ["--plugin-dir", `${stateFolder}/${PLUGIN}`] : []),
    ],
    env: { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: isOwn ? "1" : "0" },
    files: { [`${PLUGIN}/.claude-plugin/plugin.json`]: JSON.stringify({ name: "project", version: "1.0.0" }) },
    links,
  }
}

function settings(
  { permission, ownership, allowedTools, deniedTools }: AgentJob,
  hooks: JobHooks,
  servers: readonly string[],
) {
  const edit = permission === "edit" && ownership !== null ? ["Edit", "Write", "NotebookEdit"] : []
  return {
    permissions: { allow: [...allowedTools, ...servers.map((name) => `mcp__${name}`), ...edit], deny: deniedTools },
    // The user's settings must not switch off our guard.
    disableAllHooks: false,
    hooks: { PreToolUse: hookEntries(hooks.beforeTool, { matcher: "*" }), Stop: hookEntries(hooks.beforeStop) },
  }
}

function encodeMessage({ id, text }: AgentMessage): EncodedMessage {
  const wireId = uuidOf(id)
  return { wireId, line: userLine(text, wireId) }
}

function userLine(content: string, uuid?: string): string {
  return `${JSON.stringify({ type: "user", message: { role: "user", content }, uuid })}\n`
}

/** Claude Code takes only UUIDs; our ids may be any text. */
function uuidOf(text: string): string {
  const hex = new Bun.CryptoHasher("sha256").update(text).digest("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
