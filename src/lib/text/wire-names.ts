/** Fields with foreign content, which is passed on unchanged. */
const OPAQUE = new Set(["payload", "data"])
/** Facts of evidence become fields of the entry itself. */
const MERGED = new Set(["facts"])

/** A value for files and programs: with snake_case names. */
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

/** The name of a field for files and programs. */
export function wireName(key: string): string {
  let name = names.get(key)
  if (name === undefined) {
    name = /[a-z]/.test(key) ? key.replace(/[A-Z]/g, "_$&").toLowerCase() : key
    if (names.size < MOST_NAMES) names.set(key, name)
  }
  return name
}

/** A cache: long lists repeat the same few names. Limited, because some names are chosen by users. */
const names = new Map<string, string>()
const MOST_NAMES = 1000
