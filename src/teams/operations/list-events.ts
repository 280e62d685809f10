import * as v from "valibot"
import { EVENTS, type Event, type EventType } from "../../kernel/events.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { choice, number, text } from "../../lib/schema.ts"
import { idField, operation, runFields } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"

const types = Object.keys(EVENTS) as EventType[]

export interface EventPage {
  readonly events: Event[]
  /** Pass it to `--after` to continue from here. */
  readonly cursor: string
}

export const listEvents = operation({
  name: "events.tail",
  summary: "Show the newest events, or those after a cursor",
  input: {
    ...runFields,
    after: v.optional(
      text("cursor of an earlier call", (value) =>
        /^\d+(\.\d+)?$/.test(value) ? undefined : "is not a cursor; use one that an earlier call gave",
      ),
    ),
    type: v.optional(choice(types, "only this type, such as task.claimed")),
    task: v.optional(idField<TaskId>("only those of this task")),
    limit: v.optional(number("at most this many", { isInteger: true, min: 1, max: 10_000 }), 20),
  },
  async run({ store }, input): Promise<EventPage> {
    return store.read(async (tx) => {
      const team = await getTeam(tx, input)
      const { type, task, limit } = input
      const after = input.after ?? (await tx.events.tailCursor(team.key, { count: limit, type, task }))
      return tx.events.list(team.key, { after, type, task, limit })
    })
  },
})

export async function followEvents(
  context: Parameters<typeof listEvents.run>[0],
  input: TeamName & { after: string; type?: EventType; task?: TaskId },
  { onEvents, signal }: { onEvents: (events: readonly Event[]) => void; signal: AbortSignal },
): Promise<void> {
  await using watch = await context.store.watch()
  let after = input.after
  while (!signal.aborted) {
    const page = await context.store.read(async (tx) => {
      const team = await getTeam(tx, input)
      return tx.events.list(team.key, { after, type: input.type, task: input.task, limit: 1000 })
    })
    if (page.events.length > 0) onEvents(page.events)
    after = page.cursor
    if (page.events.length < 1000) await watch.next(60_000, signal)
  }
}
