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
  const texts = Object.values(call.input).filter((value) => typeof value === "string")
  if (PATCH_TOOLS.has(call.tool)) return judgeFiles(texts.flatMap(filesOfPatch), owned, followLinks)
  if (EDIT_TOOLS.has(call.tool)) {
    const paths = PATH_FIELDS.map((field) => call.input[field]).filter((path) => typeof path === "string")
    return judgeFiles(paths, owned, followLinks)
  }
  // Codex takes it for a use of its tool, but in a folder that only the command knows.
  const isPatch = texts.some((text) => text.includes("apply_patch") && text.includes("*** Begin Patch"))
  return isPatch ? "a patch must be given to the tool apply_patch itself, not to a shell" : undefined
}

function judgeFiles(files: readonly string[], owned: OwnedFiles, followLinks: FollowLinks): string | undefined {
  if (files.length === 0) return "it does not say which files it writes"
  return findForeign(owned, files, followLinks)
}

/** What a patch adds, changes, removes and moves. Its reader takes headings with space around them, and so do we. */
function filesOfPatch(patch: string): string[] {
  const headings = /^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to): ([^\n]*)$/gm
  return [...patch.matchAll(headings)].map(([, path = ""]) => path.trimEnd())
}
