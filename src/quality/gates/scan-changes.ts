import type { FileDiff } from "./diff-lines.ts"
import { findRemark } from "./find-remark.ts"

export interface ScanSettings {
  readonly blockedPatterns: readonly string[]
  readonly warnPatterns: readonly string[]
  /** Globs of files whose lines are nobody's word: generated, vendored, documentation. */
  readonly ignoredFiles: readonly string[]
}

/** What added lines say that they should not. */
export interface Remarks {
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}

const MAX_QUOTE = 120

export function scanChanges(files: readonly FileDiff[], settings: ScanSettings): Remarks {
  const ignored = settings.ignoredFiles.map((pattern) => new Bun.Glob(pattern))
  const errors: string[] = []
  const warnings: string[] = []
  for (const { path, newMode, hunks } of files) {
    // What a link points to is no text.
    if (newMode === "120000" || ignored.some((glob) => glob.match(path))) continue
    for (const { number, text } of hunks.flatMap((hunk) => hunk.added)) {
      const say = (pattern: string) => `${path}:${number} says "${pattern}": ${quote(text)}`
      const blocked = findRemark(text, settings.blockedPatterns)
      const warned = blocked ?? findRemark(text, settings.warnPatterns)
      if (blocked !== undefined) errors.push(say(blocked))
      else if (warned !== undefined) warnings.push(say(warned))
    }
  }
  return { errors, warnings }
}

function quote(text: string): string {
  const line = text.trim()
  return line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}...` : line
}
