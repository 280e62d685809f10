import { type AgentRow, renderPrice } from "../../agents/views/agents-view.ts"
import { oneLine } from "../../lib/text/table.ts"
import { COMPLEXITY_OF } from "../complexity/model-tier.ts"
import type { Signal } from "../complexity/word-families.ts"
import type { Route } from "../routing.ts"

export interface RouteView {
  readonly route: Route
  readonly effort: string
  readonly standings: readonly AgentRow[]
}

/** With reasons only on request. */
export function routeFacts(view: RouteView, explain: boolean) {
  const { route, effort, standings } = view
  const { classification, complexity, tier } = route
  const facts = {
    domain: classification.domain,
    score: complexity.score,
    tier,
    complexity: COMPLEXITY_OF[tier],
    agent: route.agent,
    agentType: route.agentType,
    ...modelOf(view),
    effort,
    passedOver: route.passedOver,
    retryAt: route.retryAt,
  }
  if (!explain) return facts
  return {
    ...facts,
    agents: standings.map(({ name, detection, rateLimitedUntil, leftOut, models }) => ({
      name,
      isAvailable: detection.isAvailable,
      why: detection.isAvailable ? null : detection.why,
      isLoggedIn: detection.isAvailable ? detection.isLoggedIn : null,
      rateLimitedUntil,
      leftOut,
      ...models[tier],
    })),
    signals: { backend: classification.backend, frontend: classification.frontend },
    points: complexity.explanation,
    because: [...route.because, `${tier}: ${complexity.because}`],
  }
}

export function renderRoute(view: RouteView, explain: boolean): string {
  const { route, effort } = view
  const { classification, complexity, tier, agent, retryAt } = route
  const { model, price } = modelOf(view)
  const nobody = retryAt === null ? "none" : `none before ${retryAt}`
  const lines = [
    `Domain      ${classification.domain}`,
    `Complexity  ${complexity.score}, ${COMPLEXITY_OF[tier]}`,
    `Agent       ${agent ?? nobody} as ${route.agentType}`,
    `Model       ${tier}${model === null ? "" : `: ${model}, ${renderPrice(price)}`}`,
    `Effort      ${effort}`,
  ]
  if (explain) lines.push(...reasons(view))
  else if (route.passedOver.length > 0)
    lines.push("", ...route.passedOver.map((each) => `${each.agent} was passed over: ${oneLine(each.because)}`))
  return lines.join("\n")
}

function modelOf({ route: { agent, tier }, standings }: RouteView) {
  return standings.find(({ name }) => name === agent)?.models[tier] ?? { model: null, price: null }
}

function reasons({ route: { classification, complexity, because, tier }, standings }: RouteView): string[] {
  const signals = (kind: string, list: readonly Signal[]) =>
    list.map(({ family, word }) => `  ${kind.padEnd(8)}  ${family} (${oneLine(word)})`)
  const points = complexity.explanation.map(({ what, points, because }) => `  +${points}  ${what}: ${oneLine(because)}`)
  return [
    "",
    "Signals",
    ...orNone([...signals("backend", classification.backend), ...signals("frontend", classification.frontend)]),
    "",
    "Points",
    ...orNone(points),
    "",
    "Agents",
    ...standings.map(
      (each) => `  ${each.name.padEnd(8)}  ${oneLine(sayStanding(each))}, ${renderPrice(each.models[tier].price)}`,
    ),
    "",
    "Because",
    ...[...because, `${tier}: ${complexity.because}`].map((line) => `  ${oneLine(line)}`),
  ]
}

function sayStanding({ detection, rateLimitedUntil, leftOut }: AgentRow): string {
  if (!detection.isAvailable) return `not available: ${detection.why}`
  if (detection.isLoggedIn === false) return "not logged in"
  if (leftOut !== null) return `left out until ${leftOut.until}: ${leftOut.cause}`
  return rateLimitedUntil === null ? "available" : `rate-limited until ${rateLimitedUntil}`
}

function orNone(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? ["  none"] : lines
}
