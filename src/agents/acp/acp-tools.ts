import { asArray, asObject, asText, type Json } from "../json-line.ts"
import type { AgentEventBody, AgentJob } from "../port.ts"
import { inWorkspace, toolUse } from "../translator-parts.ts"
import { isWritingKind, type Wish } from "./permission.ts"

interface Call {
  name: string
  kind: string
  title: string
  input: Json
  server: string
  readonly files: Set<string>
  output: string
  /** How many of the files an event has reported. */
  shownFiles: number
  isShown: boolean
}

/**
 * An agent reports a tool call in parts, often with only a title at first. So a call becomes an event when its
 * action is clear, when the agent requests permission, or when it ends. Files known only later make another event
 * with the same id.
 */
export function makeTools({ workspace }: AgentJob) {
  const calls = new Map<string, Call>()
  const ended = new Set<string>()

  function merge(id: string, update: Json): Call {
    const call = calls.get(id) ?? newCall()
    calls.set(id, call)
    call.kind = asText(update.kind) || call.kind
    call.title ||= asText(update.title)
    call.name ||= nameOf(id, update)
    const input = asObject(update.rawInput)
    if (hasFields(input)) call.input = input
    if (asObject(update._meta)?.is_mcp_tool_call === true) call.server = asText(input?.server)
    for (const path of writtenFiles(update, call)) if (path !== "") call.files.add(inWorkspace(path, workspace))
    call.output = outputOf(update) || call.output
    return call
  }

  function show(id: string, call: Call): AgentEventBody[] {
    if (call.isShown && call.files.size === call.shownFiles) return []
    call.isShown = true
    call.shownFiles = call.files.size
    // The title of a command is the command, even where the input splits it.
    const hasInput = hasFields(call.input) && (call.kind !== "execute" || asText(call.input.command) !== "")
    const use = toolUse({ id, name: shownName(call), input: call.input, writes: false, workspace })
    // Calls without arguments never count as the same.
    const key = hasFields(call.input) ? use.key : id
    return [{ ...use, key, files: [...call.files], input: hasInput ? use.input : call.title || use.input }]
  }

  function end(id: string, ok: boolean, output: string): AgentEventBody {
    calls.delete(id)
    ended.add(id)
    return { type: "tool_result", id, ok, output }
  }

  return {
    see(update: Json): AgentEventBody[] {
      const id = asText(update.toolCallId)
      if (ended.has(id)) return []
      const call = merge(id, update)
      if (update.status === "completed" || update.status === "failed")
        return [...show(id, call), end(id, update.status === "completed", call.output)]
      return isClear(call) ? show(id, call) : []
    },
    wish(update: Json): { readonly id: string; readonly wish: Wish; readonly events: AgentEventBody[] } {
      const id = asText(update.toolCallId)
      const call = merge(id, update)
      const wish = { name: shownName(call), kind: call.kind, server: call.server, files: [...call.files] }
      return { id, wish, events: ended.has(id) ? [] : show(id, call) }
    },
    /** Some agents report nothing more about a refused call. */
    refuse: (id: string, why: string): AgentEventBody[] => (ended.has(id) ? [] : [end(id, false, why)]),
  }
}

function hasFields(value: Json | undefined): value is Json {
  for (const _ in value) return true
  return false
}

function newCall(): Call {
  return {
    name: "",
    kind: "",
    title: "",
    input: {},
    server: "",
    output: "",
    files: new Set(),
    shownFiles: 0,
    isShown: false,
  }
}

function isClear({ kind, input, server, files }: Call): boolean {
  if (files.size > 0) return true
  // OpenCode first reports only where a command will run.
  if (kind === "execute" && server === "") return input.command !== undefined
  return hasFields(input) && !isWritingKind(kind)
}

/** Not the title: that of a command is the command, which could look like any name. */
function nameOf(id: string, update: Json): string {
  const byClaude = asText(asObject(asObject(update._meta)?.claudeCode)?.toolName)
  const byGemini = /^([A-Za-z][\w-]*?)__/.exec(id)?.[1] ?? ""
  const title = asText(update.title)
  const isOfServer = asObject(update._meta)?.is_mcp_tool_call === true
  const isCommand = !isOfServer && update.kind === "execute" && hasFields(asObject(update.rawInput))
  const isName = !isCommand && /^[\w.:-]+$/.test(title)
  return asText(update.name) || byClaude || byGemini || (isName ? title : "")
}

function shownName({ name, kind }: Call): string {
  return name || kind || "tool"
}

const FIELDS_OF_PATHS = ["file_path", "filePath", "filepath", "path", "notebook_path", "absolute_path"] as const

/** A diff always writes. Locations may only be read, so they count only for writing kinds. */
function writtenFiles(update: Json, { kind, input }: Call): string[] {
  const paths: string[] = []
  for (const item of asArray(update.content)) {
    const content = asObject(item)
    if (content?.type === "diff") paths.push(asText(content.path))
  }
  if (!isWritingKind(kind)) return paths
  for (const location of asArray(update.locations)) paths.push(asText(asObject(location)?.path))
  for (const field of FIELDS_OF_PATHS) paths.push(asText(input[field]))
  return paths
}

function outputOf(update: Json): string {
  let text = ""
  for (const item of asArray(update.content)) {
    const more = asText(asObject(asObject(item)?.content)?.text)
    if (more !== "") text += text === "" ? more : `\n${more}`
  }
  const raw = update.rawOutput
  if (text !== "" || raw == null) return text
  if (typeof raw === "string") return raw
  const fields = asObject(raw) ?? {}
  const found = [fields.formatted_output, fields.output, fields.error].find((field) => typeof field === "string")
  return found === undefined ? JSON.stringify(raw) : asText(found)
}
