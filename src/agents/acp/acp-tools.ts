import { asArray, asObject, asText, type Json } from "../json-line.ts"
import type { AgentEventBody, AgentJob } from "../port.ts"
import { inWorkspace, toolUse } from "../tool-use.ts"
import { isWritingKind, type Wish } from "./permission.ts"

interface Call {
  name: string
  kind: string
  title: string
  input: Json
  /** Of the MCP server that the tool belongs to, where the agent tells it. */
  server: string
  readonly files: Set<string>
  output: string
  /** How many of the files were told. */
  shownFiles: number
  isShown: boolean
}

/**
 * The calls of tools in a session. An agent tells of a call bit by bit, often at first with nothing but a title, so a
 * call is shown when it is clear what it does, when it is asked about, or when it ends. Files that are known only
 * later show it once more, under the same id.
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
    // The title of a command is the command, also where its input has it in pieces among much else.
    const hasInput = hasFields(call.input) && (call.kind !== "execute" || asText(call.input.command) !== "")
    const use = toolUse({ id, name: shownName(call), input: call.input, writes: false, workspace })
    // Without its arguments a call is never known to be the same as another one.
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
    /** What a request for permission is about. */
    wish(update: Json): { readonly id: string; readonly wish: Wish; readonly events: AgentEventBody[] } {
      const id = asText(update.toolCallId)
      const call = merge(id, update)
      const wish = { name: shownName(call), kind: call.kind, server: call.server, files: [...call.files] }
      return { id, wish, events: ended.has(id) ? [] : show(id, call) }
    },
    /** Some agents say nothing more about a call that was not permitted. */
    refuse: (id: string, why: string): AgentEventBody[] => (ended.has(id) ? [] : [end(id, false, why)]),
  }
}

function hasFields(value: Json | undefined): value is Json {
  for (const _ in value) return true
  return false
}

function newCall(): Call {
  const untold = { name: "", kind: "", title: "", input: {}, server: "", output: "" }
  return { ...untold, files: new Set(), shownFiles: 0, isShown: false }
}

function isClear({ kind, input, server, files }: Call): boolean {
  if (files.size > 0) return true
  // OpenCode first says only where a command will run.
  if (kind === "execute" && server === "") return input.command !== undefined
  return hasFields(input) && !isWritingKind(kind)
}

/** The tool's own name. The title is for people, and that of a command may be the command, which could bear any name. */
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

/** Whatever the kind, who shows a difference writes. Locations are also what is only read. */
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
  let told = ""
  for (const item of asArray(update.content)) {
    const text = asText(asObject(asObject(item)?.content)?.text)
    if (text !== "") told += told === "" ? text : `\n${text}`
  }
  const raw = update.rawOutput
  if (told !== "" || raw == null) return told
  if (typeof raw === "string") return raw
  const fields = asObject(raw) ?? {}
  const text = [fields.formatted_output, fields.output, fields.error].find((field) => typeof field === "string")
  return text === undefined ? JSON.stringify(raw) : asText(text)
}
