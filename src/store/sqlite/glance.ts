import { Database } from "bun:sqlite"
import type { Phase } from "../../kernel/phase.ts"
import type { HeldFiles } from "../../ownership/plain-pattern.ts"
import { LATEST_VERSION } from "../migrations/migrations.ts"

/**
 * What the worker of a session holds, seen without opening the store: no turns, no migrations, nothing but one question.
 * For hooks, which are asked at every use of a tool. Throws on whatever is out of the ordinary, such as a file that
 * somebody mends or that is of another version; whoever asks then opens the store.
 */
export function glanceAtHeld(path: string, terminalId: string): HeldFiles[] {
  // Closed also where all goes well: otherwise the one who then opens the store is not the last to leave it.
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
