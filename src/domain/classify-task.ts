import { type FamilyHit, findFamilies } from "./word-families.ts"

export type TaskDomain = "backend" | "frontend" | "ambiguous"

/** A family of words that speaks for a domain, and the word of the text that belongs to it. */
export interface Signal {
  readonly family: string
  readonly word: string
}

export interface Classification {
  readonly domain: TaskDomain
  readonly backend: readonly Signal[]
  readonly frontend: readonly Signal[]
}

/** Counts families of signal words, each once; a tie, none at all included, is ambiguous. */
export function classifyTask(text: string): Classification {
  const hits = findFamilies(text)
  const backend = signals(hits, ["backend", "operations"])
  const frontend = signals(hits, ["frontend"])
  const lead = backend.length - frontend.length
  return { domain: lead > 0 ? "backend" : lead < 0 ? "frontend" : "ambiguous", backend, frontend }
}

function signals(hits: readonly FamilyHit[], groups: readonly FamilyHit["group"][]): Signal[] {
  return hits.filter(({ group }) => groups.includes(group)).map(({ family, word }) => ({ family, word }))
}
