import { findPattern } from "../../tasks/evidence.ts"

/**
 * The first pattern that an added line of code says. In evidence every mention counts; in code a word may as well be a
 * name. So several words count anywhere (`not implemented`); a word in capitals counts as it is written (`TODO`, but not
 * the `todo` of an app for notes); any other word counts in a comment or a text (`"placeholder"`, but not
 * `<input placeholder=...>`). Written otherwise than the setting, capitals count in a comment.
 */
export function findRemark(line: string, patterns: readonly string[]): string | undefined {
  const lower = line.toLowerCase()
  return patterns.find((pattern) => {
    // Almost every line has none, and looking for whole words takes far longer.
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

/** What stands behind a sign that begins a comment in one of the usual languages. */
function commentOf(line: string): string | undefined {
  return /(?:^|[\s;{}),])(?:\/\/|\/\*|#(?!\{)|<!--|--(?=\s)|;;|%%)(.*)$|^\s*\*(?!\/)(.*)$/
    .exec(line)
    ?.slice(1)
    .find(Boolean)
}

/** What stands in quotes, names of fields (`"placeholder": 1`) aside. */
function textsOf(line: string): string {
  const texts = line.matchAll(/"((?:[^"\\]|\\.)*)"(?!\s*:)|'((?:[^'\\]|\\.)*)'(?!\s*:)|`((?:[^`\\]|\\.)*)`/g)
  return [...texts].map(([, double, single, tick]) => double ?? single ?? tick ?? "").join("\n")
}
