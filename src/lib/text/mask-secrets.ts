import { BEFORE_SPACE, BEGUN_SECRET, SIGN_OF_SECRET, WHOLE_SECRETS } from "./secret-formats.ts"

/** Hides secrets in a text that leaves us: an event, a log, a prompt, evidence. */
export type Mask = (text: string) => string

export const MASKED = "***"
const SHOWN = `$1$2$3$4${MASKED}`
/** Shorter values are common words and numbers; hiding them would make texts unreadable. */
const MIN_SECRET_LENGTH = 6

const SECRET_NAME =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|PAT|DSN)(?:_|$)|(?:KEY|TOKEN|SECRET|PASSWORD)$/i
/** Named like a secret, but a path or an address of something. */
const HARMLESS_NAME = /(?:_FILE|_PATH|_DIR|_SOCK|_URL|_ID|_TYPE|_HEADER|_LIMIT|_TOKENS|KEYBOARD|KEYMAP)$/i

/** What is known to be secret: the common formats of keys, and every value in `env` whose name says so. */
export interface Secrets {
  readonly mask: Mask
  /** Scans a text from an offset on. The text before is only context. */
  scan(text: string, from: number, isWhole: boolean): Scan
}

export interface Scan {
  readonly hidden: readonly Span[]
  /** Where the last secret ends. */
  readonly end: number
  /** Where a secret may begin that continues after the end of the text. */
  readonly open: number
}

export interface Span {
  readonly start: number
  readonly end: number
}

/** The longest secret that is recognized across parts; few are longer. */
export const MAX_SECRET = 8192

export function makeSecrets(env: Readonly<Record<string, string | undefined>> = {}): Secrets {
  const values = Object.entries(env).flatMap(([name, value]) => (value && isSecretName(name) ? formsOf(value) : []))
  // The longest first, or a value that another one starts with would leave the rest of that one.
  const literals = [...new Set(values)].sort((a, b) => b.length - a.length)
  const whole = new RegExp([...literals.map((value) => RegExp.escape(value)), ...WHOLE_SECRETS].join("|"), "g")
  const begun = new RegExp(BEGUN_SECRET, "g")
  const shortest = literals.at(-1)?.length ?? Number.POSITIVE_INFINITY
  const hasLiteral = (text: string) => text.length >= shortest && literals.some((literal) => text.includes(literal))
  const mayHold = (text: string) => SIGN_OF_SECRET.test(text) || hasLiteral(text)
  const byLetters = groupByLetters(literals)
  const findFrom = (pattern: RegExp, text: string, from: number) => {
    pattern.lastIndex = from
    return pattern.exec(text)
  }
  const findOpen = (text: string, from: number) => {
    const start = Math.max(from, text.length - MAX_SECRET)
    let open = findFrom(begun, text, firstCandidate(text, start))?.index ?? text.length
    if (literals.length === 0) return open
    for (const letters of [text.slice(-2), text.slice(-1)])
      for (const value of byLetters.get(letters) ?? [])
        open = Math.min(open, text.length - begunLength(value, text, start))
    return open
  }
  return {
    mask: (text) => (mayHold(text) ? text.replace(whole, SHOWN) : text),
    scan(text, from, isWhole) {
      if (!mayHold(text)) return { hidden: [], end: from, open: isWhole ? text.length : findOpen(text, from) }
      const hidden: Span[] = []
      for (let at = from; ; ) {
        const open = isWhole ? text.length : findOpen(text, at)
        const match = findFrom(whole, text, at)
        if (match === null || match.index >= open) return { hidden, end: at, open }
        at = match.index + match[0].length
        const shown = match.slice(1).find((group) => group !== undefined) ?? ""
        hidden.push({ start: match.index + shown.length, end: at })
      }
    },
  }
}

/** The first offset where an unfinished secret may begin. By hand, because the pattern would be tried at every offset. */
function firstCandidate(text: string, start: number): number {
  if (BEFORE_SPACE.some((mark) => text.includes(mark, start))) return start
  let candidate = text.length
  let isWord = false
  let at = text.length - 1
  for (; at >= start; at--) {
    const code = text.charCodeAt(at)
    const isWordHere = isWordCode(code)
    if (isWord && !isWordHere) candidate = at + 1
    if (code <= SPACE) return candidate
    if (code === DASH || code === COLON || code === QUESTION || code === AMPERSAND) candidate = at
    isWord = isWordHere
  }
  return isWord && !(at >= 0 && isWordCode(text.charCodeAt(at))) ? start : candidate
}

const [SPACE, AMPERSAND, DASH, COLON, QUESTION] = [0x20, 0x26, 0x2d, 0x3a, 0x3f] as const

/** As `\w` sees it. */
function isWordCode(code: number): boolean {
  const letter = code | 0x20
  return (letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x5f
}

/** Values by the pairs of letters in them and by their first letter: the end of a text selects a few candidates. */
function groupByLetters(values: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, Set<string>>()
  const add = (letters: string, value: string) => groups.set(letters, (groups.get(letters) ?? new Set()).add(value))
  for (const value of values) {
    add(value.charAt(0), value)
    for (let at = 0; at < value.length - 2; at++) add(value.slice(at, at + 2), value)
  }
  return new Map([...groups].map(([letters, group]) => [letters, [...group]]))
}

/** How many characters at the end of a text are the beginning of the value. */
function begunLength(value: string, text: string, start: number): number {
  for (let length = Math.min(value.length - 1, text.length - start); length > 0; length--)
    if (value.charCodeAt(length - 1) === text.charCodeAt(text.length - 1) && text.endsWith(value.slice(0, length)))
      return length
  return 0
}

export function makeMask(env: Readonly<Record<string, string | undefined>> = {}): Mask {
  return makeSecrets(env).mask
}

/** For texts that are shown without an environment, such as a setting. */
export function maskSecrets(text: string): string {
  return makeMask()(text)
}

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS_NAME.test(name)
}

/** A value as it is, in JSON, and in a URL. */
function formsOf(value: string): string[] {
  const trimmed = value.trim()
  if (trimmed.length < MIN_SECRET_LENGTH) return []
  return [trimmed, JSON.stringify(trimmed).slice(1, -1), encodeURIComponent(trimmed)]
}
