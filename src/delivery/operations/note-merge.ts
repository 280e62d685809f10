import { ENGINE } from "../../kernel/actor.ts"
import type { EventData } from "../../kernel/events.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"

/** Work is about to be merged: whoever watches sees of what, and since when. */
export async function noteMergeStarted(
  { store }: Context,
  name: TeamName,
  data: EventData<"merge.started">,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, name)
    await tx.events.append(key, ENGINE, { type: "merge.started", data })
  })
}

/** It came to an end, whatever became of it; what was merged and what was not is told of each task. */
export async function noteMergeEnded(
  { store }: Context,
  name: TeamName,
  data: EventData<"merge.ended">,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, name)
    await tx.events.append(key, ENGINE, { type: "merge.ended", data })
  })
}
