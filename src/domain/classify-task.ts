import { findFamilies } from "./word-families.ts"

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
  const backend: Signal[] = []
  const frontend: Signal[] = []
  for (const { family, group, word } of findFamilies(text)) {
    if (group === "frontend") frontend.push({ family, word })
    else if (group === "backend" || group === "operations") backend.push({ family, word })
  }
  const lead = backend.length - frontend.length
  return { domain: lead > 0 ? "backend" : lead < 0 ? "frontend" : "ambiguous", backend, frontend }
}
