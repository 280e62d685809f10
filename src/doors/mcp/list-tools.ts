import type { Tool as ListedTool } from "@modelcontextprotocol/server"
import type { CommandRow } from "../../app/command.ts"
import { jsonSchemaOf } from "../../lib/to-json-schema.ts"
import { HINTS, loadTool } from "./tool-table.ts"
import { offer, toolsFor, type Who } from "./who.ts"

export function listTools(who: Who, commands: readonly CommandRow[]): Promise<ListedTool[]> {
  return Promise.all(
    toolsFor(who).map(async (tool) => {
      const command = await loadTool(tool, commands)
      const { fields } = offer(tool, command, who)
      return {
        name: tool.name,
        description: tool.summary ?? command.summary,
        // It is plain JSON, but its type does not say so.
        inputSchema: jsonSchemaOf(fields) as ListedTool["inputSchema"],
        annotations: HINTS[tool.effect],
      }
    }),
  )
}
