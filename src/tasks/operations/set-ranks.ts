import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "./lookup.ts"

/** The order among ready tasks of one priority, the lowest first. No event: the tasks do not change. */
export async function setRanks(
  { store }: Context,
  name: TeamName,
  ranks: readonly { readonly id: TaskId; readonly rank: number }[],
): Promise<void> {
  await store.write(async (tx) => tx.tasks.setRanks((await getTeam(tx, name)).key, ranks))
}
