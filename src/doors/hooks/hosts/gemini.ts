import { HOOK_EVENTS, type HookAnswer, type HookEvent, type HookHost, hasPlace } from "../hook-call.ts"
import { textOf, toolOf } from "./raw.ts"

const NAMES: Readonly<Partial<Record<HookEvent, string>>> = {
  "session-start": "SessionStart",
  prompt: "BeforeAgent",
  "pre-tool-use": "BeforeTool",
  "post-tool-use": "AfterTool",
  stop: "AfterAgent",
  "session-end": "SessionEnd",
}

export const gemini: HookHost = {
  eventOf: (name) => HOOK_EVENTS.find((event) => event === name || NAMES[event] === name),
  read: (event, raw) => ({
    ...{ event, host: "gemini", raw },
    session: textOf(raw.session_id),
    cwd: textOf(raw.cwd),
    // It does not number uses, but tells the time of each call.
    tool: toolOf(raw, raw.timestamp === undefined ? "" : `gemini-${Bun.hash(JSON.stringify(raw)).toString(36)}`),
    // Without a terminal it says no also after it was sent back to work.
    isHeldBack: raw.stop_hook_active === true ? true : null,
    lastText: textOf(raw.prompt_response),
    prompt: textOf(raw.prompt),
  }),
  write: ({ event }, answer) => (hasPlace(event, answer) ? write(event, answer) : ""),
}

function write(event: HookEvent, answer: HookAnswer): string {
  switch (answer.kind) {
    case "none":
      return ""
    case "context":
      return JSON.stringify({ hookSpecificOutput: { hookEventName: NAMES[event], additionalContext: answer.text } })
    case "goOn":
    case "deny":
      return JSON.stringify({ decision: "deny", reason: answer.reason })
  }
}
