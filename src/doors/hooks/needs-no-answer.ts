import { standardInput } from "../../lib/process/standard-input.ts"
import { readMarker, type SeatMarker } from "../../sessions/effects/seat-marker.ts"

/** There may be a team to join. */
const ALWAYS_ASKED = ["session-start", "SessionStart"]
const BEFORE_TOOL = ["pre-tool-use", "PreToolUse", "BeforeTool"]

/** The most used tools that write no files. The commit checks what a shell command writes. */
const NEVER_WRITE = new Set([
  "Bash",
  "Read",
  "Grep",
  "Glob",
  "WebFetch",
  "WebSearch",
  "TodoWrite",
  "run_shell_command",
  "read_file",
  "list_directory",
  "glob",
  "search_file_content",
  "exec_command",
  "bash",
  "read",
  "grep",
  "list",
])

/**
 * Whether the session is in no team, the tool does not write, or it writes only the session's own files. In doubt,
 * and on every error, the command itself answers.
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
    // A shell can apply a patch too.
    if (NEVER_WRITE.has(tool)) return !input.includes("apply_patch")
    return await isOwnWrite(call, marker)
  } catch {
    return false
  }
}
