import type { OutFile } from "./folder.ts"

/** Keys stand as they are given: whoever calls this writes them in the order of the format. */
export function jsonFile(path: string, value: unknown): OutFile {
  return { path, content: `${JSON.stringify(value, null, 2)}\n` }
}

/** The same with its keys in order, at every depth: a store may give them back in any. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== "object" || value === null) return value
  const keys = Object.keys(value).sort()
  // From entries, because an assignment to the key `__proto__` would not make a property.
  return Object.fromEntries(keys.map((key) => [key, sortKeys((value as Record<string, unknown>)[key])]))
}
