import * as v from "valibot"
import { command } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { described, flag } from "../../lib/schema.ts"
import { table } from "../../lib/text/table.ts"
import { problemWithWorkerName } from "../../messages/message.ts"
import { workerIdField } from "../../store/operation.ts"
import { listTools } from "./list-tools.ts"
import { serve } from "./serve.ts"
import { openConnection } from "./tool-session.ts"

const input = {
  as: v.optional(
    described(
      workerIdField,
      "the worker that the client acts as; by default the one its session joined as, else the lead",
    ),
  ),
  noCommands: flag("offer no tools that run programs: for an agent that may not run any"),
  noClaims: flag(
    "offer no tools that claim tasks, move them on or give them back: for an agent whose worker does that",
  ),
  list: flag("list the tools that it would offer, and end"),
}

export const mcp = command({
  summary: "Serve the team to an agent over MCP, on standard input and output, until that is closed",
  fields: input,
  example: "teamwork mcp --as w1",
  async run(session, { as = null, list, noCommands, noClaims }) {
    const problem = as === null ? undefined : problemWithWorkerName(as)
    if (problem !== undefined)
      throw new AppError("input.invalid", (say) => `${problem}; leave ${say.field("as")} out to serve the lead`)
    await using connection = await openConnection(session, {
      as,
      mayRun: noCommands !== true,
      mayHold: noClaims !== true,
    })
    if (list === true) {
      const tools = (await listTools(await connection.who(), session.commands)).map(
        ({ name, description = "", inputSchema }) => {
          const { properties = {}, required = [] } = inputSchema
          return { name, description, arguments: Object.keys(properties), required }
        },
      )
      return {
        data: tools,
        text: (screen) =>
          table(
            [{ title: "TOOL" }, { title: "WHAT IT DOES", flexible: true }],
            tools.map((tool) => [tool.name, tool.description]),
            screen,
          ),
      }
    }
    await serve(connection)
    return { data: null, silent: true }
  },
})
