import { type AgentChoice, type ChosenAgent, chooseAgent } from "../../agents/choose/choose-agent.ts"
import { type AgentStanding, surveyAgents } from "../../agents/choose/survey-agents.ts"
import { type AgentHealth, readAgentHealth } from "../../agents/operations/agent-health.ts"
import { AppError } from "../../kernel/errors.ts"
import type { Session } from "../command.ts"
import { findRoles } from "./find-roles.ts"

interface Warned {
  readonly warnings: readonly string[]
}

/** How every agent stands, each asked anew: for somebody who wants to know. */
export async function surveyAll(session: Session): Promise<Warned & { readonly standings: readonly AgentStanding[] }> {
  const { warnings, ...survey } = await readSurvey(session)
  return { standings: await surveyAgents({ ...survey, isAnew: true }), warnings }
}

export async function chooseHere(session: Session, asked: AgentChoice["asked"]): Promise<ChosenAgent & Warned> {
  const { agentDefaults: defaults, worker } = await session.configured()
  const [{ warnings, ...survey }, { roles }] = await Promise.all([readSurvey(session), findRoles(session)])
  return {
    ...(await chooseAgent({ ...survey, asked, roles, defaults, scarcePercent: (await worker()).scarcePercent })),
    warnings,
  }
}

export async function readSurvey(session: Session) {
  const { agents, home } = await session.configured()
  return { ready: await agents(), home, clock: session.host.clock, ...(await findHealth(session)) }
}

/** Nobody needs a store to ask for a route, and one that cannot be opened is no reason not to answer. */
async function findHealth({ configured, context, host }: Session) {
  const none: AgentHealth = { now: new Date(host.clock.now()).toISOString(), until: {}, faults: {}, quotas: {} }
  try {
    const health = (await (await configured()).hasStore()) ? await readAgentHealth.run(await context(), {}) : none
    return { health, warnings: [] }
  } catch (error) {
    if (!(error instanceof AppError && error.code.startsWith("store."))) throw error
    return { health: none, warnings: [`rate limits and faults are not known: ${error.message}`] }
  }
}
