import type { Event } from "../../kernel/events.ts"
import { cut, oneLine, type Screen } from "../../lib/text/table.ts"
import { shortTime } from "./status-view.ts"

export type ShownEvent = Pick<Event, "timestamp" | "by" | "type"> & { readonly data: object }

/** One line: when, who, what. */
export function describeEvent(event: ShownEvent): string {
  const facts = Object.entries(event.data)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([key, value]) => oneLine(`${key}=${typeof value === "string" ? value : JSON.stringify(value)}`))
  return [shortTime(event.timestamp), event.by, event.type, facts.join(" ")].join("  ").trimEnd()
}

export function renderEvents(events: readonly ShownEvent[], screen: Screen): string {
  if (events.length === 0) return "No events."
  return events.map((event) => cut(describeEvent(event), screen.columns)).join("\n")
}
