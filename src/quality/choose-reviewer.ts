import { programOf } from "../agents/program-of.ts"
import { findProgram, SCRIPT } from "../agents/programs.ts"

export type ReviewerChoice =
  /** Asked in this order until one gives a verdict. */
  { readonly candidates: readonly string[] } | { readonly why: string }

export interface ReviewerFacts {
  readonly done: ReadonlyMap<string, number>
  readonly agents: readonly string[]
  /** Also review work of unknown agents. */
  readonly isRequired: boolean
}

export function chooseReviewer({ done, agents, isRequired }: ReviewerFacts): ReviewerChoice {
  const worked = [...done].filter(([, count]) => count > 0)
  if (!isRequired && worked.every(([agent]) => programOf(agent) === SCRIPT))
    return { why: worked.length === 0 ? "no agent is known to have worked on it" : "only scripts worked on it" }
  const candidates = listJudges(agents, done)
  return candidates.length === 0 ? { why: "no agent that could review is set up here" } : { candidates }
}

/**
 * Agents that can judge work, for reviews and QA. First those whose program did least of it: a second account of
 * the same program is no second opinion. Then those that suit reviews, then the order of the list. The agent that
 * did the work is last, in a fresh session.
 */
export function listJudges(agents: readonly string[], done: ReadonlyMap<string, number>): string[] {
  const byProgram = new Map<string, number>()
  for (const [agent, count] of done) byProgram.set(programOf(agent), (byProgram.get(programOf(agent)) ?? 0) + count)
  const rank = (agent: string) => [
    byProgram.get(programOf(agent)) ?? 0,
    done.get(agent) ?? 0,
    findProgram(agent)?.routing.kinds.includes("review") === true ? 0 : 1,
  ]
  return agents
    .filter((agent) => findProgram(agent)?.canJudge === true)
    .toSorted((a, b) => {
      const [one, other] = [rank(a), rank(b)]
      return one.map((value, at) => value - (other[at] ?? 0)).find((difference) => difference !== 0) ?? 0
    })
}
