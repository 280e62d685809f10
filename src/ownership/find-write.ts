/** A tool that an agent is about to use, in the agent's own names. */
export interface ToolCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

/** Those of Claude Code, of Gemini CLI, of OpenCode. */
const EDIT_TOOLS = new Set([
  ...["Write", "Edit", "MultiEdit", "NotebookEdit"],
  ...["write_file", "replace"],
  ...["write", "edit", "multiedit"],
])
/** Those of Codex and OpenCode whose input is a patch over several files. */
const PATCH_TOOLS = new Set(["apply_patch", "patch"])
const PATH_FIELDS = ["file_path", "filePath", "notebook_path", "path", "absolute_path"] as const

/** The files that a tool is about to write by itself, as they were given; undefined when it writes none. */
export function findWrite(
  call: ToolCall,
): { readonly files: readonly string[] } | { readonly problem: string } | undefined {
  if (isWritingTool(call.tool)) {
    const files = PATCH_TOOLS.has(call.tool) ? textsOf(call).flatMap(filesOfPatch) : filesOfEdit(call)
    return files.length === 0 ? { problem: "it does not say which files it writes" } : { files }
  }
  // Codex takes it for a use of its tool, but in a folder that only the command knows.
  const isPatch = textsOf(call).some((text) => text.includes("apply_patch") && text.includes("*** Begin Patch"))
  return isPatch ? { problem: "a patch must be given to the tool apply_patch itself, not to a shell" } : undefined
}

function isWritingTool(tool: string): boolean {
  return EDIT_TOOLS.has(tool) || PATCH_TOOLS.has(tool)
}

function filesOfEdit({ input }: ToolCall): string[] {
  const files: string[] = []
  for (const field of PATH_FIELDS) {
    const path = input[field]
    if (typeof path === "string") files.push(path)
  }
  return files
}

function textsOf({ input }: ToolCall): string[] {
  return Object.values(input).filter((value) => typeof value === "string")
}

/** What a patch adds, changes, removes and moves. Its reader takes headings with space around them, and so do we. */
function filesOfPatch(patch: string): string[] {
  const headings = /^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to): ([^\n]*)$/gm
  return [...patch.matchAll(headings)].map(([, path = ""]) => path.trimEnd())
}
