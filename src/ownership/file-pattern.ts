import { quoteInput } from "../kernel/ids.ts"
import { accepts, findBeyond, findCommon } from "../lib/automaton.ts"
import { type Branch, compileBranch, pathAutomaton, pickPoint } from "./compile-branch.ts"
import { expandBraces, MAX_BRANCHES } from "./expand-braces.ts"
import { fold, pointOf } from "./fold-path.ts"
import { cleanPattern, MAX_LENGTH, matchesPlain, mayMatch } from "./plain-pattern.ts"

// Globs for the files that a task owns; see docs/ownership.md. Paths that differ only in case or in the encoding of
// their letters are the same, as on some disks. Patterns become automata, to decide exactly whether two of them can
// match the same file.

/** Each star makes comparing patterns slower. */
const MAX_STARS = 20

export function problemWithPattern(text: string): string | undefined {
  if (text.trim() === "") return "must not be empty; ** means every file"
  if (text.length > MAX_LENGTH) return `must be at most ${MAX_LENGTH} characters`
  const because = (why: string) => `${quoteInput(text)} is not valid: ${why}`
  if (/[\0\r\n]/.test(text)) return because("it must be a single line")
  if (text.startsWith("!")) return because("a pattern adds files to a task; it cannot exclude files with !")
  if (text.includes("\\")) return because("write / between folders, and [*] for a literal *")
  if ((text.match(/\*+/g) ?? []).length > MAX_STARS) return because(`it has more than ${MAX_STARS} stars`)
  const branches = expandBraces(text)
  if (branches.length > MAX_BRANCHES) return because(`its braces expand to more than ${MAX_BRANCHES} patterns`)
  const why = branches.map(problemWithBranch).find((problem) => problem !== undefined)
  return why === undefined ? undefined : because(why)
}

function problemWithBranch(text: string): string | undefined {
  if (/^(?:\/|~(?:\/|$)|[A-Za-z]:)/.test(text)) return "write the path from the repository's root, as src/api/**"
  const segments = text.split("/")
  if (segments.includes("..")) return "a path with .. may lead out of the repository"
  return segments.some((segment) => fold(segment) === ".git") ? "files in .git belong to git" : undefined
}

const compiled = new Map<string, readonly Branch[]>()
const MOST_COMPILED = 20_000

/** One branch for each choice of braces. An invalid pattern, from an import, matches nothing. */
function compilePattern(text: string): readonly Branch[] {
  const known = compiled.get(text)
  if (known !== undefined) return known
  if (compiled.size >= MOST_COMPILED) compiled.clear()
  const branches = splitPattern(text).map((branch) => compileBranch(fold(branch)))
  compiled.set(text, branches)
  return branches
}

/** `path` is relative to the repository's root. */
export function matchesPattern(path: string, pattern: string): boolean {
  const folded = fold(path)
  const isMatch = mayMatch(folded, pattern) && matchesPlain(folded, pattern)
  if (isMatch !== undefined) return isMatch
  const points = Array.from(folded, pointOf)
  return compilePattern(pattern).some(
    ({ automaton, prefix, suffix }) =>
      folded.startsWith(prefix) && folded.endsWith(suffix) && accepts(automaton, points),
  )
}

export function findMatch(path: string, patterns: readonly string[]): string | undefined {
  return patterns.find((pattern) => matchesPattern(path, pattern))
}

/** Returns an example path that both match. */
export function findOverlap(a: string, b: string): string | undefined {
  for (const one of compilePattern(a)) {
    for (const other of compilePattern(b)) {
      if (!one.prefix.startsWith(other.prefix) && !other.prefix.startsWith(one.prefix)) continue
      if (!one.suffix.endsWith(other.suffix) && !other.suffix.endsWith(one.suffix)) continue
      const path = findCommon([one.automaton, other.automaton, pathAutomaton()], pickPoint)
      if (path !== undefined) return path
    }
  }
  return undefined
}

/** Whether some choice of the braces matches only paths that `others` match too. */
export function isCoveredBy(pattern: string, others: readonly string[]): boolean {
  // Usually one example path shows the contrary, much faster than comparing automata.
  const example = pattern.replace(/\/$/, "/zq").replaceAll(/\*+/g, "zq").replaceAll("?", "z")
  if (!pattern.includes("{") && matchesPattern(example, pattern) && findMatch(example, others) === undefined)
    return false
  const automata = others.flatMap((other) => compilePattern(other).map((branch) => branch.automaton))
  return compilePattern(pattern).some(
    ({ automaton }) => findBeyond([automaton, pathAutomaton()], automata, pickPoint) === undefined,
  )
}

/** One pattern for each choice of braces; none if invalid. */
export function splitPattern(text: string): string[] {
  return problemWithPattern(text) === undefined ? expandBraces(cleanPattern(text)) : []
}
