// JSON as the whole answer, in a fence, or between sentences.

import * as v from "valibot"
import { anyRecord } from "../lib/schema.ts"

const text = v.fallback(v.pipe(v.string(), v.trim()), "")
const texts = v.fallback(v.array(text), [])

/** Only `outcome` is required; a wrong field counts as missing. */
const ClosingFields = v.object({
  outcome: v.pipe(v.string(), v.trim(), v.toLowerCase(), v.transform(snakeCase)),
  summary: v.fallback(v.optional(v.pipe(v.string(), v.trim())), undefined),
  reason: text,
  trigger: text,
  learned: texts,
  decided: texts,
  issues: texts,
  findings: texts,
  capability_gap: text,
})
export interface Closing extends v.InferOutput<typeof ClosingFields> {
  /** As the agent wrote them: a failure counts anywhere. */
  readonly raw: Readonly<Record<string, unknown>>
}

/** A value, or JSON as text: some programs give a structure as a string. */
export function parseClosing(value: unknown): Closing | undefined {
  const given = typeof value === "string" ? parseJson(value.trim()) : value
  const one: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given
  if (!v.is(anyRecord, one)) return undefined
  const { success, output } = v.safeParse(ClosingFields, one)
  return success ? { ...output, raw: one } : undefined
}

/** Also limits the cost of a hostile answer. */
const MAX_OBJECTS = 50
const MAX_STARTS = 5
const MAX_OBJECT = 100_000

const START = /(?:^|[\n\r\u2028\u2029])[^\p{L}\p{N}\n\r\u2028\u2029{]*\{/gu

/** Takes objects that begin a line; one inside a sentence is talk. `rest` is the text without them. */
export function takeClosings(
  answer: string,
  isOurs: (closing: Closing) => boolean,
): { readonly closings: readonly Closing[]; readonly rest: string } {
  const whole = parseClosing(answer.trim().replace(/^```(?:json)?\s*\n([\s\S]*)\n```$/, "$1"))
  if (whole !== undefined) return { closings: [whole], rest: "" }
  const keys = [...answer.matchAll(/"outcome"\s*:/g)].slice(-MAX_OBJECTS)
  if (keys.length === 0) return { closings: [], rest: answer }
  const starts = [...answer.matchAll(START)].map((found) => found.index + found[0].length - 1)
  const closings: Closing[] = []
  let rest = answer
  let done = -1
  for (const { index } of keys) {
    const near = starts.filter((start) => start > done && start < index).slice(-MAX_STARTS)
    for (const start of near.toReversed()) {
      const source = objectAt(answer, start)
      const closing = start + source.length > index ? parseClosing(source) : undefined
      if (closing === undefined || !isOurs(closing)) continue
      closings.push(closing)
      rest = rest.replace(source, () => "")
      done = start + source.length - 1
      break
    }
  }
  return { closings, rest }
}

export function snakeCase(words: string): string {
  return words.replaceAll(/[\s-]+/g, "_")
}

/** Up to the closing brace; empty without one. */
function objectAt(text: string, start: number): string {
  let depth = 0
  let isText = false
  for (let at = start; at < Math.min(text.length, start + MAX_OBJECT); at++) {
    const here = text[at]
    if (isText && here === "\\") at++
    else if (here === '"') isText = !isText
    else if (!isText && here === "{") depth++
    else if (!isText && here === "}" && --depth === 0) return text.slice(start, at + 1)
  }
  return ""
}

function parseJson(text: string): unknown {
  if (!/^[[{][\s\S]*[\]}]$/.test(text)) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
