import { programOf } from "../agents/program-of.ts"
import { findProgram, SCRIPT } from "../agents/programs.ts"

export type ReviewerChoice =
  /** Asked one after the other, until one gives a verdict. */
  { readonly candidates: readonly string[] } | { readonly why: string }

export interface ReviewerFacts {
  /** How many tasks each agent did. */
  readonly done: ReadonlyMap<string, number>
  /** The names of the agents that are set up here. */
  readonly agents: readonly string[]
  /** Review work that no agent is known to have done, too. */
  readonly isRequired: boolean
}

/** Which agents can review the work of a team, or why it is not reviewed. */
export function chooseReviewer({ done, agents, isRequired }: ReviewerFacts): ReviewerChoice {
  const worked = [...done].filter(([, count]) => count > 0)
  if (!isRequired && worked.every(([agent]) => programOf(agent) === SCRIPT))
    return { why: worked.length === 0 ? "no agent is known to have worked on it" : "only scripts worked on it" }
  const candidates = listJudges(agents, done)
  return candidates.length === 0 ? { why: "no agent that could review is set up here" } : { candidates }
}

/**
 * The agents that can judge work, for reviews and for QA. First those whose program did least of it, because a second
 * account of the program that did the work is no second opinion; then those that suit reviews; then in the order of the
 * list of programs. An agent that did the work itself, in a fresh session, is asked last.
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
