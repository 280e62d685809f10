import { programOf } from "../agents/program-of.ts"

/** Agents that review the work of others, the first preferred where several did equally little. */
const REVIEWERS = ["claude", "codex", "gemini"] as const

const SCRIPT = "script"

/** Who looks at the work of one agent alone. */
const OTHER: Readonly<Record<string, (typeof REVIEWERS)[number]>> = {
  claude: "codex",
  codex: "gemini",
  gemini: "codex",
}

export type ReviewerChoice =
  /** To be asked one after the other, until one can be had. */
  { readonly candidates: readonly string[] } | { readonly why: string }

/**
 * Which agent reviews the work, so that nobody judges their own: given how many tasks each agent did. Where only one
 * program was at work it is a certain other one; where several were, the one that did least.
 */
export function chooseReviewer(doneByAgent: ReadonlyMap<string, number>): ReviewerChoice {
  const done = countByProgram(doneByAgent)
  const all = [...done].filter(([, count]) => count > 0).map(([agent]) => agent)
  if (all.length === 0) return { why: "no agent is known to have worked on it" }
  const agents = all.filter((agent) => agent !== SCRIPT)
  if (agents.length === 0) return { why: "only scripts worked on it" }
  const [only] = agents
  const other = agents.length === 1 && only !== undefined ? OTHER[only] : undefined
  if (other !== undefined) return { candidates: [other] }
  // The order stays among those that did equally much.
  return { candidates: REVIEWERS.toSorted((a, b) => (done.get(a) ?? 0) - (done.get(b) ?? 0)) }
}

/** A second account of a program is no second opinion. */
function countByProgram(doneByAgent: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const done = new Map<string, number>()
  for (const [agent, count] of doneByAgent) done.set(programOf(agent), (done.get(programOf(agent)) ?? 0) + count)
  return done
}
