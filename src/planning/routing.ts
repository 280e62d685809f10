import type { Routing } from "../agents/program-facts.ts"
import { findProgram } from "../agents/programs.ts"
import { type Classification, classifyTask } from "./complexity/classify-task.ts"
import { chooseTier, type TierChoice, type TierInput } from "./complexity/complexity.ts"
import type { ModelTier } from "./complexity/model-tier.ts"
import { findWorkKind, type WorkKind } from "./complexity/work-kind.ts"

export interface AgentProfile extends Routing {
  readonly name: string
}

/** Rough, but enough for a choice. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4)
}

/** A missing fact does not limit the choice. */
export interface RouteInput extends Omit<TierInput, "role"> {
  readonly agent?: string
  readonly agentType?: string
  /** If domain and kind say nothing. */
  readonly defaultAgentType?: string
  /** The fixed model of an agent type. */
  readonly modelOf?: (agentType: string) => ModelTier | undefined
  readonly agents: readonly AgentProfile[]
  /** With the reason. */
  readonly unavailable?: Readonly<Record<string, string>>
  /** End, in ISO form. */
  readonly rateLimits?: { readonly now: string; readonly until: Readonly<Record<string, string>> }
  /** Failed programs: until when, and why. */
  readonly leftOut?: Readonly<Record<string, { readonly until: string; readonly cause: string }>>
  /** Little quota left, in words; kept for the critical path. */
  readonly scarce?: Readonly<Record<string, string>>
  /** On the longest chain of remaining tasks. */
  readonly isCritical?: boolean
  readonly contextTokens?: number
  /** For the same work, in any unit. An unknown price counts as the highest. */
  readonly prices?: Readonly<Record<string, Partial<Record<ModelTier, number>>>>
}

export interface Route {
  /** Null if no agent can take it now. */
  readonly agent: string | null
  readonly agentType: string
  readonly tier: ModelTier
  readonly classification: Classification
  readonly complexity: TierChoice
  /** One sentence per step. */
  readonly because: readonly string[]
  readonly passedOver: readonly { readonly agent: string; readonly because: string }[]
  /** When the first rate-limited or failed agent can be asked again. */
  readonly retryAt: string | null
}

export function chooseRoute(input: RouteInput): Route {
  const classification = classifyTask(input.text)
  const kind = findWorkKind(input.text, classification.domain, input.contextTokens ?? 0)
  const agentType = agentTypeFor(input, classification, kind)
  const complexity = chooseTier({ ...input, role: { name: agentType, model: input.modelOf?.(agentType) } })
  const base = { classification, complexity, tier: complexity.tier, agentType, retryAt: null }
  if (input.agent !== undefined) {
    const problem = obstacleOf(profileOf(input, input.agent), input)
    const because = [`${input.agent} was asked for${problem === undefined ? "" : `, although ${problem}`}`]
    return { ...base, agent: input.agent, because, passedOver: [] }
  }
  const passedOver: { agent: string; because: string }[] = []
  const decide = (agent: string | null, why: string) => {
    const others = passedOver.filter((each) => each.agent !== agent)
    const passed = others.map((each) => `${each.agent} was passed over: ${each.because}`)
    return { ...base, agent, because: [describeDomain(classification), ...passed, why], passedOver: others }
  }
  let spared: { readonly name: string; readonly reason: string } | undefined
  for (const { profile, reason } of rankAgents(input, { classification, kind, tier: complexity.tier })) {
    const { name } = profile
    const problem = obstacleOf(profile, input)
    const quota = problem === undefined ? input.scarce?.[name] : undefined
    const isKept = quota !== undefined && input.isCritical === true
    if (isKept) return decide(name, `${reason}; its quota is scarce, and the task is on the critical path`)
    const isSpared = quota !== undefined && input.isCritical === false
    if (problem === undefined && !isSpared) return decide(name, reason)
    if (isSpared) spared ??= { name, reason }
    passedOver.push({
      agent: name,
      because: problem ?? `its quota is scarce (${quota}) and kept for the critical path`,
    })
  }
  // A scarce program is better than none.
  if (spared !== undefined)
    return decide(spared.name, `${spared.reason}; its quota is scarce, but no other can take it`)
  return { ...decide(null, "no agent can take it now"), retryAt: findRetryTime(input) }
}

interface Question {
  readonly classification: Classification
  readonly kind: WorkKind | undefined
  readonly tier: ModelTier
}

/**
 * A clear domain decides; a tie goes to the general agent. Without a domain, and among the last, the kind of work
 * decides. Of equal agents the cheaper goes first.
 */
function rankAgents({ agents, prices = {} }: RouteInput, question: Question) {
  const priceOf = (name: string) => prices[name]?.[question.tier] ?? Number.POSITIVE_INFINITY
  const ranked = agents.map((profile) => ({ profile, price: priceOf(profile.name), ...rankOf(profile, question) }))
  ranked.sort((a, b) => a.rank - b.rank || (a.price === b.price ? 0 : a.price - b.price))
  return ranked.map(({ profile, price, rank, reason }) => {
    const isCheapest = price < Math.max(...ranked.filter((each) => each.rank === rank).map((each) => each.price))
    return { profile, reason: isCheapest ? `${reason}, at the lower price` : reason }
  })
}

function rankOf({ name, domain, kinds, isGeneral }: AgentProfile, { classification, kind }: Question) {
  const suits = kind !== undefined && kinds.includes(kind)
  if (classification.domain !== "ambiguous") {
    if (domain === classification.domain) return { rank: 0, reason: `${name} takes ${domain} tasks` }
  } else if (classification.backend.length > 0) {
    if (isGeneral) return { rank: 0, reason: `${name} takes tasks of both domains` }
  } else if (suits) return { rank: 0, reason: `${name} suits the kind of work: ${kind}` }
  if (isGeneral) return { rank: 1, reason: `${name} takes what has no better agent` }
  return suits
    ? { rank: 2, reason: `${name} suits the kind of work: ${kind}` }
    : { rank: 3, reason: `${name} is what is left` }
}

const TYPE_OF_KIND: Partial<Record<WorkKind, string>> = {
  review: "code-reviewer",
  "security audit": "security-reviewer",
  architecture: "architect",
}

/** A reviewer must not be of an implementing type. */
function agentTypeFor(input: RouteInput, { domain }: Classification, kind: WorkKind | undefined): string {
  const { agentType, defaultAgentType = "executor" } = input
  const byKind = kind === undefined ? undefined : TYPE_OF_KIND[kind]
  return agentType ?? byKind ?? (domain === "frontend" ? "designer" : defaultAgentType)
}

function profileOf({ agents }: RouteInput, name: string): AgentProfile {
  return agents.find((profile) => profile.name === name) ?? builtInProfile(name)
}

/** All accounts of a program share its profile. */
export function builtInProfile(name: string): AgentProfile {
  return { ...(findProgram(name)?.routing ?? { kinds: [] }), name }
}

function obstacleOf({ name, contextTokens }: AgentProfile, input: RouteInput): string | undefined {
  const why = input.unavailable?.[name]
  if (why !== undefined) return `it is not available: ${why}`
  const fault = leftOutNow(name, input)
  if (fault !== undefined) return `it is left out until ${fault.until}: ${fault.cause}`
  const until = limitedUntil(name, input)
  if (until !== undefined) return `it is rate-limited until ${until}`
  const needed = input.contextTokens ?? 0
  if (contextTokens !== undefined && needed > contextTokens)
    return `its context of ${contextTokens} tokens is too small for about ${needed}`
  return undefined
}

function limitedUntil(name: string, { rateLimits }: RouteInput): string | undefined {
  const until = rateLimits?.until[name]
  return until !== undefined && rateLimits !== undefined && Date.parse(until) > Date.parse(rateLimits.now)
    ? until
    : undefined
}

function leftOutNow(name: string, { leftOut, rateLimits }: RouteInput) {
  const fault = leftOut?.[name]
  if (fault === undefined || rateLimits === undefined) return fault
  return Date.parse(fault.until) > Date.parse(rateLimits.now) ? fault : undefined
}

function findRetryTime(input: RouteInput): string | null {
  const times = input.agents.flatMap((profile) => {
    const fault = leftOutNow(profile.name, input)
    const limits = [limitedUntil(profile.name, input), fault?.until].filter((each) => each !== undefined)
    // A missing program may come back; its fault says when.
    const unavailable = fault === undefined ? input.unavailable : undefined
    const problemLater = obstacleOf(profile, { ...input, rateLimits: undefined, leftOut: undefined, unavailable })
    if (problemLater !== undefined) return []
    return limits.toSorted((a, b) => Date.parse(b) - Date.parse(a)).slice(0, 1)
  })
  return times.toSorted((a, b) => Date.parse(a) - Date.parse(b))[0] ?? null
}

function describeDomain({ domain, backend, frontend }: Classification): string {
  if (backend.length + frontend.length === 0) return "no word names a domain"
  return `${domain}: ${backend.length} backend against ${frontend.length} frontend signals`
}
