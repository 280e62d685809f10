import type { FileDiff } from "./diff-lines.ts"
import { findRemark } from "./find-remark.ts"
import { findMissingCode } from "./missing-code.ts"

export interface ScanSettings {
  readonly blockedPatterns: readonly string[]
  readonly warnPatterns: readonly string[]
  /** Generated, vendored and documentation files. */
  readonly ignoredFiles: readonly string[]
}

export interface Remarks {
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}

const MAX_QUOTE = 120

/**
 * A blocked pattern is an error in place of code, and a warning in a comment, string or text. Moved and indented
 * lines do not count.
 */
export function scanChanges(files: readonly FileDiff[], settings: ScanSettings): Remarks {
  const ignored = settings.ignoredFiles.map((pattern) => new Bun.Glob(pattern))
  const isMoved = movedLines(files)
  const errors: string[] = []
  const warnings: string[] = []
  for (const { path, newMode, hunks } of files) {
    // The target of a link is no text.
    if (newMode === "120000" || ignored.some((glob) => glob.match(path))) continue
    const added = hunks.flatMap((hunk) => hunk.added)
    for (const [at, { number, text }] of added.entries()) {
      if (isMoved(text)) continue
      const say = (pattern: string) => `${path}:${number} says "${pattern}": ${quote(text)}`
      const missing = findMissingCode(path, added, at, settings.blockedPatterns)
      if (missing !== undefined) errors.push(say(missing))
      else {
        const remark = findRemark(text, settings.blockedPatterns) ?? findRemark(text, settings.warnPatterns)
        if (remark !== undefined) warnings.push(say(remark))
      }
    }
  }
  return { errors, warnings }
}

/** Each removed line allows one added line of the same words, in any file. */
function movedLines(files: readonly FileDiff[]): (text: string) => boolean {
  const removed = new Map<string, number>()
  const wordsOf = (text: string) => text.trim().replaceAll(/\s+/g, " ")
  for (const { hunks } of files)
    for (const text of hunks.flatMap((hunk) => hunk.removed ?? []))
      removed.set(wordsOf(text), (removed.get(wordsOf(text)) ?? 0) + 1)
  return (text) => {
    const left = removed.size === 0 ? 0 : (removed.get(wordsOf(text)) ?? 0)
    if (left > 0) removed.set(wordsOf(text), left - 1)
    return left > 0
  }
}

function quote(text: string): string {
  const line = text.trim()
  return line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}...` : line
}
