import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"

export interface Beginning {
  /** Created or cleaned, in milliseconds: different for every run of a team. */
  readonly at: number
  readonly attempts: ReadonlyMap<TaskId, number>
}

/** Tells the work of this team in a repository from that of an earlier team of the same name. */
export async function readBeginning({ store }: Pick<Context, "store">, name: TeamName): Promise<Beginning> {
  return store.read(async (tx) => {
    const { key, createdAt } = await getTeam(tx, name)
    const after = await tx.events.tailCursor(key, { count: 1, type: "team.cleaned" })
    const { events } = await tx.events.list(key, { after, type: "team.cleaned", limit: 1 })
    const tasks = await tx.tasks.list(key)
    return {
      at: Date.parse(events.at(-1)?.timestamp ?? createdAt),
      attempts: new Map(tasks.map(({ id, attempt }) => [id, attempt])),
    }
  })
}
