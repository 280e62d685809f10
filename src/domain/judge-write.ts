import { type FollowLinks, findForeign, type OwnedFiles } from "./owned-files.ts"

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

/**
 * Why an agent may not use a tool, because it writes what is not owned; undefined when it may. Only for tools that
 * write by themselves: what a command in a shell writes is seen when it is committed.
 */
export function judgeWrite(call: ToolCall, owned: OwnedFiles, followLinks: FollowLinks): string | undefined {
  const write = findWrite(call)
  if (write === undefined) return undefined
  return "problem" in write ? write.problem : findForeign(owned, write.files, followLinks)
}

/** The files that a tool is about to write by itself, as they were given; undefined when it writes none. */
export function findWrite(
  call: ToolCall,
): { readonly files: readonly string[] } | { readonly problem: string } | undefined {
  const texts = textsOf(call)
  if (isWritingTool(call.tool)) {
    const files = PATCH_TOOLS.has(call.tool)
      ? texts.flatMap(filesOfPatch)
      : PATH_FIELDS.map((field) => call.input[field]).filter((path) => typeof path === "string")
    return files.length === 0 ? { problem: "it does not say which files it writes" } : { files }
  }
  // Codex takes it for a use of its tool, but in a folder that only the command knows.
  const isPatch = texts.some((text) => text.includes("apply_patch") && text.includes("*** Begin Patch"))
  return isPatch ? { problem: "a patch must be given to the tool apply_patch itself, not to a shell" } : undefined
}

function isWritingTool(tool: string): boolean {
  return EDIT_TOOLS.has(tool) || PATCH_TOOLS.has(tool)
}

function textsOf({ input }: ToolCall): string[] {
  return Object.values(input).filter((value) => typeof value === "string")
}

/** What a patch adds, changes, removes and moves. Its reader takes headings with space around them, and so do we. */
function filesOfPatch(patch: string): string[] {
  const headings = /^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to): ([^\n]*)$/gm
  return [...patch.matchAll(headings)].map(([, path = ""]) => path.trimEnd())
}
