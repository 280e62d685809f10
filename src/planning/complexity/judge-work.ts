import { withoutAddresses } from "./word-families.ts"
import { HARD_SIGNS, type HardKind, ONE_FEATURE, SIDES, SMALL_SIGNS, type SmallKind } from "./work-signs.ts"

export type WorkSign = {
  readonly words: string
} & (
  | { readonly size: "hard"; readonly kind: HardKind | "system" }
  | { readonly size: "small"; readonly kind: SmallKind }
)

/** Longer texts repeat themselves or quote others. */
const MOST_READ = 6000

/** A title about wording is small, whatever the words are about. Otherwise one hard sign outweighs all small ones. */
export function judgeWork(prose: string): WorkSign | undefined {
  const text = withoutAddresses(prose.slice(0, MOST_READ)).trim()
  const end = text.indexOf("\n")
  const title = (end === -1 ? text : text.slice(0, end)).trim().slice(0, LONGEST_TITLE)
  const small = findSmall(title)
  if (small?.kind === "words") return small
  return findHard(title, text) ?? small ?? findSides(text)
}

/** A longer first line is no title. */
const LONGEST_TITLE = 200

function findSmall(title: string): WorkSign | undefined {
  for (const [kind, patterns] of Object.entries(SMALL_SIGNS)) {
    const words = firstMatch(patterns, title)
    if (words !== undefined) return { size: "small", kind: kind as SmallKind, words }
  }
  return undefined
}

/** The title first, since it names the work. */
function findHard(title: string, text: string): WorkSign | undefined {
  const found = (kind: string, words: string): WorkSign => ({ size: "hard", kind: kind as HardKind, words })
  const kinds = Object.entries(HARD_SIGNS)
  for (const [kind, signs] of kinds) {
    const words = firstMatch(signs.text, title) ?? firstMatch(signs.title, title)
    if (words !== undefined) return found(kind, words)
  }
  for (const [kind, signs] of kinds) {
    const words = firstMatch(signs.text, text)
    if (words !== undefined) return found(kind, words)
  }
  return undefined
}

/**
 * Sides of a system that the beginning of a text may touch before the work counts as hard. Longer texts may touch
 * more.
 */
const MOST_SIDES = [
  { letters: 200, sides: 1 },
  { letters: 600, sides: 2 },
  { letters: 2000, sides: 4 },
] as const

/** Enumerates at least four things. */
const SEVERAL_PARTS = /\n(?:.*[.!?] )?[^.!?\n,;]{2,60}(?:[,;] [^.!?\n,;]{2,60}){3}/

/** More text at the end does not change the sign of the beginning. */
function findSides(text: string): WorkSign | undefined {
  const more = ONE_FEATURE.test(text) ? 1 : 0
  for (const { letters, sides } of MOST_SIDES) {
    const beginning = text.slice(0, letters)
    const found = Object.values(SIDES).flatMap((side) => side.exec(beginning)?.[0].toLowerCase() ?? [])
    if (found.length > 0 && SEVERAL_PARTS.test(beginning)) found.push("several parts")
    if (found.length > sides + more) return { size: "hard", kind: "system", words: found.join(", ") }
  }
  return undefined
}

function firstMatch(patterns: readonly RegExp[], text: string): string | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[0].trim()
    if (found !== undefined && found !== "") return found
  }
  return undefined
}
