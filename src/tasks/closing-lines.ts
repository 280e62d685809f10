// Finds the marked lines of a closing block in free text, whatever stands around them. A marker counts where it begins a
// line. One inside a sentence, in quoted code or in an echo of the prompt's own template is talk about the word.

export const MARKERS = [
  ...(["FAILED", "ESCALATE", "NOTHING TO DO", "DONE", "LEARNED", "DECIDED", "ISSUE", "CAPABILITY GAP"] as const),
  "FINDING",
] as const

export interface MarkedLine {
  readonly word: (typeof MARKERS)[number]
  /** What it says, without the marks of Markdown around it; empty where it says nothing. */
  readonly text: string
}

export function readMarkers(answer: string): MarkedLine[] {
  const lines = readable(answer.split(/\r?\n/).map((line) => line.slice(0, MAX_LINE)))
  return lines.flatMap((line, index) => {
    const marker = readMarker(line)
    if (marker === undefined) return []
    const texts = marker.text === "" ? textsBelow(lines.slice(index + 1, index + 1 + MAX_BELOW)) : [marker.text]
    const isOutcome = !SAYS_SOMETHING.includes(marker.word)
    if (texts.length === 0) return isOutcome ? [{ word: marker.word, text: "" }] : []
    return texts.filter((text) => !isEmptyTalk(marker, text)).map((text) => ({ word: marker.word, text }))
  })
}

/** No reason is longer. It also bounds what a hostile line costs. */
const MAX_LINE = 2500
const MAX_BELOW = 30

/** Without a text these say nothing. */
const SAYS_SOMETHING: readonly MarkedLine["word"][] = ["LEARNED", "DECIDED", "ISSUE", "CAPABILITY GAP", "FINDING"]

/** Marks of Markdown, numbers of a list, tags, and a label such as `Status:` before the word. */
const LEAD = /^(?:<\/?[\w-]+>|[^\p{L}\p{N}<])*(?:\d{1,2}[.)][^\p{L}\p{N}]*)?/u
const LABEL = /^(?:result|status|outcome|verdict)[\s*_`]*[:=][\s*_`]*/i
const WORD = new RegExp(`^(?:${MARKERS.join("|")})(?![\\p{L}\\p{N}_])`, "iu")
/** After the word: `task #3` or nothing, and then what sets off the text. */
const MARKS = /^[\s*_`"'”)\]]+/u
const ABOUT_TASK = /^(?:on |in )?task\s*#?\s*[\p{L}\p{N}][\p{L}\p{N}._-]*/iu
const SET_OFF = /^(?::|：|->|→|[–—-]+(?=\s)|\.?$)/u

interface Marker extends MarkedLine {
  /** Written in capitals, as the prompt asks. */
  readonly isExact: boolean
}

function readMarker(line: string): Marker | undefined {
  const lead = LEAD.exec(line)?.[0] ?? ""
  const label = LABEL.exec(line.slice(lead.length))?.[0] ?? ""
  const rest = line.slice(lead.length + label.length)
  const found = WORD.exec(rest)?.[0]
  const word = MARKERS.find((each) => each === found?.toUpperCase())
  if (found === undefined || word === undefined) return undefined
  const after = rest.slice(found.length)
  if (label === "" && isQuoted(lead.at(-1) ?? "", after)) return undefined
  const isExact = found === word
  const text = textAfter(word, after, isExact || label !== "")
  return text === undefined ? undefined : { word, text: clean(text), isExact }
}

/** Undefined where the word is used in another sense, such as a test runner's. */
function textAfter(word: MarkedLine["word"], after: string, isExact: boolean): string | undefined {
  const bare = after.replace(MARKS, "")
  const about = ABOUT_TASK.exec(bare)?.[0] ?? ""
  const rest = bare.slice(about.length).replace(MARKS, "")
  const off = SET_OFF.exec(rest)?.[0]
  if (word === "ISSUE" && !isExact) return undefined
  if (off === ":" || off === "：") return rest.slice(off.length)
  if (word === "ESCALATE") return isExact || /^\s[\p{L}_]+:/u.test(after) ? after : undefined
  if (word === "FINDING") return isExact ? after : undefined
  if (SAYS_SOMETHING.includes(word) || !isExact) return undefined
  // `FAILED -> PASSED` tells of tests.
  if (off !== undefined) return /^(?:->|→)\s*pass/i.test(rest) ? undefined : rest.slice(off.length)
  if (word === "NOTHING TO DO") return rest
  return word === "FAILED" && (about !== "" || GIVES_A_REASON.test(rest)) ? rest : undefined
}

const GIVES_A_REASON = /^(?:because|since|as|due to|to)\s/i

/** `FAILED: x` in quotes or as code, with a sentence going on behind it. */
function isQuoted(mark: string, after: string): boolean {
  const closing = { "`": "`", '"': '"', "'": "'", "“": "”", "‘": "’" }[mark]
  if (closing === undefined) return false
  const end = after.indexOf(closing)
  return end !== -1 && /^(?![\s*_]*[:：–—-]).*\p{L}/u.test(after.slice(end + 1))
}

/** What stands below a marker without a text of its own: the items of a list, or the next line. */
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

/** Without the marks around it. A text has at least one letter or digit. */
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

/** The template of the prompt, a line of a form that was filled in with "none", or a count of tests. */
function isEmptyTalk({ word, isExact }: Marker, text: string): boolean {
  const filled = text.replaceAll(/(?<![^\s:([`"])<[^<>]*>/g, "")
  // A trigger or a severity of the template's own may stand before the placeholder.
  if (filled !== text && !/[\p{L}\p{N}]/u.test(HAS_KIND.includes(word) ? filled.replace(/^[\w|]+/, "") : filled))
    return true
  if (word === "NOTHING TO DO" || word === "DONE") return false
  if (/^(?:none|nothing|no|n\/a|null|nil|zero|no failures?|0(?:\s.*|[,;|/(].*)?)[.!]?$/i.test(text)) return true
  return word === "FAILED" && !isExact && /^\d+\s*(?:$|[,;|/(]|of\b)/.test(text)
}

const HAS_KIND: readonly MarkedLine["word"][] = ["ESCALATE", "FINDING"]

const FENCE = /^[\s>]*(?:[-*+]\s+)?(`{3,}|~{3,})\s*([\w+-]*)[^`]*$/
/** A fence of another kind holds code or what a program printed. */
const PLAIN: readonly string[] = ["", "text", "txt", "plain", "plaintext", "md", "markdown"]

/** The lines that are the agent's own words. A fence that is never closed fences nothing. */
function readable(lines: readonly string[]): string[] {
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
    const inside = PLAIN.includes(kind.toLowerCase()) ? ownParagraphs(lines.slice(at + 1, end)) : []
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

/** In a fence a paragraph that begins with a marker is a closing block; any other is quoted. */
function ownParagraphs(lines: readonly string[]): string[] {
  let isOwn = false
  let isStart = true
  return lines.map((line) => {
    const isBlank = line.trim() === ""
    if (!isBlank && isStart) isOwn = readMarker(line) !== undefined
    isStart = isBlank
    return isOwn ? line : ""
  })
}
