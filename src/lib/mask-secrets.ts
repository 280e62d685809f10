import { BEFORE_SPACE, BEGUN_SECRET, WHOLE_SECRETS } from "./secret-formats.ts"

/** Hides secrets in a text that leaves us: an event, a log, a prompt, evidence. */
export type Mask = (text: string) => string

export const MASKED = "***"
const SHOWN = `$1$2$3$4${MASKED}`
/** Shorter values are words and numbers that appear everywhere; hiding them would hide what a person has to read. */
const MIN_SECRET_LENGTH = 6

const SECRET_NAME =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|PAT|DSN)(?:_|$)|(?:KEY|TOKEN|SECRET|PASSWORD)$/i
/** Named like a secret, but a path or an address of something. */
const HARMLESS_NAME = /(?:_FILE|_PATH|_DIR|_SOCK|_URL|_ID|_TYPE|_HEADER|_LIMIT|_TOKENS|KEYBOARD|KEYMAP)$/i

/** What is known to be secret: the common formats of keys, and every value in `env` whose name says so. */
export interface Secrets {
  readonly mask: Mask
  /** Looks at a text from a place on; what stands before is looked at, but not hidden. */
  scan(text: string, from: number, isWhole: boolean): Scan
}

export interface Scan {
  readonly hidden: readonly Span[]
  /** Where the last secret ends. */
  readonly end: number
  /** From where on the end of the text may be the beginning of a secret, unless it is whole. */
  readonly open: number
}

export interface Span {
  readonly start: number
  readonly end: number
}

/** How much of a secret is waited for; few are longer. */
export const MAX_SECRET = 8192

export function makeSecrets(env: Readonly<Record<string, string | undefined>> = {}): Secrets {
  const values = Object.entries(env).flatMap(([name, value]) => (value && isSecretName(name) ? formsOf(value) : []))
  // The longest first, or one that another begins with would leave the rest of it.
  const literals = [...new Set(values)].sort((a, b) => b.length - a.length)
  const whole = new RegExp([...literals.map((value) => RegExp.escape(value)), ...WHOLE_SECRETS].join("|"), "g")
  const begun = new RegExp(BEGUN_SECRET, "g")
  const findFrom = (pattern: RegExp, text: string, from: number) => {
    pattern.lastIndex = from
    return pattern.exec(text)
  }
  const findOpen = (text: string, from: number) => {
    const start = Math.max(from, text.length - MAX_SECRET)
    let open = findFrom(begun, text, firstCandidate(text, start))?.index ?? text.length
    for (const value of literals) open = Math.min(open, text.length - begunLength(value, text, start))
    return open
  }
  return {
    mask: (text) => text.replace(whole, SHOWN),
    scan(text, from, isWhole) {
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

/** From where on a begun secret is worth looking for: that takes the longer the more there is to look at. */
function firstCandidate(text: string, start: number): number {
  if (BEFORE_SPACE.some((mark) => text.lastIndexOf(mark) >= start)) return start
  let at = text.length
  while (at > start && text.charCodeAt(at - 1) > 32) at--
  return at
}

/** How much of the end of a text is the beginning of the value, but not all of it. */
function begunLength(value: string, text: string, start: number): number {
  const end = text.slice(-2)
  for (let at = value.lastIndexOf(end, value.length - 3); at !== -1 && end.length === 2; ) {
    if (text.length - at - 2 >= start && text.endsWith(value.slice(0, at + 2))) return at + 2
    at = at === 0 ? -1 : value.lastIndexOf(end, at - 1)
  }
  return text.length > start && value.startsWith(end.slice(-1)) ? 1 : 0
}

export function makeMask(env: Readonly<Record<string, string | undefined>> = {}): Mask {
  return makeSecrets(env).mask
}

/** For the few texts that are shown where no environment is at hand, such as a setting. */
export function maskSecrets(text: string): string {
  return makeMask()(text)
}

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS_NAME.test(name)
}

/** A value as it is, and as it looks inside of JSON and of an address. */
function formsOf(value: string): string[] {
  const trimmed = value.trim()
  if (trimmed.length < MIN_SECRET_LENGTH) return []
  return [trimmed, JSON.stringify(trimmed).slice(1, -1), encodeURIComponent(trimmed)]
}
