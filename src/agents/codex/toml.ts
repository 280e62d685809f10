/** A settings file in TOML: one line per entry, deeper tables inline. Values are what JSON can hold, without null. */
export function toToml(table: Readonly<Record<string, unknown>>): string {
  return Object.entries(table)
    .map(([key, value]) => `${JSON.stringify(key)} = ${inline(value)}\n`)
    .join("")
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`
  if (typeof value !== "object" || value === null) {
    // JSON writes numbers, booleans and strings as TOML does, but for the one character that TOML wants escaped.
    return JSON.stringify(value ?? "").replaceAll("\u007f", "\\u007F")
  }
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)} = ${inline(item)}`)
  return `{ ${entries.join(", ")} }`
}
