// Closing blocks that an agent writes as JSON: as its whole answer, in a fence, or between sentences.

/** What the schema asks for. Only `outcome` makes it ours. */
export interface Told extends Readonly<Record<string, unknown>> {
  readonly outcome: string
}

/** The value, or the value in its text: some programs give a structure as a string. */
export function asTold(value: unknown): Told | undefined {
  const given = typeof value === "string" ? parse(value.trim()) : value
  const one: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given
  if (typeof one !== "object" || one === null) return undefined
  return "outcome" in one && typeof one.outcome === "string" ? (one as Told) : undefined
}

interface Taken {
  readonly tolds: readonly Told[]
  /** The text without them. */
  readonly rest: string
}

/** More is no closing block. It also bounds what a hostile answer costs. */
const MAX_OBJECTS = 50
const MAX_STARTS = 5
const MAX_OBJECT = 100_000

const START = /(?:^|[\n\r\u2028\u2029])[^\p{L}\p{N}\n\r\u2028\u2029{]*\{/gu

/** Takes the objects that begin a line. One inside a sentence is talk. */
export function takeTolds(answer: string, isOurs: (told: Told) => boolean): Taken {
  const whole = asTold(answer.trim().replace(/^```(?:json)?\s*\n([\s\S]*)\n```$/, "$1"))
  if (whole !== undefined) return { tolds: [whole], rest: "" }
  const keys = [...answer.matchAll(/"outcome"\s*:/g)].slice(-MAX_OBJECTS)
  if (keys.length === 0) return { tolds: [], rest: answer }
  const starts = [...answer.matchAll(START)].map((found) => found.index + found[0].length - 1)
  const tolds: Told[] = []
  let rest = answer
  let done = -1
  for (const { index } of keys) {
    const near = starts.filter((start) => start > done && start < index).slice(-MAX_STARTS)
    for (const start of near.toReversed()) {
      const source = objectAt(answer, start)
      const told = start + source.length > index ? asTold(source) : undefined
      if (told === undefined || !isOurs(told)) continue
      tolds.push(told)
      rest = rest.replace(source, () => "")
      done = start + source.length - 1
      break
    }
  }
  return { tolds, rest }
}

/** From a brace to the one that closes it; empty where none does. */
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

function parse(text: string): unknown {
  if (!/^[[{][\s\S]*[\]}]$/.test(text)) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
