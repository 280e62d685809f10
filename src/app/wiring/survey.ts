import { type AgentChoice, type ChosenAgent, chooseAgent } from "../../agents/choose/choose-agent.ts"
import { type AgentStanding, surveyAgents } from "../../agents/choose/survey-agents.ts"
import { type AgentHealth, readAgentHealth } from "../../agents/operations/agent-health.ts"
import { findProgram, SCRIPT } from "../../agents/programs.ts"
import { renderReach } from "../../agents/views/agents-view.ts"
import { AppError } from "../../kernel/errors.ts"
import type { Finding } from "../../teams/operations/examine-team.ts"
import type { Session } from "../command.ts"
import { findRoles } from "./find-roles.ts"

interface Warned {
  readonly warnings: readonly string[]
}

/** Asks every program again instead of using remembered answers. */
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

export async function examineAgents(session: Session): Promise<Finding[]> {
  const { warnings: _, ...survey } = await readSurvey(session)
  const ready = survey.ready.filter(({ agent, isEnabled }) => isEnabled && isForDoctor(agent.name))
  const standings = await surveyAgents({ ...survey, ready })
  const found = standings.filter(({ detection }) => detection.isAvailable).map(describeAgent)
  if (found.length > 0) return found
  const ways = standings.map(({ name, detection }) => `${name}: ${detection.missing ?? "not available"}`).join("; ")
  return [{ check: "agents", status: "warning", detail: `no agent program is installed; ${ways}`, fixed: false }]
}

function isForDoctor(agent: string): boolean {
  const program = findProgram(agent)
  return agent !== SCRIPT && program?.isNamedBySetting !== true
}

function describeAgent(standing: AgentStanding): Finding {
  const { name, detection } = standing
  const version = detection.isAvailable ? detection.version : ""
  const status = detection.missing === null ? "ok" : "warning"
  return { check: "agents", status, detail: `${name} ${version}: ${renderReach(standing)}`, fixed: false }
}

export async function readSurvey(session: Session) {
  const { agents, home } = await session.configured()
  return { ready: await agents(), home, clock: session.host.clock, ...(await findHealth(session)) }
}

/** Choosing an agent must work without a store. */
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
