import { ofType } from "../../kernel/events.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { findMatch } from "../file-pattern.ts"

/**
 * Whether the engine looks after shared files: in a team that a run leads, or led until it was stopped or killed, and in
 * which no session takes part as the lead. Otherwise they are the lead's.
 */
export async function isCoordinated(tx: Tx, key: number): Promise<boolean> {
  if ((await tx.leaders.find(key)) === undefined) return false
  return !(await tx.seats.list(key)).some(({ part }) => part === "lead")
}

/** Files that several tasks may have changed side by side: the engine put them together by its rules. */
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
