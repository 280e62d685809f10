import type { Event } from "../../src/kernel/events.ts"

/** An event as a test looks at it that knows what it wrote: with facts by name, whatever the type. */
export type PlainEvent = Omit<Event, "data"> & { readonly data: Record<string, unknown> }

export function plainEvents(events: readonly Event[]): PlainEvent[] {
  return events.map((event) => ({ ...event, data: { ...event.data } }))
}
