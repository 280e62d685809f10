import { mayWrite, type Phase } from "../kernel/phase.ts"
import { fold } from "./fold-path.ts"

// Judges common patterns without compiling them. A hook does this before every write of an agent, in a new process:
// there the first use of a regular expression or an array method costs 20 to 80 us, and the limit of the benchmark
// `hook` (0.3 of node's start, 0.28 measured) leaves 0.5 ms for our code. So use few of either here.

export const MAX_LENGTH = 400

/**
 * For plain patterns: one file, or all of one folder. Undefined for any other. `folded` is the folded path from the
 * repository's root.
 */
export function matchesPlain(folded: string, pattern: string): boolean | undefined {
  const plain = pattern.endsWith("/**") ? pattern.slice(0, -2) : pattern
  if (pattern.length > MAX_LENGTH || !isPlain(plain)) return undefined
  const text = plain.toLowerCase()
  return plain.endsWith("/") ? folded.length > text.length && folded.startsWith(text) : folded === text
}

/** Only letters, digits and `_`, with dots and dashes inside names, and single slashes between them. */
function isPlain(text: string): boolean {
  let isStart = true
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (!isLetter(code) && (isStart || (code !== DASH && code !== DOT && code !== SLASH))) return false
    isStart = code === SLASH
  }
  return text !== ""
}

/** Cheap, and false for most paths that do not match; usually the last letter decides. */
export function mayMatch(folded: string, pattern: string): boolean {
  const last = pattern.charCodeAt(pattern.length - 1)
  if (last >= SMALL_A && last <= SMALL_Z && last !== folded.charCodeAt(folded.length - 1)) return false
  return hasPieces(folded, pattern) && folded.startsWith(prefixOf(pattern)) && folded.endsWith(suffixOf(pattern))
}

/** Whether a path has all literal pieces of a pattern. True for brackets or braces. */
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

export interface HeldFiles {
  readonly files: readonly string[]
  readonly phase: Phase | null
}

/** True only if `judgePath` would certainly allow the file for one of the tasks. */
export function isPlainlyHeld(path: string, held: readonly HeldFiles[], shared: readonly string[]): boolean {
  for (const { files, phase } of held) if (mayWrite(phase) && isPlainlyOwned(path, files, shared)) return true
  return false
}

function isPlainlyOwned(path: string, files: readonly string[], shared: readonly string[]): boolean {
  const folded = fold(path)
  // `judgePath` normalises such paths, so they may mean another file.
  if (folded.includes("/.") || folded.includes("//") || folded.endsWith("/")) return false
  if (folded.includes(".git") || folded.includes("git~") || folded.includes("\0")) return false
  for (const pattern of shared) if (mayMatch(folded, pattern)) return false
  for (const pattern of files) if (matchesPlain(folded, pattern) === true) return true
  return false
}

/** Stored form of a valid pattern: composed letters, no redundant dots and slashes. */
export function cleanPattern(text: string): string {
  const segments = text.normalize("NFC").split("/")
  const kept = segments.filter((segment) => segment !== "" && segment !== ".")
  if (kept.length === 0) return "**"
  return `${kept.join("/")}${text.endsWith("/") ? "/" : ""}`
}

/** Start of all matching paths. Cheap, so that few of thousands of patterns must be compiled. */
export function prefixOf(pattern: string): string {
  const clean = NOT_CLEAN.test(pattern) ? cleanPattern(pattern) : pattern
  const end = clean.search(/[*?[{]/)
  return fold(end === -1 ? clean : clean.slice(0, end))
}

const NOT_CLEAN = /(?:^|\/)\.?(?:\/|$)/

function suffixOf(pattern: string): string {
  const [end = ""] = /[\w.-]*$/.exec(pattern) ?? []
  return end === "." || /[[{]/.test(pattern) ? "" : end.toLowerCase()
}
