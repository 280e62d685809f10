import { chooseRoute } from "../../domain/routing.ts"
import { flag, text } from "../../lib/fields.ts"
import { renderRoute, routeFacts } from "../../views/route.ts"
import type { Command } from "./command.ts"

export const route: Command = {
  summary: "Show which agent and model a task would get; --explain says why",
  fields: {
    text: text("what is to be done", (value) => (value.trim() === "" ? "is empty" : undefined)),
    explain: flag("show every signal and every point"),
  },
  positional: ["text"],
  example: 'teamwork route "Add a login endpoint with tests" --explain',
  async run(_session, input) {
    // Nobody looks here which agents can be had, so that is left out, and the answer says so.
    const chosen = chooseRoute({ text: String(input.text) })
    const explain = input.explain === true
    return { data: routeFacts(chosen, explain), text: () => renderRoute(chosen, explain) }
  },
}
