import type { Tool as ListedTool } from "@modelcontextprotocol/server"
import type { CommandRow } from "../../app/command.ts"
import type { Field } from "../../lib/fields.ts"
import { type JsonSchema, objectSchema, plainForm } from "../../lib/fields-schema.ts"
import { HINTS, loadTool } from "./tool-table.ts"
import { offer, toolsFor, type Who } from "./who.ts"

/** The tools that somebody may call, each with the schema of what it takes. */
export function listTools(who: Who, commands: readonly CommandRow[]): Promise<ListedTool[]> {
  return Promise.all(
    toolsFor(who).map(async (tool) => {
      const command = await loadTool(tool, commands)
      const { fields } = offer(tool, command, who)
      return {
        name: tool.name,
        description: tool.summary ?? command.summary,
        // Plain JSON, which its type does not say.
        inputSchema: objectSchema(fields, form) as ListedTool["inputSchema"],
        annotations: HINTS[tool.effect],
      }
    }),
  )
}

/** With defaults, which `objectSchema` leaves out of the plain form. */
const form = (field: Field<unknown>): JsonSchema => plainForm(field)
