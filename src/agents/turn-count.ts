import type { AgentEventBody } from "./port.ts"

/** Counts how often the model was asked, for agents that do not tell: its first word after a tool's result or a message is a new turn. */
export function countTurns() {
  let turns = 0
  let isInTurn = false
  return {
    /** Looks at the events and gives them back. */
    see<Events extends readonly AgentEventBody[]>(events: Events): Events {
      for (const { type } of events) {
        if (type === "tool_result" || type === "message_delivered") isInTurn = false
        else if (!isInTurn && (type === "text" || type === "reasoning" || type === "tool_use")) {
          isInTurn = true
          turns++
        }
      }
      return events
    },
    count: () => turns,
  }
}
