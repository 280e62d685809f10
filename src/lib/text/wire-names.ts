/** Fields whose content belongs to somebody else and is passed on as it is. */
const OPAQUE = new Set(["payload", "data"])
/** What an entry of evidence says is part of the entry. */
const MERGED = new Set(["facts"])

/** A value as files and programs see it: the same, with snake_case names. */
export function toWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWire)
  if (typeof value !== "object" || value === null) return value
  const wire: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) {
    if (MERGED.has(key)) Object.assign(wire, toWire(inner))
    else wire[wireName(key)] = OPAQUE.has(key) ? inner : toWire(inner)
  }
  return wire
}

/** The name of one field as files and programs see it. */
export function wireName(key: string): string {
  let name = names.get(key)
  if (name === undefined) {
    name = /[a-z]/.test(key) ? key.replace(/[A-Z]/g, "_$&").toLowerCase() : key
    if (names.size < MOST_NAMES) names.set(key, name)
  }
  return name
}

/** A long list has the same few names again and again. Some are a user's words, so there may be any number. */
const names = new Map<string, string>()
const MOST_NAMES = 1000
