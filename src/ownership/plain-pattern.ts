import { mayWrite, type Phase } from "../kernel/phase.ts"
import { fold } from "./fold-path.ts"

// What is plain to see of a pattern, without compiling it. Hooks ask at every write of an agent, in a process that has
// just begun, where every regular expression and every method of arrays costs as much as all of this when it is first used.

export const MAX_LENGTH = 400

/**
 * Whether a pattern matches, if it is a plain one: a file, or all of a folder, which most are. Nothing in these can be
 * wrong but the length. `folded`: the path from the repository's root, folded.
 */
export function matchesPlain(folded: string, pattern: string): boolean | undefined {
  const plain = pattern.endsWith("/**") ? pattern.slice(0, -2) : pattern
  if (pattern.length > MAX_LENGTH || !isPlain(plain)) return undefined
  const text = plain.toLowerCase()
  return plain.endsWith("/") ? folded.length > text.length && folded.startsWith(text) : folded === text
}

/** Names of letters, digits and `_`, with dots and dashes inside of them, and a slash after each but the last. */
function isPlain(text: string): boolean {
  let isStart = true
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (!isLetter(code) && (isStart || (code !== DASH && code !== DOT && code !== SLASH))) return false
    isStart = code === SLASH
  }
  return text !== ""
}

/** False for most of those that a pattern does not match; for most of these the last letter tells. */
export function mayMatch(folded: string, pattern: string): boolean {
  const last = pattern.charCodeAt(pattern.length - 1)
  if (last >= SMALL_A && last <= SMALL_Z && last !== folded.charCodeAt(folded.length - 1)) return false
  return hasPieces(folded, pattern) && folded.startsWith(prefixOf(pattern)) && folded.endsWith(suffixOf(pattern))
}

/** Whether a path has all that a pattern says in plain letters, as long as each of them stands for itself. */
function hasPieces(folded: string, pattern: string): boolean {
  let start = 0
  for (let at = 0; at <= pattern.length; at++) {
    const code = at === pattern.length ? SLASH : pattern.charCodeAt(at)
    if (isLetter(code) || code === DASH || code === DOT) continue
    if (code !== SLASH && code !== STAR && code !== QUESTION) return true
    const piece = pattern.slice(start, at)
    if (piece !== "." && !folded.includes(piece.toLowerCase())) return false
    start = at + 1
  }
  return true
}

function isLetter(code: number): boolean {
  const small = code | 0x20
  return (small >= SMALL_A && small <= SMALL_Z) || (code >= 48 && code <= 57) || code === UNDERSCORE
}

const SMALL_A = 97
const SMALL_Z = 122
const UNDERSCORE = 95
const DASH = 45
const DOT = 46
const SLASH = 47
const STAR = 42
const QUESTION = 63

/** Of a task that somebody holds. */
export interface HeldFiles {
  readonly files: readonly string[]
  readonly phase: Phase | null
}

/**
 * Whether a file surely belongs to one of the tasks and may be written, as `judgePath` would say whatever else there is.
 * Where it is not plain to see, that is for `judgePath` to say.
 */
export function isPlainlyHeld(path: string, held: readonly HeldFiles[], shared: readonly string[]): boolean {
  for (const { files, phase } of held) if (mayWrite(phase) && isPlainlyOwned(path, files, shared)) return true
  return false
}

function isPlainlyOwned(path: string, files: readonly string[], shared: readonly string[]): boolean {
  const folded = fold(path)
  // Whatever is left out of a path before it is judged, such as `a/../b`, hides which file it means.
  if (folded.includes("/.") || folded.includes("//") || folded.endsWith("/")) return false
  if (folded.includes(".git") || folded.includes("git~") || folded.includes("\0")) return false
  for (const pattern of shared) if (mayMatch(folded, pattern)) return false
  for (const pattern of files) if (matchesPlain(folded, pattern) === true) return true
  return false
}

/** How a valid pattern is kept: composed letters, no needless dots and slashes. */
export function cleanPattern(text: string): string {
  const segments = text.normalize("NFC").split("/")
  const kept = segments.filter((segment) => segment !== "" && segment !== ".")
  if (kept.length === 0) return "**"
  return `${kept.join("/")}${text.endsWith("/") ? "/" : ""}`
}

/**
 * What all paths of a pattern begin with. Cheap, and enough to tell most patterns from most others: of thousands only
 * those are compiled that may have to do with one another.
 */
export function prefixOf(pattern: string): string {
  const clean = NOT_CLEAN.test(pattern) ? cleanPattern(pattern) : pattern
  const end = clean.search(/[*?[{]/)
  return fold(end === -1 ? clean : clean.slice(0, end))
}

const NOT_CLEAN = /(?:^|\/)\.?(?:\/|$)/

/** What all paths of a pattern end with, as far as that is plain to see: spares compiling most of those that do not fit. */
function suffixOf(pattern: string): string {
  const [end = ""] = /[\w.-]*$/.exec(pattern) ?? []
  return end === "." || /[[{]/.test(pattern) ? "" : end.toLowerCase()
}
