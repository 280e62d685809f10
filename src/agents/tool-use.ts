import { asText, type Json } from "./json-line.ts"
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
  const paths = writes ? PATH_FIELDS.map((field) => asText(input[field])).filter((path) => path !== "") : []
  return {
    type: "tool_use",
    id,
    name,
    files: paths.slice(0, 1).map((path) => inWorkspace(path, workspace)),
    input: summary(input),
  }
}

/** A path from the workspace where it lies inside, else as it is. */
export function inWorkspace(path: string, workspace: string): string {
  const inside = workspace.endsWith("/") ? workspace : `${workspace}/`
  return path.startsWith(inside) ? path.slice(inside.length) : path
}

/** Long inputs are whole files; their beginning is enough, and cut with room for masking. */
function summary(input: Json): string {
  for (const field of TELLING_FIELDS) {
    const value = input[field]
    if (typeof value === "string" && value !== "") return value.slice(0, MAX_SUMMARY)
  }
  return JSON.stringify(input).slice(0, MAX_SUMMARY)
}
