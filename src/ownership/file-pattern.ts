import { quoteInput } from "../kernel/ids.ts"
import { accepts, findBeyond, findCommon } from "../lib/automaton.ts"
import { type Branch, compileBranch, pathAutomaton, pickPoint } from "./compile-branch.ts"
import { expandBraces, MAX_BRANCHES } from "./expand-braces.ts"
import { fold, pointOf } from "./fold-path.ts"
import { cleanPattern, MAX_LENGTH, matchesPlain, mayMatch, prefixOf } from "./plain-pattern.ts"

/**
 * Which files a task owns, in one dialect of globs that docs/ownership.md describes. Two paths that differ only in case
 * or in how their letters are encoded are one path here, as they are on some disks. A pattern is compiled to an
 * automaton, so that whether two of them have a file in common is decided and not guessed.
 */
interface FilePattern {
  /** As it is kept and shown. */
  readonly text: string
  /** One for each choice of its braces. */
  readonly branches: readonly Branch[]
}

/** Nobody needs that many, and comparing two patterns takes the longer the more there are. */
const MAX_STARS = 20

/** What is wrong with a pattern, for the one who wrote it. */
export function problemWithPattern(text: string): string | undefined {
  if (text.trim() === "") return "must not be empty; ** means every file"
  if (text.length > MAX_LENGTH) return `must be at most ${MAX_LENGTH} characters`
  const because = (why: string) => `${quoteInput(text)} is not valid: ${why}`
  if (/[\0\r\n]/.test(text)) return because("it must be a single line")
  if (text.startsWith("!")) return because("a pattern says what belongs to the task, and cannot take files away with !")
  if (text.includes("\\")) return because("write / between folders, and [*] for a * that is meant as such")
  if ((text.match(/\*+/g) ?? []).length > MAX_STARS) return because(`it has more than ${MAX_STARS} stars`)
  const branches = expandBraces(text)
  if (branches.length > MAX_BRANCHES) return because(`its braces make more than ${MAX_BRANCHES} patterns`)
  for (const branch of branches) {
    const why = problemWithBranch(branch)
    if (why !== undefined) return because(why)
  }
  return undefined
}

function problemWithBranch(text: string): string | undefined {
  if (/^(?:\/|~(?:\/|$)|[A-Za-z]:)/.test(text)) return "write the path from the repository's root, as src/api/**"
  const segments = text.split("/")
  if (segments.includes("..")) return "a path with .. may lead out of the repository"
  return segments.some((segment) => fold(segment) === ".git") ? "what is in .git belongs to git alone" : undefined
}

const known = new Map<string, FilePattern>()
const MOST_KNOWN = 20_000

/** Compiles a pattern. One that is not valid, which only an import can bring in, matches nothing. */
function compilePattern(text: string): FilePattern {
  const before = known.get(text)
  if (before !== undefined) return before
  if (known.size >= MOST_KNOWN) known.clear()
  const isValid = problemWithPattern(text) === undefined
  const compiled = { text, branches: isValid ? expandBraces(fold(cleanPattern(text))).map(compileBranch) : [] }
  known.set(text, compiled)
  return compiled
}

/** `path` from the repository's root. */
export function matchesPattern(path: string, pattern: string): boolean {
  const folded = fold(path)
  const isMatch = mayMatch(folded, pattern) && matchesPlain(folded, pattern)
  if (isMatch !== undefined) return isMatch
  let points: number[] | undefined
  return compilePattern(pattern).branches.some(({ automaton, prefix, suffix }) => {
    if (!folded.startsWith(prefix) || !folded.endsWith(suffix)) return false
    points ??= Array.from(folded, pointOf)
    return accepts(automaton, points)
  })
}

/** The first of the patterns that matches. */
export function findMatch(path: string, patterns: readonly string[]): string | undefined {
  return patterns.find((pattern) => matchesPattern(path, pattern))
}

/** A path that both match, if there can be one. */
export function findOverlap(a: string, b: string): string | undefined {
  for (const one of compilePattern(a).branches) {
    for (const other of compilePattern(b).branches) {
      if (!canMeet(one.prefix, other.prefix)) continue
      if (!one.suffix.endsWith(other.suffix) && !other.suffix.endsWith(one.suffix)) continue
      const path = findCommon([one.automaton, other.automaton, pathAutomaton()], pickPoint)
      if (path !== undefined) return path
    }
  }
  return undefined
}

export function patternsOverlap(a: string, b: string): boolean {
  return findOverlap(a, b) !== undefined
}

/** Whether a choice of the pattern's braces matches nothing but what one of `others` matches too. */
export function isWithin(pattern: string, others: readonly string[]): boolean {
  // For most patterns one example shows that they are not, and spares the search.
  const example = pattern.replace(/\/$/, "/zq").replaceAll(/\*+/g, "zq").replaceAll("?", "z")
  if (!pattern.includes("{") && matchesPattern(example, pattern) && findMatch(example, others) === undefined)
    return false
  const automata = others.flatMap((other) => compilePattern(other).branches.map((branch) => branch.automaton))
  return compilePattern(pattern).branches.some(
    ({ automaton }) => findBeyond([automaton, pathAutomaton()], automata, pickPoint) === undefined,
  )
}

/** One of two patterns that overlap begins with what the other begins with. */
export function canMeet(prefix: string, other: string): boolean {
  return prefix.startsWith(other) || other.startsWith(prefix)
}

/** The same, for a pattern whose beginning is not known yet: most differ in one of the first letters. */
export function mayMeet(prefix: string, pattern: string): boolean {
  for (let at = 0; at < prefix.length && at < pattern.length; at++) {
    const letter = pattern.charCodeAt(at)
    const isPlain = letter < 128 && letter !== SLASH && letter !== DOT
    if (STARS.has(letter)) return true
    if (!isPlain && !(letter < 128 && at > 0 && pattern.charCodeAt(at - 1) !== SLASH))
      return canMeet(prefix, prefixOf(pattern))
    const small = letter >= 65 && letter <= 90 ? letter + 32 : letter
    if (small !== prefix.charCodeAt(at)) return false
  }
  return true
}

const SLASH = 0x2f
const DOT = 0x2e
const STARS = new Set(Array.from("*?[{", (letter) => letter.charCodeAt(0)))

/** One pattern for each choice of the braces. */
export function splitPattern(text: string): string[] {
  return problemWithPattern(text) === undefined ? expandBraces(cleanPattern(text)) : []
}
