import { findWrite } from "../../ownership/find-write.ts"
import { type HeldFiles, isPlainlyHeld } from "../../ownership/plain-pattern.ts"
import type { SeatMarker } from "../../sessions/effects/seat-marker.ts"
import { objectOf, textOf } from "./raw.ts"
import { repositoryPaths } from "./repository-paths.ts"

/** Readable without loading settings or opening the store. */
export interface Glance {
  readonly userHome: string
  /** Undefined where a setting may change them. */
  readonly shared: readonly string[] | undefined
  /** `path` is the file of the store. */
  held(path: string, session: string): readonly HeldFiles[]
}

/**
 * Whether a tool writes only files of a task that the session's worker holds, which is always allowed.
 * `pre-tool-use.ts` must allow everything that this allows.
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
