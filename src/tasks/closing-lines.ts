// Finds marked lines in free text. A marker counts at the start of a line. In a sentence, in quoted code or in an echo
// of the template it is only a mention.

export const MARKERS = [
  "FAILED",
  "ESCALATE",
  "NOTHING TO DO",
  "DONE",
  "LEARNED",
  "DECIDED",
  "ISSUE",
  "CAPABILITY GAP",
  "FINDING",
] as const

export interface MarkedLine {
  readonly word: (typeof MARKERS)[number]
  /** Without Markdown; may be empty. */
  readonly text: string
}

export interface Marker extends MarkedLine {
  /** In capitals, as the prompt asks. */
  readonly isExact: boolean
  /** Names the task, as the prompt asks for FAILED. */
  readonly isAboutTask: boolean
}

export function readMarkers(answer: string): Marker[] {
  const lines = withoutFences(splitLines(answer), ownLines)
  return lines.flatMap((line, index) => {
    const marker = readMarker(line)
    if (marker === undefined) return []
    const texts = marker.text === "" ? textsBelow(lines.slice(index + 1, index + 1 + MAX_BELOW)) : [marker.text]
    const isOutcome = !SAYS_SOMETHING.includes(marker.word)
    if (texts.length === 0) return isOutcome ? [{ ...marker, text: "" }] : []
    return texts.filter((text) => !isEmptyTalk(marker, text)).map((text) => ({ ...marker, text }))
  })
}

/** Also limits the cost of a hostile line. */
const MAX_LINE = 2500
const MAX_BELOW = 30

/** These need a text. */
const SAYS_SOMETHING: readonly MarkedLine["word"][] = ["LEARNED", "DECIDED", "ISSUE", "CAPABILITY GAP", "FINDING"]

/** Bounded, so that a line of spaces does not take long. */
const GAP = String.raw`\s{0,3}`
const TASK_ID = String.raw`(?:[\p{L}\p{N}][\p{L}\p{N}._-]*|<\w+>|"[^"]*"|'[^']*'|“[^”]*”|\x60[^\x60]*\x60)`
/** Markdown, list numbers and tags before the word. */
const LEAD = /^(?:<\/?[\w-]+(?:\s[^<>]*)?>|[^\p{L}\p{N}<])*(?:\d{1,2}[.)][^\p{L}\p{N}]*)?/u
const WORDS = `(?:${MARKERS.join("|")})(?![\\p{L}\\p{N}_])|ESCALATED(?![\\p{L}\\p{N}_])`
const WORD = new RegExp(`^(?:${WORDS})`, "iu")
const LABEL_END = String.raw`[\s*_\x60"']{0,20}(?:[:：=|–—-]{1,3}|=>|->|→|is\b)[\s*_\x60"'|]*`
/** `Status:`, `Final status:` or `Outcome of task #1:` before the word. */
const LABEL = new RegExp(
  String.raw`^(?:(?:the|my|final|overall|current|closing|task|task${GAP}#?${GAP}${TASK_ID})\s+){0,3}(?:result|status|outcome|verdict|conclusion)(?:\s+(?:of|for)\s+(?:the\s+|this\s+)?task(?:${GAP}#?${GAP}${TASK_ID})?)?${LABEL_END}`,
  "iu",
)
/** `Task #1:` or `Task #1` before the word. */
const TASK_LABEL = new RegExp(
  String.raw`^(?:(?:the\s+|this\s+)?task(?:${GAP}#?${GAP}${TASK_ID})??|\d{1,4})(?<end>${LABEL_END}|[\s*_\x60]{1,20}(?:has\s)?)(?=${WORDS})`,
  "iu",
)
/** After the word: `task #3` or nothing, and a separator before the text. */
const MARKS = /^(?:<\/[\w-]+>|[\s*_`"'”)\]])+/u
const ABOUT_TASK = new RegExp(
  String.raw`^[([]?(?:(?:on|in|for)\s+)?(?:(?:the\s+|this\s+)?task${GAP}#?${GAP}${TASK_ID}|#${GAP}${TASK_ID}|\d+(?=\s*[:)\]]))`,
  "iu",
)
const ARROW = String.raw`(?:[-=]+>|[→➜⇒➔➡⟶]\uFE0F?)`
const SET_OFF = new RegExp(String.raw`^(?::|：|${ARROW}|[,!;|=]|—|[–-]+(?=\s)|\.?$)`, "u")

function readMarker(line: string): Marker | undefined {
  const lead = LEAD.exec(line)?.[0] ?? ""
  const { label, isStatus } = readLabel(line.slice(lead.length), lead)
  const rest = line.slice(lead.length + label.length)
  const found = WORD.exec(rest)?.[0]
  const word = MARKERS.find((each) => each === found?.toUpperCase().replace(/^ESCALATED$/, "ESCALATE"))
  if (found === undefined || word === undefined) return undefined
  const after = rest.slice(found.length)
  const isExact = found === found.toUpperCase()
  const said = textAfter(word, after, { isExact, isStatus })
  if (said === undefined) return undefined
  const mark = label === "" ? (lead.at(-1) ?? "") : ""
  const isNamed = isExact && word === "FAILED" && said.isAboutTask
  if (!isNamed && isQuoted(mark, after)) return undefined
  const isQuote = mark === "'" && said.text.trimEnd().endsWith(mark)
  const text = clean(isQuote ? said.text.trimEnd().slice(0, -1) : said.text)
  return { word, text, isExact, isAboutTask: said.isAboutTask }
}

function readLabel(line: string, lead: string): { readonly label: string; readonly isStatus: boolean } {
  const status = LABEL.exec(line)?.[0]
  if (status !== undefined) return { label: status, isStatus: true }
  const task = TASK_LABEL.exec(line)
  if (task === null) return { label: "", isStatus: false }
  const isSetOff = (task.groups?.end ?? "").replaceAll(/[\s*_`"']/g, "") !== ""
  // A bare number before the word is a count, unless it is `#1`.
  if (/^\d/.test(task[0]) && !isSetOff && !lead.endsWith("#")) return { label: "", isStatus: false }
  return { label: task[0], isStatus: isSetOff }
}

interface Said {
  readonly text: string
  readonly isAboutTask: boolean
}

/** Undefined if the word has another sense, such as a test runner's. */
function textAfter(
  word: MarkedLine["word"],
  after: string,
  { isExact, isStatus }: { readonly isExact: boolean; readonly isStatus: boolean },
): Said | undefined {
  const bare = after.replace(MARKS, "")
  const about = ABOUT_TASK.exec(bare)?.[0] ?? ""
  const isAboutTask = about !== ""
  const rest = bare.slice(about.length).replace(MARKS, "")
  const off = SET_OFF.exec(rest)?.[0]
  const isSure = isExact || isStatus
  if (word === "ISSUE" && !isSure) return undefined
  if (off === ":" || off === "：") return { text: rest.slice(off.length), isAboutTask }
  if (word === "ESCALATE") return isSure || /^\s[\p{L}_]+:/u.test(after) ? { text: after, isAboutTask } : undefined
  if (word === "FINDING") return isSure ? { text: after, isAboutTask } : undefined
  if (SAYS_SOMETHING.includes(word)) return undefined
  if (word === "FAILED" && isOfTests(isAboutTask ? "" : after, rest)) return undefined
  if (!isSure)
    return word === "FAILED" && isAboutTask && off !== undefined ? { text: beyond(rest), isAboutTask } : undefined
  if (off !== undefined || word === "NOTHING TO DO") return { text: beyond(rest), isAboutTask }
  if (word !== "FAILED") return undefined
  const isMeant = isExact ? !IS_ABOUT_THE_WORD.test(rest) : GIVES_A_REASON.test(rest)
  return isAboutTask || isMeant ? { text: beyond(rest), isAboutTask } : undefined
}

const beyond = (rest: string) =>
  rest.replace(/^(?:[\s:：.,!?;=|>*_–—→➜⇒➔➡⟶-]|\uFE0F)+/u, "").replace(/(?<![\s|])[\s|]+$/, "")

const GIVES_A_REASON = /^(?:because|since|as|due to|to)\s/i
/** `FAILED is a state of its own`, `FAILED tests are fixed`. */
const IS_ABOUT_THE_WORD =
  /^(?:(?:is|was|are|were|means|and|or|now|should|must|will|can|may|has|had|gets?|becomes?|appears?|stands?|instead)\b|(?:tasks|stat(?:es?|us)|statuses|tests?|builds?|jobs?|runs?|entries|rows|items|cases|checks|suites?|lines?|markers?|messages?|events?|results?|outcomes?|records?)\b(?!\s*:))/i

/** `FAILED -> PASSED`, `FAILED tests/test_a.py::test_b - ValueError`, `FAILED (failures=1)`. */
const NOW_PASSES = new RegExp(String.raw`^${ARROW}\s*(?:now\s+)?pass`, "iu")
const TEST_ID = /^test_\w|::|\/|\w\.\w/
const COUNTS =
  /^\(?(?:failures|errors|skipped|expected failures|unexpected successes)\s*=\s*\d|^\d+ tests?, listed below/i

function isOfTests(after: string, rest: string): boolean {
  return NOW_PASSES.test(rest) || COUNTS.test(rest) || namesATest(after)
}

function namesATest(after: string): boolean {
  const [, name = "", next = ""] = /^[\s\]]+([^\s\]]\S*)\s*(.?)/u.exec(after) ?? []
  return TEST_ID.test(name) && !name.endsWith(":") && /^[-–—([]?$/.test(next)
}

const CLOSING_MARK: Readonly<Record<string, string>> = { "`": "`", '"': '"', "'": "'", "“": "”", "‘": "’" }

/** Quoted or code, and the sentence goes on. */
function isQuoted(mark: string, after: string): boolean {
  const closing = CLOSING_MARK[mark]
  if (closing === undefined) return false
  const isWhole = after.replace(/(?<![\s.!*_])[\s.!*_]+$/, "").endsWith(closing)
  const end = isWhole ? -1 : findEnd(after, mark, closing)
  return end !== -1 && /^[\s*_]*,?\s*\p{Ll}/u.test(after.slice(end + 1))
}

/** Nested quotations and apostrophes do not end it. */
function findEnd(text: string, mark: string, closing: string): number {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const [before = "", here, next = ""] = [text[at - 1], text[at], text[at + 1]]
    if (here === mark && /[\s([]/.test(before)) depth++
    else if (here === closing && !(closing === "'" && /\p{L}/u.test(before) && /\p{L}/u.test(next)) && depth-- === 0)
      return at
  }
  return -1
}

/** If its line has no text: the list below it, or the next line. */
function textsBelow(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => line.trim() !== "")
  const items: string[] = []
  for (const line of start === -1 ? [] : lines.slice(start)) {
    if (line.trim() === "" || readMarker(line) !== undefined) break
    const isItem = /^\s*(?:[-*+•]|\d{1,2}[.)])\s/.test(line)
    if (!isItem && items.length > 0) break
    items.push(clean(line))
    if (!isItem) break
  }
  return items.filter((item) => item !== "")
}

/** Removes marks. A text has at least one letter or digit. */
function clean(text: string): string {
  let bare = text
    .replace(/^[\s:：.*_>–—•+-]+/u, "")
    .trimEnd()
    .replace(/(?<=[^\s*_])[*_]{1,2}$/, "")
  for (const mark of ["`", '"']) if (bare.split(mark).length % 2 === 0) bare = withoutOuter(bare, mark)
  return /[\p{L}\p{N}]/u.test(bare) ? bare.trim() : ""
}

function withoutOuter(text: string, mark: string): string {
  if (text.endsWith(mark)) return text.slice(0, -mark.length)
  return text.startsWith(mark) ? text.slice(mark.length) : text
}

/** The template of the prompt, "none" in a form, or a count of tests. */
function isEmptyTalk({ word, isExact, isAboutTask }: Marker, text: string): boolean {
  if (isTemplate(word, text)) return true
  if (word === "NOTHING TO DO" || word === "DONE") return false
  if (word !== "FAILED") return NONE.test(text) || /^no[.!]?$/i.test(text)
  if (isAboutTask) return false
  if (NONE.test(text) || /^(?:passed|skipped|errors?|total)\s*(?:\||$)/i.test(text)) return true
  return !isExact && (/^no[.!]?$/i.test(text) || COUNT.test(text))
}

const NONE = /^(?:tests?:?\s*)?(?:none|nothing|n\/a|null|nil|zero|no failures?|0)[.!]?$/i
/** `2`, `2 of 5`, `2, Passed: 10`. */
const COUNT = /^\d+(?:\s+of\s+\d+)?(?:[\s,;|/()]+(?:\p{L}+\s*[:=]\s*\d+|\d+(?:\s+\p{L}+)?(?=$|[,;|/()])))*[\s).]*$/u

/** Only the words of our prompt: an agent may use such brackets for its own reason. */
const TEMPLATES =
  /^(?:[\w|]+:?\s+)?<(?:reason|reason, and how you made sure|what a person must decide, what you tried|what the matter is, and what you tried)>(?:[\s.*_)]*$|[`"'”])/

function isTemplate(word: MarkedLine["word"], text: string): boolean {
  if (!SAYS_SOMETHING.includes(word)) return TEMPLATES.test(text)
  const filled = text.replaceAll(/(?<![^\s:([`"])<[^<>]*>/g, "")
  // A severity may come before the placeholder.
  return filled !== text && !/[\p{L}\p{N}]/u.test(word === "FINDING" ? filled.replace(/^[\w|]+/, "") : filled)
}

const FENCE = /^[\s>]*(?:[-*+]\s+)?(`{3,}|~{3,})\s*([\w+-]*)[^`]*$/
/** Other fences hold code or output. */
const PLAIN: readonly string[] = ["", "text", "txt", "plain", "plaintext", "md", "markdown"]

/** An unclosed fence is none. */
function withoutFences(
  lines: readonly string[],
  keep: (kind: string, inside: readonly string[]) => readonly string[],
): string[] {
  const read: string[] = []
  const neverClosed = new Set<string>()
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    const [, fence, kind = ""] = FENCE.exec(line) ?? []
    const end = fence === undefined || neverClosed.has(fence) ? -1 : findClose(lines, at + 1, fence)
    if (end === -1) {
      if (fence !== undefined) neverClosed.add(fence)
      read.push(line)
      continue
    }
    const inside = keep(kind.toLowerCase(), lines.slice(at + 1, end))
    for (const each of ["", ...inside, ""]) read.push(each)
    at = end
  }
  return read
}

function findClose(lines: readonly string[], from: number, fence: string): number {
  for (let at = from; at < lines.length; at++) {
    const bare = (lines[at] ?? "").replace(/^[\s>]+/, "").trimEnd()
    if (bare.length >= fence.length && bare === fence.charAt(0).repeat(bare.length)) return at
  }
  return -1
}

/** Lines of a closing block. */
function ownLines(kind: string, lines: readonly string[]): string[] {
  if (PLAIN.includes(kind)) return ownParagraphs(lines)
  // The exact form of the prompt counts anywhere.
  return lines.map((line) => (isFailure(line, { isNamed: true }) ? line : ""))
}

/** A paragraph that begins with a marker is a closing block, and so is everything after a failure. */
function ownParagraphs(lines: readonly string[]): string[] {
  let isOwn = false
  let isPrinted = false
  let isStart = true
  return lines.map((line) => {
    const isBlank = line.trim() === ""
    if (!isBlank && isStart) {
      isOwn = readMarker(line) !== undefined
      isPrinted = /^\s*[$%❯]\s/.test(line)
    } else if (!isOwn) isOwn = isFailure(line, { isNamed: isPrinted })
    isStart = isBlank
    return isOwn ? line : ""
  })
}

function isFailure(line: string, { isNamed }: { readonly isNamed: boolean }): boolean {
  const marker = readMarker(line)
  if (marker?.isExact !== true) return false
  return marker.word === "FAILED" ? marker.isAboutTask || !isNamed : marker.word === "ESCALATE" && !isNamed
}

const ESCAPE = String.fromCodePoint(27)
/** Terminal codes and invisible characters. */
const UNSEEN = new RegExp(
  String.raw`${ESCAPE}\[[\d;:?]*[ -/]*[@-~]|${ESCAPE}\][^${ESCAPE}\u0007\n]*(?:\u0007|${ESCAPE}\\)|\[\d+(?:;\d+)*m|[\u00AD\u200B-\u200F\u2060\uFEFF]`,
  "gu",
)

function splitLines(text: string): string[] {
  return text
    .replaceAll(UNSEEN, "")
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => line.slice(0, MAX_LINE))
}
