import { MASKED, type Scan, type Secrets, type Span } from "./mask-secrets.ts"

type Deliver = (shown: string) => void | Promise<void>

interface Part {
  readonly text: string
  readonly deliver: Deliver
}

/** Beyond these limits parts are delivered without waiting. */
const MAX_WAITING = 64 * 1024
const MAX_PARTS = 1000

/**
 * Hides secrets in a text that comes in parts. A part that may end with the beginning of a secret waits for the next one.
 * All parts are delivered in order. The returned promise is that of the deliveries.
 */
export interface MaskedParts {
  /** A part without text only keeps its place in the order. */
  push(text: string, deliver: Deliver): void | Promise<void>
  /** Ends the text; the next part begins another one. */
  end(): void | Promise<void>
}

export function maskParts(secrets: Secrets): MaskedParts {
  let waiting: Part[] = []
  /** The last delivered character if it is part of a word: the next text continues that word. */
  let before = ""
  /** Secrets in `before` and the waiting parts, and the place up to which the scan is final. */
  let known: readonly Span[] = []
  let settled = 0

  function release(isEnd: boolean): void | Promise<void> {
    const text = before + waiting.map((part) => part.text).join("")
    const isTooMuch = waiting.length > MAX_PARTS || text.length - (waiting.at(-1)?.text.length ?? 0) > MAX_WAITING
    const scan = secrets.scan(text, settled, isEnd || isTooMuch)
    const hidden = [...known, ...scan.hidden]
    const parts = placeParts(waiting, before.length)
    const ready = parts.filter(({ to }) => to <= scan.open)
    const end = ready.at(-1)?.to ?? before.length
    const shown = ready.map((part) => show(text, hidden, part))
    waiting = waiting.slice(ready.length)
    if (ready.length > 0) before = lastLetter(text, end)
    const shift = end - before.length
    known = hidden
      .filter((span) => span.end > end)
      .map((span) => ({ start: span.start - shift, end: span.end - shift }))
    settled = Math.max(before.length, scan.end - shift)
    return deliverAll(ready, shown)
  }

  return {
    push(text, deliver) {
      if (waiting.length === 0 && settled === before.length) {
        // The usual case: nothing waits and there is no secret.
        const isHarmless =
          text === "" || isPlain(secrets.scan(before + text, settled, false), before.length + text.length)
        if (isHarmless) {
          if (text !== "") before = lastLetter(text, text.length)
          settled = before.length
          return deliver(text)
        }
      }
      waiting.push({ text, deliver })
      return release(false)
    },
    end() {
      const done = waiting.length === 0 ? undefined : release(true)
      before = ""
      known = []
      settled = 0
      return done
    },
  }
}

function isPlain({ hidden, open }: Scan, length: number): boolean {
  return hidden.length === 0 && open === length
}

function lastLetter(text: string, end: number): string {
  const last = text.charAt(end - 1)
  return /\w/.test(last) ? last : ""
}

interface Placed extends Part {
  readonly from: number
  readonly to: number
}

function placeParts(parts: readonly Part[], start: number): Placed[] {
  let to = start
  return parts.map((part) => {
    const from = to
    to += part.text.length
    return { ...part, from, to }
  })
}

/** A piece of the text with its secrets replaced. A secret that continues from the piece before shows nothing here. */
function show(text: string, hidden: readonly Span[], { from, to }: Placed): string {
  let shown = ""
  let at = from
  for (const { start, end } of hidden) {
    if (end <= from || start >= to) continue
    if (start >= from) shown += text.slice(at, start) + MASKED
    at = Math.min(end, to)
  }
  return shown + text.slice(at, to)
}

/** Synchronous until a delivery returns a promise. */
function deliverAll(parts: readonly Part[], shown: readonly string[], from = 0): void | Promise<void> {
  for (let at = from; at < parts.length; at++) {
    const pending = parts[at]?.deliver(shown[at] ?? "")
    if (pending instanceof Promise) return pending.then(() => deliverAll(parts, shown, at + 1))
  }
}
