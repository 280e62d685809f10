import { classifyError } from "./classify-error.ts"
import type { Json } from "./json-line.ts"
import type { AgentEventBody, AgentJob, ToolUse, Usage, Waiting } from "./port.ts"
import type { Outcome } from "./program.ts"

export function unknownLine(text: string): AgentEventBody[] {
  return text.trim() === "" ? [] : [{ type: "unknown", line: text }]
}

/** For agents that do not count model calls: the first output after a tool's result or a message starts a turn. */
export function countTurns() {
  let turns = 0
  let isInTurn = false
  return {
    see<Events extends readonly AgentEventBody[]>(events: Events): Events {
      for (const { type } of events) {
        if (type === "tool_result" || type === "message_delivered") isInTurn = false
        else if (!isInTurn && (type === "text" || type === "reasoning" || type === "tool_use")) {
          isInTurn = true
          turns++
        }
      }
      return events
    },
    count: () => turns,
  }
}

/** Limits an answer that comes in endless pieces. */
const MAX_ANSWER = 1_000_000

/** Keeps about the last `max` characters. Cuts only now and then, because cutting copies. */
export function appendTail(tail: string, more: string, max = MAX_ANSWER): string {
  const longer = tail + more
  return longer.length > 2 * max ? longer.slice(-max) : longer
}

interface Call {
  readonly id: string
  readonly name: string
  readonly input: Json
  readonly writes: boolean
  readonly workspace: string
}

const PATH_FIELDS = ["file_path", "filePath", "notebook_path", "path", "absolute_path"] as const
/** The most useful first. */
const TELLING_FIELDS = ["command", ...PATH_FIELDS, "pattern", "query", "url", "description", "prompt"] as const
/** Inputs may hold whole files. Leaves room for masking. */
const MAX_SUMMARY = 20_000

/** In the form of Claude, Gemini and OpenCode: a name and an object of fields. */
export function toolUse({ id, name, input, writes, workspace }: Call): ToolUse {
  const path = writes ? firstText(input, PATH_FIELDS) : ""
  const files = path === "" ? [] : [inWorkspace(path, workspace)]
  const all = JSON.stringify(input)
  const summary = (firstText(input, TELLING_FIELDS) || all).slice(0, MAX_SUMMARY)
  return { type: "tool_use", id, name, files, input: summary, key: Bun.hash(all).toString(36) }
}

/** Relative to the workspace where it is inside. */
export function inWorkspace(path: string, workspace: string): string {
  const slashAt = workspace.endsWith("/") ? workspace.length - 1 : workspace.length
  return path.charAt(slashAt) === "/" && path.startsWith(workspace) ? path.slice(slashAt + 1) : path
}

function firstText(input: Json, fields: readonly string[]): string {
  for (const field of fields) {
    const value = input[field]
    if (typeof value === "string" && value !== "") return value
  }
  return ""
}

export function tokens(inputTokens: number, outputTokens: number, cachedTokens: number): Usage {
  return { inputTokens, outputTokens, cachedTokens, dollars: null }
}

interface Retry {
  readonly why: string
  readonly status?: number | null
  readonly now: number
  /** The next try, if known. */
  readonly until: number | null
  /** The provider set `until`. */
  readonly isProvidersTime?: boolean
}

/** An unknown error means that no answer came. */
export function waitingFor({ why, status = null, now, until, isProvidersTime = false }: Retry): Waiting {
  const { reason: found } = classifyError({ message: why, status, now })
  const reason = found === "crashed" ? "unreachable" : found
  return {
    type: "waiting",
    reason,
    until,
    retryAt: isProvidersTime && reason === "rate-limited" ? until : null,
    why,
  }
}

type Judged = Pick<Outcome, "reason" | "error"> & Partial<Outcome>

/** Fails when the job wants a structured answer and there is none. */
export function judgeAnswer({ answerSchema }: AgentJob, answer: string): Judged {
  if (answerSchema === null) return { reason: "done", error: "" }
  const structured = findJson(answer)
  if (structured === null) return { reason: "protocol", error: "gave no structured answer" }
  return { reason: "done", structured, error: "" }
}

/** Models often put JSON into a fence or a sentence. */
function findJson(answer: string): unknown {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/.exec(answer)?.[1]
  const braced = answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1)
  for (const text of [answer, fenced, braced]) {
    if (text === undefined || text === "") continue
    try {
      return JSON.parse(text)
    } catch {
      // try the next place
    }
  }
  return null
}

interface Ending {
  readonly session: string | null
  readonly exitCode: number | null
  readonly message: string
  readonly status?: number | null
  readonly now: number
}

export function judgeNoResult({ session, exitCode, message, status, now }: Ending): Judged {
  if (session === null && exitCode === 0) return { reason: "protocol", error: message || "printed no result" }
  return { ...classifyError({ message, status, now }), error: message.trim() || "ended without a result" }
}
