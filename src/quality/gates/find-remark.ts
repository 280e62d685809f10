import { findPattern } from "../../tasks/evidence.ts"

/**
 * The first pattern in an added line. Words of code may be names, so: several words count anywhere (`not
 * implemented`); capitals count as written (`TODO`, not the `todo` of a to-do app), in a comment in any case; other
 * words count in comments and strings (`"placeholder"`, not `<input placeholder=...>`).
 */
export function findRemark(line: string, patterns: readonly string[]): string | undefined {
  const lower = line.toLowerCase()
  return patterns.find((pattern) => {
    // A cheap test first: most lines have no match.
    const beginning = pattern.trim().slice(0, 3).toLowerCase()
    if (!lower.includes(beginning) || findPattern(line, [pattern]) === undefined) return false
    if (/\s/.test(pattern.trim())) return true
    if (isCapitals(pattern) && line.split(/[^\p{L}\p{M}\p{N}_]+/u).includes(pattern.trim())) return true
    const comment = commentOf(line)
    if (comment !== undefined && findPattern(comment, [pattern]) !== undefined) return true
    return !isCapitals(pattern) && findPattern(textsOf(line), [pattern]) !== undefined
  })
}

function isCapitals(pattern: string): boolean {
  return /\p{Lu}/u.test(pattern) && !/\p{Ll}/u.test(pattern)
}

function commentOf(line: string): string | undefined {
  return /(?:^|[\s;{}),])(?:\/\/|\/\*|#(?!\{)|<!--|--(?=\s)|;;|%%)(.*)$|^\s*\*(?!\/)(.*)$/
    .exec(line)
    ?.slice(1)
    .find(Boolean)
}

/** Without keys (`"placeholder": 1`). */
function textsOf(line: string): string {
  const texts = line.matchAll(/"((?:[^"\\]|\\.)*)"(?!\s*:)|'((?:[^'\\]|\\.)*)'(?!\s*:)|`((?:[^`\\]|\\.)*)`/g)
  return [...texts].map(([, double, single, tick]) => double ?? single ?? tick ?? "").join("\n")
}
