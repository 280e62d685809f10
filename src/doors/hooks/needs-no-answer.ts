import { standardInput } from "../../lib/process/standard-input.ts"
import { readMarker, type SeatMarker } from "../../sessions/effects/seat-marker.ts"

/** The beginning of a session is always worth a look: there may be a team to tell it of. */
const ALWAYS_ASKED = ["session-start", "SessionStart"]
const BEFORE_TOOL = ["pre-tool-use", "PreToolUse", "BeforeTool"]

/** Of the four hosts, those used most that write no files by themselves. What a command writes is seen at the commit. */
const NEVER_WRITE = new Set([
  ...["Bash", "Read", "Grep", "Glob", "WebFetch", "WebSearch", "TodoWrite"],
  ...["run_shell_command", "read_file", "list_directory", "glob", "search_file_content", "exec_command"],
  ...["bash", "read", "grep", "list"],
])

/**
 * Whether a command line is a hook of a session that takes part in no team, or of one that is about to use a tool which
 * its part says nothing about, or to write its own files. Only what is surely one is: everything else, and everything
 * that is wrong, is left to the command itself.
 */
export async function needsNoAnswer(
  args: readonly string[],
  home: string,
  isOwnWrite: (call: Readonly<Record<string, unknown>>, marker: SeatMarker) => Promise<boolean>,
): Promise<boolean> {
  const [command, event = "-", flag = "--host", , ...more] = args
  if (command !== "hook" || flag !== "--host" || more.length > 0) return false
  if (event.startsWith("-") || ALWAYS_ASKED.includes(event)) return false
  try {
    const input = standardInput()
    const call = JSON.parse(input)
    const { session_id: session, tool_name: tool } = call
    if (typeof session !== "string") return false
    const marker = readMarker(home, session)
    if (marker === undefined) return true
    if (marker.guards !== "writes" || !BEFORE_TOOL.includes(event)) return false
    // A patch may be given to a shell as well.
    if (NEVER_WRITE.has(tool)) return !input.includes("apply_patch")
    return await isOwnWrite(call, marker)
  } catch {
    return false
  }
}
