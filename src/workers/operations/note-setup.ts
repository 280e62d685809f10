import { ofType } from "../../kernel/events.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"

interface SetupNotes {
  readonly worker: WorkerId
  readonly notes: readonly string[]
}

const MOST_NOTES = 1000

/** Every worktree is set up the same way, so each note is recorded once in a run. */
export async function noteSetup(
  { store }: Pick<Context, "store">,
  name: TeamName,
  { worker, notes }: SetupNotes,
): Promise<void> {
  if (notes.length === 0) return
  await store.write(async (tx) => {
    const { key } = await lockTeam(tx, name)
    const { events } = await tx.events.list(key, { type: "workspace.noted", limit: MOST_NOTES })
    const told = new Set(ofType(events, "workspace.noted").map(({ data }) => data.note))
    for (const note of new Set(notes)) {
      if (!told.has(note)) await tx.events.append(key, worker, { type: "workspace.noted", data: { worker, note } })
    }
  })
}
