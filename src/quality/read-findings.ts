import { mustBeFixed, type NewFinding, readSeverity, type Severity } from "./finding.ts"

type Read = Omit<NewFinding, "task">

/**
 * Finds findings in prose: `CRITICAL: ...`, `**[High]** src/a.ts:12 ...`, a heading `## Critical` with a list. The
 * closing block reads lines that begin with FINDING.
 */
export function readProse(answer: string): Read[] {
  const found: Read[] = []
  let section: Severity | undefined
  let isCode = false
  for (const raw of answer.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(raw)) isCode = !isCode
    const line = plain(raw)
    if (isCode || line === "" || /^FINDING\b/.test(line)) continue
    const heading = /^\s*#{1,6}\s/.test(raw) || /^\s*\*\*[^*]+\*\*:?\s*$/.test(raw)
    const read = readLine(line)
    if (heading) section = read !== undefined && read.text === "" ? read.severity : undefined
    if (read !== undefined && read.text !== "") found.push(ofText(read.severity, read.text))
    else if (read === undefined && section !== undefined && ITEM.test(raw) && !NONE.test(line))
      found.push(ofText(section, line))
    else if (read === undefined && !heading && ALARM.test(line) && !NEGATED.test(line))
      found.push(ofText("critical", line))
  }
  return withoutRepeats(found)
}

/** In prose the other severity words are ambiguous. */
const WORD = "(critical|blocker|blocking|severe|major|high|medium|moderate|low|minor|nit)"
/** `CRITICAL: text`, `[High] text`, `High severity - text`, `Critical issues (2)` */
const LEADING = new RegExp(
  `^\\[?\\(?${WORD}(?:[ -](?:severity|priority|risk))?(?:[ -](?:issues?|findings?|problems?|bugs?))?\\]?\\)?(?:\\s*\\(\\d+\\))?(?:\\s*[:|]\\s*(.*)|\\s+[–—-]+\\s+(.*)|\\s*$)`,
  "i",
)
const BRACKETED = new RegExp(`^[[(]${WORD}[\\])]\\s*(.+)$`, "i")
/** `... (Severity: High)`, `Severity: critical - text` */
const LABELLED = new RegExp(`\\bseverity\\s*[:=]\\s*${WORD}\\b`, "i")
const ALARM =
  /\bCRITICAL\b|\b(?:do|must|should|can) ?not (?:ship|merge|deliver|release|deploy|be (?:shipped|merged|delivered|released|deployed))\b|\bdon't (?:ship|merge)\b|\bBLOCKER\b/
const NONE = /^(?:none|no\b|nothing|n\/a|0\b|not found|-$|keine)/i
const NEGATED =
  /\b(?:no|not any|without|zero|0|never)\s+(?:\w+\s+){0,3}(?:critical|blocker|blocking|high|major)|\b(?:critical|blocker)s?\b[^.]*\b(?:none|: ?0)\b|\bis not (?:a )?(?:critical|blocker)/i

function readLine(line: string): { severity: Severity; text: string } | undefined {
  if (NEGATED.test(line)) return undefined
  const bracketed = BRACKETED.exec(line)
  if (bracketed !== null) return { severity: readSeverity(bracketed[1] ?? ""), text: (bracketed[2] ?? "").trim() }
  const led = LEADING.exec(line)
  if (led !== null) {
    const [, word = "", first, second] = led
    const text = (first ?? second ?? "").trim()
    return NONE.test(text) ? undefined : { severity: readSeverity(word), text }
  }
  const labelled = LABELLED.exec(line)
  if (labelled === null) return undefined
  const rest = line
    .replace(labelled[0], "")
    .replace(/\(\s*\)|\[\s*\]/g, "")
    .replace(/^[\s:|–—-]+|[\s:|–—-]+$/g, "")
  // A lone label belongs to a text elsewhere: keep it only if it is grave.
  const severity = readSeverity(labelled[1] ?? "")
  if (rest !== "") return { severity, text: rest }
  return mustBeFixed({ severity }) ? { severity, text: line } : undefined
}

const ITEM = /^ ?(?:[-*+•]|\d+[.)])\s/

/** Removes list marks, emphasis, table bars and emoji. */
function plain(raw: string): string {
  return raw
    .replace(/^[\s>|]*(?:#{1,6}\s+)?(?:[-*+•]\s+|\d+[.)]\s+)?/, "")
    .replace(/\*\*|__|`/g, "")
    .replace(/^(?:\p{Extended_Pictographic}|\uFE0F|[\s|])+/u, "")
    .replace(/[\s|]+$/, "")
}

/** A path with an extension, or a name with a line: `src/a.ts`, `src/a.ts line 7`, `Makefile:12`. */
const PLACE =
  /(?:^|[\s(|])(?:((?:[\w@.-]+\/)*[\w@.-]+\.[A-Za-z][A-Za-z0-9]{0,7})(?:[:#]L?(\d+)|,? lines? (\d+))?|([\w@./-]*[A-Za-z][\w@./-]*):(\d+)\b)/

function ofText(severity: Severity, text: string): Read {
  const [, path, colonLine, wordLine, bare, bareLine] = PLACE.exec(text) ?? []
  const file = (path ?? bare)?.replace(/^\.\//, "") ?? null
  const line = colonLine ?? wordLine ?? bareLine
  return { severity, file, line: line === undefined ? null : Number(line), text: text.trim() }
}

/** `src/a.ts:12`, `src/a.ts:12-14`, `src/a.ts` or `-`. */
export function readPlace(place: string): Pick<Read, "file" | "line"> {
  const [, file = "", line] = /^(.*?)(?:[:#]L?(\d+)(?:[-:]L?\d+)?)?$/.exec(place.trim()) ?? []
  const path = file.replace(/^\.\//, "")
  const isNone = path === "" || path === "-"
  return { file: isNone ? null : path, line: isNone || line === undefined ? null : Number(line) }
}

function withoutRepeats(found: readonly Read[]): Read[] {
  const seen = new Set<string>()
  return found.filter(({ file, line, text }) => {
    const key = JSON.stringify([file, line, text])
    return !seen.has(key) && seen.add(key)
  })
}
