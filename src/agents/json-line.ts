/** An object of foreign JSON: every field has to be looked at before it is used. */
export type Json = Readonly<Record<string, unknown>>

/** The object on a line, or undefined when there is none. */
export function parseLine(line: string): Json | undefined {
  // Most lines that are no JSON show it at once, and a failing parser is slow.
  if (line.charCodeAt(0) !== 0x7b) return undefined
  try {
    return asObject(JSON.parse(line))
  } catch {
    return undefined
  }
}

export function asObject(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : ""
}

export function asTextOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null
}

export function asCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0
}

/** The texts of a list of content, as most agents write it, a line each. */
export function joinTexts(content: unknown): string {
  return asArray(content)
    .map((part) => asText(asObject(part)?.text))
    .join("\n")
}

/** The JSON in an answer that was asked to be nothing else: models like to put it into a fence or a sentence. */
export function findJson(answer: string): unknown {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/.exec(answer)?.[1]
  const braced = answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1)
  for (const text of [answer, fenced, braced]) {
    if (text === undefined || text === "") continue
    try {
      return JSON.parse(text)
    } catch {
      // The next way to find it may do.
    }
  }
  return null
}
