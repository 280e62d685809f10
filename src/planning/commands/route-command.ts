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
  text: text("the task", (value) => (value.trim() === "" ? "is empty" : undefined)),
  agent: v.optional(agentField("the agent to use, even if it is not available")),
  role: v.optional(text("role or agent type that does it")),
  complexity: v.optional(choice(COMPLEXITIES, "the complexity in the plan")),
  tier: v.optional(choice(MODEL_TIERS, "the model tier; overrides everything else")),
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
