import type { ModelTier } from "../../planning/complexity/model-tier.ts"
import { getRole, type RoleDefinition } from "../../planning/roles/roles.ts"
import { chooseRoute, type Route, type RouteInput } from "../../planning/routing.ts"
import type { Effort } from "../../tasks/effort.ts"
import { SCRIPT } from "../programs.ts"
import { type AgentStanding, routeInputOf, type Survey, surveyAgents } from "./survey-agents.ts"

export interface AgentChoice extends Omit<Survey, "isAnew"> {
  readonly asked: Pick<
    RouteInput,
    "text" | "agent" | "agentType" | "tier" | "complexity" | "contextTokens" | "isCritical"
  >
  readonly roles: readonly RoleDefinition[]
  /** From this share of its quota on, a program is reserved for the critical path; 0 for never. */
  readonly scarcePercent?: number
  readonly defaults: { readonly agentType: string; readonly tier: ModelTier }
}

export interface ChosenAgent {
  readonly route: Route
  readonly effort: Effort
  readonly standings: readonly AgentStanding[]
}

/** By what is installed, allowed and known now. */
export async function chooseAgent({
  asked,
  roles,
  defaults,
  scarcePercent,
  ...survey
}: AgentChoice): Promise<ChosenAgent> {
  const agentType = asked.agentType === undefined ? undefined : getRole(roles, asked.agentType).name
  const ready = survey.ready.filter(({ agent }) => agent.name !== SCRIPT)
  const standings = await surveyAgents({ ...survey, ready })
  const route = chooseRoute({
    ...asked,
    ...routeInputOf(standings, survey.health.now, scarcePercent),
    agentType,
    defaultAgentType: defaults.agentType,
    defaultModel: defaults.tier,
    modelOf(type) {
      const { model } = getRole(roles, type)
      return model === "dynamic" ? undefined : model
    },
  })
  return { route, effort: getRole(roles, route.agentType).effort, standings }
}
