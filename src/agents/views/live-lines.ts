import { cut, manyLines, oneLine } from "../../lib/text/table.ts"
import type { LogEntry } from "../run-log.ts"
import { targetOf } from "../tool-target.ts"

const MAX_TOOL_LINE = 200

/** Text and tool calls. */
export function liveLines(agent: string, entry: LogEntry): string[] {
  if (entry.kind === "text") {
    const [first = "", ...rest] = manyLines(entry.text).trim().split("\n")
    return first === "" ? [] : [`${agent}: ${first}`, ...rest.map((line) => `  ${line}`)]
  }
  if (entry.kind !== "tool") return []
  const target = oneLine(targetOf(entry))
  return [cut(`${agent} -> ${oneLine(entry.name)}${target === "" ? "" : `: ${target}`}`, MAX_TOOL_LINE)]
}
