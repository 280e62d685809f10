import { type Env, userHomeOf } from "../app/config/environment.ts"
import { sharedUnlessSet } from "../app/config/shared-files.ts"
import { writesOwnFiles } from "../doors/hooks/own-files.ts"
import { dirname } from "../lib/paths.ts"
import type { SeatMarker } from "../sessions/effects/seat-marker.ts"
import { readHeldFiles } from "../store/sqlite/read-held-files.ts"

/** Whether a hook call is about a write to files of the session's own task, decided without loading the program. */
export function isOwnWrite(
  call: Readonly<Record<string, unknown>>,
  marker: SeatMarker,
  { env, home }: { readonly env: Env; readonly home: string },
): boolean {
  const shared = sharedUnlessSet(env, [`${home}/config.json`, ...settingsAround(process.cwd())])
  return writesOwnFiles(call, marker, { userHome: userHomeOf(env), shared, held: readHeldFiles })
}

/** Checking every parent folder for settings is faster than finding the repository. */
function settingsAround(cwd: string): string[] {
  const files: string[] = []
  for (let folder = cwd; folder !== "/"; folder = dirname(folder)) files.push(`${folder}/teamwork.json`)
  return [...files, "/teamwork.json"]
}
