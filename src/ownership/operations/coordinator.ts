import { ofType } from "../../kernel/events.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { findMatch } from "../file-pattern.ts"

/**
 * The engine merges shared files if a run leads or led the team and no session joined as the lead. Otherwise the
 * lead owns them.
 */
export async function isCoordinated(tx: Tx, key: number): Promise<boolean> {
  if ((await tx.leaders.find(key)) === undefined) return false
  return !(await tx.seats.list(key)).some(({ part }) => part === "lead")
}

/** Returns whether several tasks may change a file, because the engine merges it. */
export async function readCoordinated(
  { store, settings }: Pick<Context, "store" | "settings">,
  name: TeamName,
): Promise<(path: string) => boolean> {
  return store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    if (!(await isCoordinated(tx, key))) return () => false
    const { events } = await tx.events.list(key, { type: "task.shared_files_merged", limit: 1_000_000 })
    const merged = new Set(ofType(events, "task.shared_files_merged").flatMap(({ data }) => data.paths))
    return (path) => merged.has(path) || findMatch(path, settings.sharedFiles) !== undefined
  })
}
