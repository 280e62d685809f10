import * as v from "valibot"
import { EVENT_SCHEMAS, type Event, type EventType } from "../domain/events.ts"
import { getTeam } from "./lookup.ts"
import { operation, teamFields } from "./operation.ts"

const types = Object.keys(EVENT_SCHEMAS) as EventType[]

export interface EventPage {
  readonly events: Event[]
  /** Give it to `--after` to go on from here. */
  readonly cursor: string
}

export const listEvents = operation({
  name: "events.tail",
  summary: "Show the newest events, or those after a cursor",
  input: v.object({
    ...teamFields,
    after: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^\d+(\.\d+)?$/, "is not a cursor; use one that an earlier call gave"),
        v.description("cursor of an earlier call"),
      ),
    ),
    type: v.optional(
      v.pipe(
        v.picklist(types, "is not an event type; see docs/commands.md"),
        v.description("only this type, such as task.claimed"),
      ),
    ),
    limit: v.optional(
      v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000), v.description("at most this many")),
      20,
    ),
  }),
  async run({ store }, input): Promise<EventPage> {
    return store.read(async (tx) => {
      const team = await getTeam(tx, input)
      const after = input.after ?? (await tx.events.tailCursor(team.key, { count: input.limit, type: input.type }))
      return tx.events.list(team.key, { after, type: input.type, limit: input.limit })
    })
  },
})

/** Hands over each event as it comes, from the cursor on, until the signal fires. */
export async function followEvents(
  context: Parameters<typeof listEvents.run>[0],
  input: { project: string; team: string; after: string; type?: EventType },
  { onEvents, signal }: { onEvents: (events: readonly Event[]) => void; signal: AbortSignal },
): Promise<void> {
  await using watch = await context.store.watch()
  let after = input.after
  while (!signal.aborted) {
    const page = await context.store.read(async (tx) => {
      const team = await getTeam(tx, input)
      return tx.events.list(team.key, { after, type: input.type, limit: 1000 })
    })
    if (page.events.length > 0) onEvents(page.events)
    after = page.cursor
    if (page.events.length < 1000) await watch.next(60_000, signal)
  }
}
