import { type Env, userHomeOf } from "../app/config/environment.ts"
import { sharedUnlessSet } from "../app/config/shared-files.ts"
import { writesOwnFiles } from "../doors/hooks/own-files.ts"
import { dirname } from "../lib/paths.ts"
import type { SeatMarker } from "../sessions/effects/seat-marker.ts"
import { readHeldFiles } from "../store/sqlite/read-held-files.ts"

/** Whether the call of a hook tells of a write of the session's own files, by a glance at settings and store. */
export function isOwnWrite(
  call: Readonly<Record<string, unknown>>,
  marker: SeatMarker,
  { env, home }: { readonly env: Env; readonly home: string },
): boolean {
  const shared = sharedUnlessSet(env, [`${home}/config.json`, ...settingsAround(process.cwd())])
  return writesOwnFiles(call, marker, { userHome: userHomeOf(env), shared, held: readHeldFiles })
}

/** Which folder is the repository's takes longer to tell than that none has settings. */
function settingsAround(cwd: string): string[] {
  const files: string[] = []
  for (let folder = cwd; folder !== "/"; folder = dirname(folder)) files.push(`${folder}/teamwork.json`)
  return [...files, "/teamwork.json"]
}
