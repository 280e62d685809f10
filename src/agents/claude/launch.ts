import { hookEntries, type JobHooks, jobHooks } from "../job-hooks.ts"
import type { AgentJob, AgentMessage } from "../port.ts"
import type { EncodedMessage, Launch, ProgramConfig } from "../program.ts"

const QUIET = {
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
}

/** Everything comes from us: none of the user's settings are read, and none are written. */
export function launchClaude(job: AgentJob, config: ProgramConfig): Launch {
  const settingsFile = `${job.stateFolder}/claude/settings.json`
  const mcpFile = `${job.stateFolder}/claude/mcp.json`
  const { turns, dollars } = job.limits
  const isFull = job.permission === "full"
  // It becomes a tool that the model calls last, so it does not touch what the agent says before.
  const schema = job.answerSchema ?? job.closingSchema
  const hooks = jobHooks(job, config)
  return {
    command: [
      ...config.command,
      "-p",
      ...["--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--replay-user-messages"],
      ...["--setting-sources", "", "--settings", settingsFile],
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
    env: isFull && config.isRoot ? { ...QUIET, IS_SANDBOX: "1" } : QUIET,
    files: {
      ...hooks.files,
      "claude/settings.json": JSON.stringify({ ...settings(job, hooks), ...config.settings }),
      "claude/mcp.json": JSON.stringify({ mcpServers: mcpServers(job) }),
    },
    links: {},
    input: userLine(job.prompt),
    encodeMessage,
  }
}

function permissionMode({ permission, ownership }: AgentJob): string {
  if (permission === "full") return "bypassPermissions"
  // There it also runs commands that write, such as mv; with owned files only tools that can be judged may.
  return permission === "edit" && ownership === null ? "acceptEdits" : "default"
}

function settings({ permission, ownership, allowedTools, deniedTools, mcpServers }: AgentJob, hooks: JobHooks) {
  const edit = permission === "edit" && ownership !== null ? ["Edit", "Write", "NotebookEdit"] : []
  const servers = Object.keys(mcpServers).map((name) => `mcp__${name}`)
  return {
    permissions: { allow: [...allowedTools, ...servers, ...edit], deny: deniedTools },
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
