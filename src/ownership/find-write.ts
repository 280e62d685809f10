/** With the names that the agent's program uses. */
export interface ToolCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

/** Each writes one file. */
const EDIT_TOOLS = new Set([
  "Write", // Claude Code
  "Edit",
  "MultiEdit",
  "NotebookEdit",
  "write_file", // Gemini CLI
  "replace",
  "write", // OpenCode
  "edit",
  "multiedit",
])
/** Tools of Codex and OpenCode that take a patch of several files. */
const PATCH_TOOLS = new Set(["apply_patch", "patch"])
const PATH_FIELDS = ["file_path", "filePath", "notebook_path", "path", "absolute_path"] as const

/** Paths as given; undefined if the call writes none. */
export function findWrite(
  call: ToolCall,
): { readonly files: readonly string[] } | { readonly problem: string } | undefined {
  const isPatchTool = PATCH_TOOLS.has(call.tool)
  if (isPatchTool || EDIT_TOOLS.has(call.tool)) {
    const files = isPatchTool ? textsOf(call).flatMap(filesOfPatch) : filesOfEdit(call)
    return files.length === 0 ? { problem: "it does not say which files it writes" } : { files }
  }
  // Codex runs its patch tool for this shell command, in a folder that only the command names.
  const isPatch = textsOf(call).some((text) => text.includes("apply_patch") && text.includes("*** Begin Patch"))
  return isPatch ? { problem: "a patch must be given to the tool apply_patch itself, not to a shell" } : undefined
}

function filesOfEdit({ input }: ToolCall): string[] {
  return PATH_FIELDS.map((field) => input[field]).filter((path) => typeof path === "string")
}

function textsOf({ input }: ToolCall): string[] {
  return Object.values(input).filter((value) => typeof value === "string")
}

/** Accepts spaces around headings, like the patch tool. */
function filesOfPatch(patch: string): string[] {
  const headings = /^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to): ([^\n]*)$/gm
  return [...patch.matchAll(headings)].map(([, path = ""]) => path.trimEnd())
}
