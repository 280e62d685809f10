/** What another program sent, whatever it is. */

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
