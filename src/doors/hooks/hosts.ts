import { HOOK_EVENTS, type HookAnswer, type HookEvent, type HookHost, type HostName, hasPlace } from "./hook-call.ts"
import { textOf, toolOf } from "./raw.ts"

export function getHost(name: HostName): HookHost {
  return name === "gemini" ? gemini : makeClaudeHost(name)
}

const CLAUDE_NAMES: Readonly<Record<HookEvent, string>> = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "pre-tool-use": "PreToolUse",
  "post-tool-use": "PostToolUse",
  stop: "Stop",
  "subagent-stop": "SubagentStop",
  "task-completed": "TaskCompleted",
  "teammate-idle": "TeammateIdle",
  "session-end": "SessionEnd",
}

/** Claude Code and programs with the same format. */
export function makeClaudeHost(host: HostName): HookHost {
  return {
    eventOf: (name) => (name === "PostToolUseFailure" ? "post-tool-use" : findEvent(CLAUDE_NAMES, name)),
    read: (event, raw) => ({
      event,
      host,
      raw,
      session: textOf(raw.session_id),
      cwd: textOf(raw.cwd),
      tool: toolOf(raw, textOf(raw.tool_use_id)),
      isHeldBack: raw.stop_hook_active === true,
      lastText: textOf(raw.last_assistant_message),
      prompt: textOf(raw.prompt),
    }),
    write: ({ event }, answer) => (hasPlace(event, answer) ? write(CLAUDE_NAMES[event], answer) : ""),
  }
}

function write(hookEventName: string, answer: HookAnswer): string {
  switch (answer.kind) {
    case "none":
      return ""
    case "context":
      return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: answer.text } })
    case "goOn":
      return JSON.stringify({ decision: "block", reason: answer.reason })
    case "deny":
      return JSON.stringify({
        hookSpecificOutput: {
          hookEventName,
          permissionDecision: "deny",
          permissionDecisionReason: answer.reason,
        },
      })
  }
}

const GEMINI_NAMES: Readonly<Partial<Record<HookEvent, string>>> = {
  "session-start": "SessionStart",
  prompt: "BeforeAgent",
  "pre-tool-use": "BeforeTool",
  "post-tool-use": "AfterTool",
  stop: "AfterAgent",
  "session-end": "SessionEnd",
}

export const gemini: HookHost = {
  eventOf: (name) => findEvent(GEMINI_NAMES, name),
  read: (event, raw) => ({
    event,
    host: "gemini",
    raw,
    session: textOf(raw.session_id),
    cwd: textOf(raw.cwd),
    // Gemini does not number tool uses, but each call has its time.
    tool: toolOf(raw, raw.timestamp === undefined ? "" : `gemini-${Bun.hash(JSON.stringify(raw)).toString(36)}`),
    // Without a terminal it says false even after a hook kept it running.
    isHeldBack: raw.stop_hook_active === true ? true : null,
    lastText: textOf(raw.prompt_response),
    prompt: textOf(raw.prompt),
  }),
  write: ({ event }, answer) => {
    if (!hasPlace(event, answer)) return ""
    if (answer.kind === "goOn" || answer.kind === "deny")
      return JSON.stringify({ decision: "deny", reason: answer.reason })
    return write(GEMINI_NAMES[event] ?? "", answer)
  },
}

function findEvent(names: Readonly<Partial<Record<HookEvent, string>>>, name: string): HookEvent | undefined {
  return HOOK_EVENTS.find((event) => event === name || names[event] === name)
}
