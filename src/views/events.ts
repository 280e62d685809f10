import type { Event } from "../domain/events.ts"
import { cut, oneLine, type Screen } from "./table.ts"

/** One line: when, who, what. */
export function describeEvent(event: Event): string {
  const facts = Object.entries(event.data)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
  return oneLine(`${event.timestamp.slice(0, 19).replace("T", " ")}  ${event.by}  ${event.type}  ${facts.join(" ")}`)
}

export function renderEvents(events: readonly Event[], screen: Screen): string {
  if (events.length === 0) return "No events."
  return events.map((event) => cut(describeEvent(event), screen.columns)).join("\n")
}
