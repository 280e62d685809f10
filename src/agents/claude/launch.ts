import { hookEntries, type JobHooks, jobHooks } from "../job-hooks.ts"
import type { AgentJob, AgentMessage } from "../port.ts"
import type { EncodedMessage, Launch, ProgramConfig } from "../program.ts"
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
 * It reads no settings file of the project: those may run programs and grant permissions. What is text alone comes in by
 * other ways: instructions as those of an added folder, skills and subagents as a plugin. A skill with hooks is no text
 * alone, so it comes in only where a person agreed to it. Of the user's settings it gets
 * what says how to reach the model, and the rest only where `hasUserExtras` asks for it.
 */
export function launchClaude(job: AgentJob, config: ProgramConfig): Launch {
  const settingsFile = `${job.stateFolder}/claude/settings.json`
  const mcpFile = `${job.stateFolder}/claude/mcp.json`
  const { turns, dollars } = job.limits
  const isFull = job.permission === "full"
  // It becomes a tool that the model calls last, so it does not touch what the agent says before.
  const schema = job.answerSchema ?? job.closingSchema
  const hooks = jobHooks(job, config)
  const project = projectParts(job, config)
  const servers = { ...foreignServers(job, config), ...mcpServers(job) }
  return {
    command: [
      ...config.command,
      "-p",
      ...["--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--replay-user-messages"],
      ...["--setting-sources", config.hasUserExtras ? "user" : "", "--settings", settingsFile],
      ...project.args,
      ...["--strict-mcp-config", "--mcp-config", mcpFile],
      ...["--permission-mode", permissionMode(job)],
      ...["--model", job.model ?? config.models[job.tier]],
      ...(job.effort === null ? [] : ["--effort", job.effort]),
      ...(turns === null ? [] : ["--max-turns", String(turns)]),
      ...(dollars === null ? [] : ["--max-budget-usd", String(dollars)]),
      ...(schema === undefined ? [] : ["--json-schema", JSON.stringify(schema)]),
      ...(job.resume === null ? [] : ["--resume", job.resume.id]),
      ...config.args,
    ],
    // It refuses to skip permissions as root unless it is told that root is nobody here.
    env: { ...QUIET, ...project.env, ...(isFull && config.isRoot ? { IS_SANDBOX: "1" } : {}) },
    files: {
      ...hooks.files,
      ...project.files,
      "claude/settings.json": JSON.stringify({
        ...config.account.settings,
        ...settings(job, { hooks, servers: Object.keys(servers) }),
        ...config.settings,
      }),
      "claude/mcp.json": JSON.stringify({ mcpServers: servers }),
    },
    links: project.links,
    input: userLine(job.prompt),
    encodeMessage,
  }
}

function permissionMode({ permission, ownership }: AgentJob): string {
  if (permission === "full") return "bypassPermissions"
  // There it also runs commands that write, such as mv; with owned files only tools that can be judged may.
  return permission === "edit" && ownership === null ? "acceptEdits" : "default"
}

const PLUGIN = "claude/plugin"
/** What a plugin may hold of what a project has in `.claude`, besides skills. Their hooks do not run. */
const PLUGIN_PARTS = ["agents", "commands"] as const

/** What the project says to agents: text alone, which runs nothing by itself. */
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

/** MCP servers of the project that a person agreed to, and those of the user where they are wanted. */
function foreignServers({ workspace }: AgentJob, { files, isAgreed, account, hasUserExtras }: ProgramConfig) {
  const own = hasUserExtras ? account.own.servers : {}
  return { ...own, ...agreedServers(claudeFacts, { workspace, read: files.read, isAgreed }) }
}

interface Given {
  readonly hooks: JobHooks
  readonly servers: readonly string[]
}

function settings({ permission, ownership, allowedTools, deniedTools }: AgentJob, { hooks, servers }: Given) {
  const edit = permission === "edit" && ownership !== null ? ["Edit", "Write", "NotebookEdit"] : []
  const allow = [...allowedTools, ...servers.map((name) => `mcp__${name}`), ...edit]
  return {
    permissions: { allow, deny: deniedTools },
    // Whatever the user's settings say: our guard is one of them.
    disableAllHooks: false,
    hooks: { PreToolUse: hookEntries(hooks.beforeTool, { matcher: "*" }), Stop: hookEntries(hooks.beforeStop) },
  }
}

function mcpServers({ mcpServers: servers }: AgentJob) {
  return Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { type: "stdio", ...server }]))
}

function encodeMessage({ id, text }: AgentMessage): EncodedMessage {
  const wireId = uuidOf(id)
  return { wireId, line: userLine(text, wireId) }
}

function userLine(content: string, uuid?: string): string {
  return `${JSON.stringify({ type: "user", message: { role: "user", content }, uuid })}\n`
}

/** It wants its ids in this form; ours may be any text. */
function uuidOf(text: string): string {
  const hex = new Bun.CryptoHasher("sha256").update(text).digest("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
