/**
 * What an agent says when the task needs no change: a line `NOTHING TO DO: <reason>` in its answer. The reason may also
 * stand on the next line, and other lines may follow. Empty where it gave no reason; undefined where it did not say so.
 */
export function readNothingToDo(answer: string): string | undefined {
  const lines = answer.split(/\r?\n/)
  const at = lines.findLastIndex((line) => MARKER.test(line))
  if (at === -1) return undefined
  const here = clean(MARKER.exec(lines[at] ?? "")?.[1] ?? "")
  if (here !== "") return here
  const next = lines.slice(at + 1).find((line) => line.trim() !== "") ?? ""
  return ANOTHER_MARKER.test(next) ? "" : clean(next)
}

const MARKER = /^[\s>*_`#-]*NOTHING TO DO\b(.*)$/
const ANOTHER_MARKER = /^[\s>*_`#-]*(?:LEARNED|DECIDED|ISSUE|ESCALATE|FAILED|CAPABILITY GAP)\b/
const MAX_REASON = 1000

/** Without the marks of Markdown around it. A reason has at least one letter. */
function clean(text: string): string {
  const reason = text.replace(/^[\s:.*_`–—-]+/, "").replace(/[\s*_`]+$/, "")
  return /\p{L}/u.test(reason) ? reason.slice(0, MAX_REASON) : ""
}

const BEGIN = "Nothing to do: "

/** How the result of such a task begins. */
export function nothingToDoResult(reason: string): string {
  return `${BEGIN}${reason}`
}

/** The reason, of a task that was resolved without a change. */
export function reasonForNothing(result: string | null): string | null {
  if (result === null || !result.startsWith(BEGIN)) return null
  return result.slice(BEGIN.length).split("\n", 1)[0] ?? ""
}
