import type { WaveVerdict } from "../../tasks/wave.ts"
import type { WaveStore } from "../port.ts"
import { isoOrNull, type Session } from "./sql-session.ts"

interface WaveRow {
  number: number
  verdict: WaveVerdict
  started_at: number | null
  verified_at: number | null
}

export function waveStore(session: Session): WaveStore {
  return {
    async list(key) {
      const rows = await session.all<WaveRow>(
        "select number, verdict, started_at, verified_at from wave where team_id = ? order by number",
        [key],
      )
      return rows.map((row) => ({
        number: row.number,
        verdict: row.verdict,
        startedAt: isoOrNull(row.started_at),
        verifiedAt: isoOrNull(row.verified_at),
      }))
    },
    put: (key, wave) =>
      session.run(
        `insert into wave (team_id, number, verdict, started_at, verified_at) values (?, ?, ?, ?, ?)
         on conflict (team_id, number) do update
         set verdict = excluded.verdict, started_at = excluded.started_at, verified_at = excluded.verified_at`,
        [key, wave.number, wave.verdict, wave.startedAt, wave.verifiedAt],
      ),
    dropAfter: (key, number) => session.run("delete from wave where team_id = ? and number > ?", [key, number]),
  }
}
