import { HOOK_EVENTS, type HookAnswer, type HookEvent, type HookHost, type HostName, hasPlace } from "../hook-call.ts"
import { textOf, toolOf } from "./raw.ts"

const NAMES: Readonly<Record<HookEvent, string>> = {
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

/** Of a use that failed it tells by an event of its own. */
const FURTHER: Readonly<Record<string, HookEvent>> = { PostToolUseFailure: "post-tool-use" }

/** Claude Code, and those who took over its format. */
export function makeClaudeHost(host: HostName): HookHost {
  return {
    eventOf: (name) => FURTHER[name] ?? HOOK_EVENTS.find((event) => event === name || NAMES[event] === name),
    read: (event, raw) => ({
      ...{ event, host, raw },
      session: textOf(raw.session_id),
      cwd: textOf(raw.cwd),
      tool: toolOf(raw, textOf(raw.tool_use_id)),
      isHeldBack: raw.stop_hook_active === true,
      lastText: textOf(raw.last_assistant_message),
      prompt: textOf(raw.prompt),
    }),
    write: ({ event }, answer) => (hasPlace(event, answer) ? write(event, answer) : ""),
  }
}

function write(event: HookEvent, answer: HookAnswer): string {
  const hookEventName = NAMES[event]
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
