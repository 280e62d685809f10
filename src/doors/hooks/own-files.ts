import { findWrite } from "../../ownership/find-write.ts"
import { type HeldFiles, isPlainlyHeld } from "../../ownership/plain-pattern.ts"
import type { SeatMarker } from "../../sessions/effects/seat-marker.ts"
import { objectOf, textOf } from "./hosts/raw.ts"
import { repositoryPaths } from "./repository-paths.ts"

/** What is known without loading settings and opening the store. */
export interface Glance {
  readonly userHome: string
  /** The patterns of shared files; undefined where somebody may have set others. */
  readonly shared: readonly string[] | undefined
  /** The tasks that the worker of a session holds, by the file that the store is. */
  held(path: string, session: string): readonly HeldFiles[]
}

/**
 * Whether a tool is about to write nothing but files of a task that the session's worker holds, which are its own
 * whatever else there is: that spares most uses the rest of the program. What is let go here, `handlers/pre-tool-use.ts`
 * would let go as well.
 */
export function writesOwnFiles(raw: Readonly<Record<string, unknown>>, marker: SeatMarker, glance: Glance): boolean {
  const { folder = "", store = "" } = marker
  const { shared } = glance
  const cwd = textOf(raw.cwd)
  if (shared === undefined) return false
  if (folder === "" || cwd === "" || !store.startsWith("sqlite:")) return false
  const write = findWrite({ tool: textOf(raw.tool_name), input: objectOf(raw.tool_input) })
  if (write === undefined || "problem" in write) return false
  const { pathsOf } = repositoryPaths({ folder, cwd, userHome: glance.userHome })
  const held = glance.held(store.slice("sqlite:".length), textOf(raw.session_id))
  for (const given of write.files)
    for (const file of pathsOf(given)) if (file === undefined || !isPlainlyHeld(file, held, shared)) return false
  return true
}
