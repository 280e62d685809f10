import type { AgentEventBody } from "./port.ts"

/** A line that the translator does not know. Blank ones tell nobody anything. */
export function unknownLine(text: string): AgentEventBody[] {
  return text.trim() === "" ? [] : [{ type: "unknown", line: text }]
}
