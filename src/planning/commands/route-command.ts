import * as v from "valibot"
import { command } from "../../app/command.ts"
import { chooseHere } from "../../app/wiring/survey.ts"
import { choice, flag, number, text } from "../../lib/schema.ts"
import { agentField } from "../../store/operation.ts"
import { COMPLEXITIES } from "../../tasks/task.ts"
import { MODEL_TIERS } from "../complexity/model-tier.ts"
import { estimateTokens } from "../routing.ts"
import { renderRoute, routeFacts } from "../views/route-view.ts"

const input = {
  text: text("what is to be done", (value) => (value.trim() === "" ? "is empty" : undefined)),
  agent: v.optional(agentField("which agent; it gets it, whatever speaks against it")),
  role: v.optional(text("role or agent type that is to do it")),
  complexity: v.optional(choice(COMPLEXITIES, "what the plan says of it")),
  tier: v.optional(choice(MODEL_TIERS, "how able a model; goes before everything else")),
  contextTokens: v.optional(number("tokens the agent must read; by default as many as the text has", { min: 0 })),
  explain: flag("show every signal, every point and every agent"),
}

export const route = command({
  summary: "Show which agent and model a task would get now, and with explain why",
  fields: input,
  positional: ["text"],
  example: 'teamwork route "Add a login endpoint with tests" --explain',
  async run(session, { explain = false, role: agentType, ...asked }) {
    const contextTokens = asked.contextTokens ?? estimateTokens(asked.text)
    const chosen = await chooseHere(session, { ...asked, agentType, contextTokens })
    return {
      data: routeFacts(chosen, explain),
      text: () => renderRoute(chosen, explain),
      warnings: chosen.warnings,
    }
  },
})
