import { AppError } from "../../domain/errors.ts"
import { getRole } from "../../domain/roles.ts"
import { chooseRoute, type Route, type RouteInput } from "../../domain/routing.ts"
import { type AgentStanding, routeInputOf, type Survey, surveyAgents } from "../../engine/survey-agents.ts"
import { type KnownRateLimits, listRateLimits } from "../../operations/rate-limits.ts"
import type { Session } from "./command.ts"
import { findRoles } from "./role.ts"

export interface SurveyedAgents {
  readonly standings: readonly AgentStanding[]
  readonly now: string
  readonly warnings: readonly string[]
}

/** Asks every agent anew, for somebody who wants to know. */
export async function surveyAll(session: Session): Promise<SurveyedAgents> {
  return survey(session, { ready: await (await session.configured()).agents(), isAnew: true })
}

async function survey(session: Session, which: Pick<Survey, "ready" | "isAnew">): Promise<SurveyedAgents> {
  const { home } = await session.configured()
  const { rateLimits, warnings } = await findRateLimits(session)
  const standings = await surveyAgents({ ...which, home, clock: session.host.clock, rateLimits })
  return { standings, now: rateLimits.now, warnings }
}

export interface ChosenAgent extends SurveyedAgents {
  readonly route: Route
  readonly effort: string
}

/** The choice as it would be made now, by what is installed, allowed and known. */
export async function chooseAgent(
  session: Session,
  asked: Pick<RouteInput, "text" | "agent" | "agentType" | "tier" | "complexity" | "contextTokens">,
): Promise<ChosenAgent> {
  const { agents, agentDefaults } = await session.configured()
  // It runs commands and reads no text.
  const ready = (await agents()).filter(({ agent }) => agent.name !== "script")
  const [surveyed, { roles }] = await Promise.all([survey(session, { ready }), findRoles(session.host)])
  const route = chooseRoute({
    ...asked,
    ...routeInputOf(surveyed.standings, surveyed.now),
    agentType: asked.agentType === undefined ? undefined : getRole(roles, asked.agentType).name,
    defaultAgentType: agentDefaults.agentType,
    defaultModel: agentDefaults.tier,
    modelOf: (agentType) => {
      const { model } = getRole(roles, agentType)
      return model === "dynamic" ? undefined : model
    },
  })
  return { ...surveyed, route, effort: getRole(roles, route.agentType).effort }
}

/** Nobody needs a store to ask for a route, and one that cannot be opened is no reason not to answer. */
async function findRateLimits({ configured, context, host }: Session) {
  const none: KnownRateLimits = { now: new Date(host.clock.now()).toISOString(), until: {} }
  try {
    const rateLimits = (await (await configured()).hasStore()) ? await listRateLimits.run(await context(), {}) : none
    return { rateLimits, warnings: [] }
  } catch (error) {
    if (!(error instanceof AppError && error.code.startsWith("store."))) throw error
    return { rateLimits: none, warnings: [`rate limits are not known: ${error.message}`] }
  }
}
