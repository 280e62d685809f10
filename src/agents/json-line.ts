// Lines of agents are read by hand: valibot takes 5 to 7 times as long as JSON.parse, and making events of lines may
// take at most twice as long in all (`npm run bench -- agents`).

/** An object of foreign JSON. */
export type Json = Readonly<Record<string, unknown>>

/** The object on a line; undefined when there is none. */
export function parseLine(line: string): Json | undefined {
  // Most lines without JSON show it at once, and a failing parser is slow.
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
  return asText(value) || null
}

export function asCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0
}

/** The texts of a list of content, a line each. */
export function joinTexts(content: unknown): string {
  return asArray(content)
    .map((part) => asText(asObject(part)?.text))
    .join("\n")
}
