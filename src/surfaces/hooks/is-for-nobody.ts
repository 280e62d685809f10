import { readMarker } from "../../engine/seat-marker.ts"
import { standardInput } from "../../lib/standard-input.ts"

/** The beginning of a session is always worth a look: there may be a team to tell it of. */
const ALWAYS_ASKED = ["session-start", "SessionStart"]

/**
 * Whether a command line is a hook of a session that takes part in no team. Only what is surely one is: everything else,
 * and everything that is wrong, is left to the command itself.
 */
export async function isForNobody(args: readonly string[], home: string): Promise<boolean> {
  const [command, event = "-", flag = "--host", , ...more] = args
  if (command !== "hook" || flag !== "--host" || more.length > 0) return false
  if (event.startsWith("-") || ALWAYS_ASKED.includes(event)) return false
  try {
    const { session_id: session } = JSON.parse(await standardInput())
    return typeof session === "string" && (await readMarker(home, session)) === undefined
  } catch {
    return false
  }
}
