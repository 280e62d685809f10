import { PERSON } from "../../kernel/actor.ts"
import { isId } from "../../kernel/ids.ts"
import type { PastEvent } from "../snapshot.ts"
import { asLine, Fields, isRecord, Time } from "./foreign-json.ts"

export function pastEntry(entry: string, timestamp: string, by?: string): PastEvent {
  return {
    type: "history.imported",
    version: 1,
    timestamp,
    by: by !== undefined && isId(by) ? by : PERSON,
    data: { entry },
  }
}

export function logEntry(entry: unknown, otherwise: string, prefix = ""): PastEvent | undefined {
  if (!isRecord(entry)) {
    const line = asLine(entry)
    return line === "" ? undefined : pastEntry(`${prefix}${line}`, otherwise)
  }
  const fields = new Fields(entry)
  const timestamp = fields.read(Time, "timestamp", "time", "at", "date", "ts", "createdAt", "created_at") ?? otherwise
  const by = fields.text("by", "author", "agentId", "agent", "pmId", "actor")
  const said = [
    fields.text("phase"),
    fields.text("event", "type", "action", "status", "decision"),
    fields.any("details", "message", "description", "reason", "text"),
  ].map(asLine)
  const rest = fields.rest()
  if (Object.keys(rest).length > 0) said.push(JSON.stringify(rest))
  const line = said.filter((part) => part !== "").join(" ")
  return line === "" ? undefined : pastEntry(`${prefix}${line}`, timestamp, by)
}
