import type { Signal } from "../domain/classify-task.ts"
import { COMPLEXITY_OF } from "../domain/complexity.ts"
import type { Route } from "../domain/routing.ts"
import { oneLine } from "./table.ts"

/** What programs get of a route; the reasons only when asked for. */
export function routeFacts(route: Route, explain: boolean) {
  const { classification, complexity } = route
  const facts = {
    domain: classification.domain,
    score: complexity.score,
    tier: route.tier,
    complexity: COMPLEXITY_OF[route.tier],
    agent: route.agent,
    agentType: route.agentType,
    availability: route.availability,
  }
  if (!explain) return facts
  return {
    ...facts,
    signals: { backend: classification.backend, frontend: classification.frontend },
    points: complexity.explanation,
    because: [...route.because, `${route.tier}: ${complexity.because}`],
  }
}

export function renderRoute(route: Route, explain: boolean): string {
  const { classification, complexity } = route
  const lines = [
    `Domain      ${classification.domain}`,
    `Complexity  ${complexity.score}, ${COMPLEXITY_OF[route.tier]}`,
    `Agent       ${route.agent ?? "none"} as ${route.agentType}`,
    `Model       ${route.tier}`,
  ]
  if (explain) lines.push(...reasons(route))
  if (route.availability === "assumed") lines.push("", "All agents are assumed to be available.")
  return lines.join("\n")
}

function reasons({ classification, complexity, because, tier }: Route): string[] {
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
    "Because",
    ...[...because, `${tier}: ${complexity.because}`].map((line) => `  ${line}`),
  ]
}

function orNone(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? ["  none"] : lines
}
