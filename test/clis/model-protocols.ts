// The four ways in which the CLIs talk to a model: how a question reads, and how an answer, a refusal and a broken
// answer are written.
import { asArray, asObject, asText, type Json } from "../../src/agents/json-line.ts"

export type Protocol = "anthropic" | "responses" | "gemini" | "chat"

export interface Reply {
  readonly text?: string
  /** In the names of the CLI under test. */
  readonly tool?: ToolCall
}

export interface ToolCall {
  readonly name: string
  readonly input: unknown
  /** Codex: the server that a tool belongs to. */
  readonly namespace?: string
}

export interface Failure {
  readonly status: number
  readonly type: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What goes wrong in the middle of an answer. */
export type Fault = "cut" | "garbage" | "hang"

/** Of every answer, so that tests can foretell sums. */
export const TOKENS = { input: 100, output: 20 } as const

export interface Question {
  readonly turns: readonly Turn[]
  readonly hasTools: boolean
  readonly isStreaming: boolean
  readonly lastToolResult: string
}

export interface Turn {
  readonly role: "user" | "model" | "tool"
  readonly text: string
}

export function readRequest(protocol: Protocol, path: string, given: unknown): Question {
  const body = asObject(given) ?? {}
  const entries = asArray(body.messages ?? body.input ?? body.contents)
  const turns = entries.flatMap((entry) => readEntry(protocol, asObject(entry) ?? {}))
  return {
    turns,
    // Newer models of Codex get their tools as an entry.
    hasTools: asArray(body.tools).length > 0 || entries.some((entry) => asObject(entry)?.type === "additional_tools"),
    isStreaming: protocol === "gemini" ? path.includes(":stream") : body.stream === true,
    lastToolResult: turns.findLast(({ role }) => role === "tool")?.text ?? "",
  }
}

function readEntry(protocol: Protocol, entry: Json): Turn[] {
  if (protocol === "responses") return [readItem(entry)].filter((turn) => turn !== undefined)
  const role = asText(entry.role)
  // Claude puts a message that comes while it works into an entry of the system.
  if (role === "system" && protocol === "anthropic") return [{ role: "user", text: textOf(entry.content) }]
  if (role === "system" || role === "developer") return []
  if (role === "assistant" || role === "model") return [{ role: "model", text: "" }]
  const content = entry.content ?? entry.parts
  if (role === "tool") return [{ role, text: textOf(content) }]
  const isResult = (part: unknown) =>
    asObject(part)?.type === "tool_result" || asObject(part)?.functionResponse !== undefined
  const results = asArray(content).filter(isResult)
  const rest = typeof content === "string" ? content : asArray(content).filter((part) => !isResult(part))
  return [
    ...results.map((result): Turn => ({ role: "tool", text: resultText(asObject(result) ?? {}) })),
    ...(rest.length === 0 ? [] : [{ role: "user" as const, text: textOf(rest) }]),
  ]
}

function readItem(item: Json): Turn | undefined {
  const type = item.type ?? "message"
  if (type === "message" && item.role === "user") return { role: "user", text: textOf(item.content) }
  if (type === "message" && item.role !== "assistant") return undefined
  if (String(type).endsWith("_output")) return { role: "tool", text: textOf(item.output) }
  return type === "message" || String(type).endsWith("_call") ? { role: "model", text: "" } : undefined
}

function resultText(part: Json): string {
  const response = asObject(part.functionResponse)?.response
  return response === undefined ? textOf(part.content) : asText(asObject(response)?.output) || JSON.stringify(response)
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content
  return asArray(content)
    .map((part) => asText(asObject(part)?.text))
    .join("\n")
}

/** A whole answer as a stream of events; a fault takes its second half away. */
export function stream(protocol: Protocol, reply: Reply, fault: Fault | undefined): Response {
  const chunks = EVENTS[protocol](reply).map((event) => {
    const data = typeof event === "string" ? event : JSON.stringify(event)
    const type = typeof event === "string" ? undefined : event.type
    return type === undefined ? `data: ${data}\n\n` : `event: ${type}\ndata: ${data}\n\n`
  })
  const headers = { "content-type": "text/event-stream", "cache-control": "no-cache" }
  if (fault === undefined) return new Response(chunks.join(""), { headers })
  const half = chunks.slice(0, Math.ceil(chunks.length / 2)).join("")
  if (fault === "garbage") return new Response(`${half}data: {"type":"message_del\n\ndata: <html>\n\n`, { headers })
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(half))
      if (fault === "hang") return
      await Bun.sleep(50)
      // Ends the connection; Bun shows the error, whatever we do.
      controller.error(new Error("the line went dead, as the test wants it"))
    },
  })
  return new Response(body, { headers })
}

/** For those who ask again without a stream when one broke; a broken answer is broken here as well. */
export async function wholeAnswer(protocol: Protocol, reply: Reply, fault: Fault | undefined): Promise<Response> {
  const text = JSON.stringify(answerBody(protocol, reply))
  const headers = { "content-type": "application/json" }
  if (fault === "hang") return new Promise(() => undefined)
  return new Response(fault === undefined ? text : text.slice(0, text.length / 2), { headers })
}

function answerBody(protocol: Protocol, reply: Reply): Json {
  if (protocol === "anthropic") {
    const content = anthropicBlocks(reply)
    return { ...anthropicMessage(), content, stop_reason: anthropicStop(reply) }
  }
  if (protocol === "gemini") return geminiAnswer(reply)
  if (protocol === "responses") return { id: id("resp"), output: responsesItems(reply) }
  const message = { role: "assistant", content: reply.text ?? "", tool_calls: chatCalls(reply) }
  const choices = [{ index: 0, message, finish_reason: chatStop(reply) }]
  return { id: id("chat"), object: "chat.completion", model: "fake", choices, usage: CHAT_USAGE }
}

export function refuse(protocol: Protocol, { status, type, message, headers }: Failure): Response {
  const bodies = {
    anthropic: { type: "error", error: { type, message } },
    responses: { error: { type, code: type, message, param: null } },
    chat: { error: { type, code: type, message, param: null } },
    gemini: { error: { code: status, status: type, message } },
  }
  return Response.json(bodies[protocol], { status, headers })
}

type SseEvent = string | Readonly<Record<string, unknown>>

const EVENTS: Readonly<Record<Protocol, (reply: Reply) => SseEvent[]>> = {
  anthropic: anthropicEvents,
  responses: responsesEvents,
  gemini: (reply) => [geminiAnswer({ text: reply.text }, ""), geminiAnswer({ tool: reply.tool })],
  chat: chatEvents,
}

const id = (prefix: string) => `${prefix}_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`

function anthropicMessage() {
  const usage = { input_tokens: TOKENS.input, output_tokens: TOKENS.output }
  return { id: id("msg"), type: "message", role: "assistant", model: "fake", stop_sequence: null, usage }
}

const anthropicStop = ({ tool }: Reply) => (tool === undefined ? "end_turn" : "tool_use")

function anthropicBlocks({ text, tool }: Reply): Json[] {
  return [
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...(tool === undefined ? [] : [{ type: "tool_use", id: id("toolu"), name: tool.name, input: tool.input }]),
  ]
}

function anthropicEvents(reply: Reply): SseEvent[] {
  const blocks = anthropicBlocks(reply).flatMap((block, index) => {
    const isText = block.type === "text"
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
    return [
      { type: "content_block_start", index, content_block: isText ? { ...block, text: "" } : { ...block, input: {} } },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]
  })
  const stop = { stop_reason: anthropicStop(reply), stop_sequence: null }
  return [
    { type: "message_start", message: { ...anthropicMessage(), content: [], stop_reason: null } },
    ...blocks,
    { type: "message_delta", delta: stop, usage: { output_tokens: TOKENS.output } },
    { type: "message_stop" },
  ]
}

function responsesItems({ text, tool }: Reply): Json[] {
  const content = [{ type: "output_text", text: text ?? "", annotations: [] }]
  const message = { type: "message", id: id("msg"), role: "assistant", status: "completed", content }
  return [...(text === undefined ? [] : [message]), ...(tool === undefined ? [] : [responsesCall(tool)])]
}

/** A text as input means a tool without a schema, such as the one that takes a patch. */
function responsesCall({ name, input, namespace }: ToolCall): Json {
  const call = { id: id("fc"), call_id: id("call"), name, status: "completed" }
  if (typeof input === "string") return { type: "custom_tool_call", ...call, input }
  return { type: "function_call", ...call, namespace, arguments: JSON.stringify(input) }
}

function responsesEvents(reply: Reply): SseEvent[] {
  const response = { id: id("resp"), object: "response", status: "in_progress", output: [] }
  const items = responsesItems(reply)
  const usage = {
    input_tokens: TOKENS.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: TOKENS.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: TOKENS.input + TOKENS.output,
  }
  return [
    { type: "response.created", response },
    ...items.flatMap((item, index) => [
      { type: "response.output_item.added", output_index: index, item },
      { type: "response.output_item.done", output_index: index, item },
    ]),
    { type: "response.completed", response: { ...response, status: "completed", output: items, usage } },
  ]
}

function geminiAnswer({ text, tool }: Reply, finishReason = "STOP") {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...(tool === undefined ? [] : [{ functionCall: { name: tool.name, args: tool.input } }]),
  ]
  const content = { role: "model", parts }
  const usageMetadata = {
    promptTokenCount: TOKENS.input,
    candidatesTokenCount: TOKENS.output,
    totalTokenCount: TOKENS.input + TOKENS.output,
  }
  const candidate = finishReason === "" ? { content, index: 0 } : { content, index: 0, finishReason }
  return { candidates: [candidate], usageMetadata, modelVersion: "fake" }
}

const CHAT_USAGE = {
  prompt_tokens: TOKENS.input,
  completion_tokens: TOKENS.output,
  total_tokens: TOKENS.input + TOKENS.output,
}
const chatStop = ({ tool }: Reply) => (tool === undefined ? "stop" : "tool_calls")

function chatCalls({ tool }: Reply) {
  if (tool === undefined) return undefined
  const call = { name: tool.name, arguments: JSON.stringify(tool.input) }
  return [{ index: 0, id: id("call"), type: "function", function: call }]
}

function chatEvents(reply: Reply): SseEvent[] {
  const base = { id: id("chat"), object: "chat.completion.chunk", created: 1, model: "fake" }
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason }],
  })
  return [
    chunk({ role: "assistant", content: reply.text ?? "" }),
    ...(reply.tool === undefined ? [] : [chunk({ tool_calls: chatCalls(reply) })]),
    chunk({}, chatStop(reply)),
    { ...base, choices: [], usage: CHAT_USAGE },
    "[DONE]",
  ]
}
