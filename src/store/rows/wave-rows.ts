import type { StoredWave, WaveStore } from "../port.ts"
import { insertRow, replaced, type Session } from "./sql-session.ts"
import { table, timeOrNull } from "./sql-table.ts"

export const WAVE = table<StoredWave>("wave", {
  number: "number",
  verdict: "verdict",
  startedAt: timeOrNull("started_at"),
  verifiedAt: timeOrNull("verified_at"),
})

export function waveStore(session: Session): WaveStore {
  return {
    list: (key) => WAVE.list(session, "where team_id = ? order by number", [key]),
    async put(key, wave) {
      const update = `on conflict (team_id, number) do update set ${replaced("verdict", "started_at", "verified_at")}`
      await insertRow(session, "wave", { team_id: key, ...WAVE.toRow(wave) }, update)
    },
    dropAfter: (key, number) => session.run("delete from wave where team_id = ? and number > ?", [key, number]),
  }
}
