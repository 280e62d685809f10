import { programOf } from "../agents/program-of.ts"

/** Programs that review well, the first preferred where several did equally little. */
const REVIEWERS = ["claude", "codex", "gemini"] as const

const SCRIPT = "script"

/** Who reviews the work of one program alone, where it is installed. */
const OTHER: Readonly<Record<string, (typeof REVIEWERS)[number]>> = {
  claude: "codex",
  codex: "gemini",
  gemini: "codex",
}

export type ReviewerChoice =
  /** Asked one after the other, until one gives a verdict. */
  { readonly candidates: readonly string[] } | { readonly why: string }

export interface ReviewerFacts {
  /** How many tasks each agent did. */
  readonly done: ReadonlyMap<string, number>
  /** The names of the agents that are set up here. */
  readonly agents: readonly string[]
  /** Work that no agent is known to have done is reviewed too. */
  readonly isRequired: boolean
}

/**
 * Which agents can review the work. First those whose program did least of it; where only one program did the work, a
 * certain other one. A fresh session of the program that did the work comes after all other reviewers, and programs that
 * are not known to review well come last.
 */
export function chooseReviewer({ done: doneByAgent, agents, isRequired }: ReviewerFacts): ReviewerChoice {
  const done = countByProgram(doneByAgent)
  const worked = [...done].filter(([, count]) => count > 0).map(([program]) => program)
  const programs = worked.filter((program) => program !== SCRIPT)
  if (programs.length === 0 && !isRequired) {
    return { why: worked.length === 0 ? "no agent is known to have worked on it" : "only scripts worked on it" }
  }
  const installed = agents.filter((agent) => programOf(agent) !== SCRIPT)
  if (installed.length === 0) return { why: "no agent that could review is set up here" }
  const [only] = programs
  const other = programs.length === 1 && only !== undefined ? OTHER[only] : undefined
  const order: readonly string[] =
    other === undefined ? REVIEWERS : [other, ...REVIEWERS.filter((each) => each !== other)]
  const count = (agent: string) => done.get(programOf(agent)) ?? 0
  const place = (agent: string) => {
    const at = order.indexOf(programOf(agent))
    return at === -1 ? order.length : at
  }
  const isLast = (agent: string) => Number(place(agent) === order.length)
  // The order stays among those that are equal in all of it.
  const candidates = installed.toSorted((a, b) => isLast(a) - isLast(b) || count(a) - count(b) || place(a) - place(b))
  return { candidates }
}

/** A second account of a program is no second opinion. */
function countByProgram(doneByAgent: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const done = new Map<string, number>()
  for (const [agent, count] of doneByAgent) done.set(programOf(agent), (done.get(programOf(agent)) ?? 0) + count)
  return done
}
