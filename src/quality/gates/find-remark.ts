import { findPattern } from "../../tasks/evidence.ts"

/**
 * The first pattern in an added line of code. A word of code may be a name, so: several words count anywhere (`not
 * implemented`); a word in capitals counts as written (`TODO`, not the `todo` of a to-do app), and in any case inside a
 * comment; any other word counts in a comment or string (`"placeholder"`, not `<input placeholder=...>`).
 */
export function findRemark(line: string, patterns: readonly string[]): string | undefined {
  const lower = line.toLowerCase()
  return patterns.find((pattern) => {
    // Most lines have none, and searching for whole words is much slower.
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

/** The strings in a line, without keys (`"placeholder": 1`). */
function textsOf(line: string): string {
  const texts = line.matchAll(/"((?:[^"\\]|\\.)*)"(?!\s*:)|'((?:[^'\\]|\\.)*)'(?!\s*:)|`((?:[^`\\]|\\.)*)`/g)
  return [...texts].map(([, double, single, tick]) => double ?? single ?? tick ?? "").join("\n")
}
