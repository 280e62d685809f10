// Lines of agents are checked by hand: valibot takes 5 to 7 times as long as JSON.parse, and turning lines into events
// may take at most twice as long (`npm run bench -- agents`).

export type Json = Readonly<Record<string, unknown>>

/** Undefined when the line is no object. */
export function parseLine(line: string): Json | undefined {
  // A failing parser is slow.
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

export function joinTexts(content: unknown): string {
  return asArray(content)
    .map((part) => asText(asObject(part)?.text))
    .join("\n")
}
