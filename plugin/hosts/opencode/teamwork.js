// Connects OpenCode to teamwork: each moment of a session becomes a call of `teamwork hook`, whose answer is carried
// out here. Without a team, or when anything goes wrong, the session goes on as if this were not there.
import { spawn } from "node:child_process"

const COMMAND = ["teamwork"]
/** A hook answers within milliseconds; one that does not is not waited for. */
const TIMEOUT_MS = 30_000

export const Teamwork = async ({ client, directory }) => {
  /** Sessions of subagents belong to the one that started them. */
  const parents = new Map()
  const rootOf = (id) => (parents.has(id) ? rootOf(parents.get(id)) : id)
  /** What this process has told of already, and what it sent back to work. */
  const begun = new Set()
  const heldBack = new Set()
  const ask = (event, session, call = {}) =>
    askTeamwork(event, { session_id: session, cwd: directory, ...call }, directory)

  async function stop(session) {
    const { decision, reason } = await ask("stop", session, { stop_hook_active: heldBack.has(session) })
    if (decision !== "block") return heldBack.delete(session)
    heldBack.add(session)
    await client.session.promptAsync({ path: { id: session }, body: { parts: [{ type: "text", text: reason }] } })
  }

  return {
    async event({ event: { type, properties } }) {
      const id = properties?.sessionID ?? properties?.info?.id
      if (type === "session.created" && properties.info?.parentID) parents.set(id, properties.info.parentID)
      if (type === "session.idle") await (rootOf(id) === id ? stop(id) : ask("subagent-stop", rootOf(id)))
      if (type === "session.deleted" && begun.delete(id)) await ask("session-end", id)
    },
    async "chat.message"({ sessionID }, { message, parts }) {
      if (rootOf(sessionID) !== sessionID) return
      const prompt = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
      const answers = []
      if (!begun.has(sessionID)) answers.push(await ask("session-start", sessionID, { source: "startup" }))
      begun.add(sessionID)
      answers.push(await ask("prompt", sessionID, { prompt }))
      for (const text of answers.map(contextOf).filter(Boolean)) {
        const id = `prt_${crypto.randomUUID().replaceAll("-", "").slice(0, 26)}`
        parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true })
      }
    },
    async "tool.execute.before"({ tool, sessionID, callID }, { args }) {
      const use = { tool_name: tool, tool_input: args, tool_use_id: callID }
      const { permissionDecision, permissionDecisionReason } =
        (await ask("pre-tool-use", rootOf(sessionID), use)).hookSpecificOutput ?? {}
      if (permissionDecision === "deny") throw new Error(permissionDecisionReason)
    },
    async "tool.execute.after"({ tool, sessionID, callID, args }, output) {
      const response = { output: output.output, metadata: output.metadata }
      const use = { tool_name: tool, tool_input: args, tool_use_id: callID, tool_response: response }
      const text = contextOf(await ask("post-tool-use", rootOf(sessionID), use))
      if (text) output.output = `${output.output}\n\n${text}`
    },
    /** By this the commands of a session find it. */
    async "shell.env"({ sessionID }, { env }) {
      if (sessionID) env.TEAMWORK_TERMINAL_ID = rootOf(sessionID)
    },
    async dispose() {
      await Promise.all([...begun].map((session) => ask("session-end", session)))
    },
  }
}

function contextOf(answer) {
  return answer.hookSpecificOutput?.additionalContext
}

function askTeamwork(event, call, cwd) {
  const [program, ...args] = COMMAND
  return new Promise((resolve) => {
    const child = spawn(program, [...args, "hook", event, "--host", "opencode"], {
      cwd,
      stdio: ["pipe", "pipe", "ignore"],
      timeout: TIMEOUT_MS,
    })
    let printed = ""
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (chunk) => {
      printed += chunk
    })
    child.stdin.on("error", () => {})
    child.on("error", () => resolve({}))
    child.on("close", () => {
      try {
        resolve(JSON.parse(printed))
      } catch {
        resolve({})
      }
    })
    child.stdin.end(JSON.stringify(call))
  })
}
