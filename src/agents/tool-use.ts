import type { Json } from "./json-line.ts"
import type { ToolUse } from "./port.ts"

interface Call {
  readonly id: string
  readonly name: string
  readonly input: Json
  readonly writes: boolean
  readonly workspace: string
}

const PATH_FIELDS = ["file_path", "filePath", "notebook_path", "path", "absolute_path"] as const
/** The one field that tells most of what a tool will do. */
const TELLING_FIELDS = ["command", ...PATH_FIELDS, "pattern", "query", "url", "description", "prompt"] as const
const MAX_SUMMARY = 20_000

/** A call in the shape that Claude, Gemini and OpenCode share: a name and an object of fields. */
export function toolUse({ id, name, input, writes, workspace }: Call): ToolUse {
  const path = writes ? firstText(input, PATH_FIELDS) : ""
  const files = path === "" ? [] : [inWorkspace(path, workspace)]
  // Long inputs are whole files; their beginning is enough, and cut with room for masking.
  const all = JSON.stringify(input)
  const summary = (firstText(input, TELLING_FIELDS) || all).slice(0, MAX_SUMMARY)
  return { type: "tool_use", id, name, files, input: summary, key: Bun.hash(all).toString(36) }
}

/** A path from the workspace where it lies inside, else as it is. */
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
