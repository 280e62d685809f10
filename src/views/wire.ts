/** Fields whose content belongs to somebody else and is passed on as it is. */
const OPAQUE = new Set(["payload", "data"])
/** What an entry of evidence says is part of the entry. */
const MERGED = new Set(["facts"])

/** A value as files and programs see it: the same, with snake_case names. */
export function toWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWire)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      MERGED.has(key) ? Object.entries(toWire(inner) ?? {}) : [[snake(key), OPAQUE.has(key) ? inner : toWire(inner)]],
    ),
  )
}

function snake(key: string): string {
  return /^[A-Z_]+$/.test(key) ? key : key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
