import { Database } from "bun:sqlite"
import type { Phase } from "../../kernel/phase.ts"
import type { HeldFiles } from "../../ownership/plain-pattern.ts"
import { LATEST_VERSION } from "../migrations/migrations.ts"

/**
 * The files of the tasks that a session's worker holds, by one query and without opening the store. For hooks, which run
 * at every use of a tool: the limit of the benchmark `hook` needs it. Throws on anything unusual, such as another
 * schema version or a file in recovery; the caller then opens the store.
 */
export function readHeldFiles(path: string, terminalId: string): HeldFiles[] {
  // Closed at once: otherwise a store that is opened next is not the last connection, which empties the log.
  using db = new Database(path, { readonly: true })
  const { user_version: version } = db.query("pragma user_version").get() as { user_version: number }
  if (version !== LATEST_VERSION) throw new Error(`schema ${version}`)
  const rows = db.query(HELD).all(terminalId) as { files: string; phase: Phase | "" }[]
  const held: HeldFiles[] = []
  for (const { files, phase } of rows) held.push({ files: JSON.parse(files), phase: phase === "" ? null : phase })
  return held
}

const HELD = `select files, protocol_phase as phase from seat join task on task.team_id = seat.team_id
  where terminal_id = ? and part = 'worker' and status in ('in_progress', 'in_review')
    and seat.worker_id in (claimed_by, task.worker_id)`
