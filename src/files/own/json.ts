import type { OutFile } from "./folder.ts"

export function jsonFile(path: string, value: unknown): OutFile {
  return { path, content: `${JSON.stringify(value, null, 2)}\n` }
}

/** Sorts at every depth: a store may return keys in any order. */
export function sortKeys<Value extends object>(value: Value): Value {
  if (Array.isArray(value)) return value.map(sortDeep) as Value
  const entries: [string, unknown][] = Object.entries(value)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  // From entries, because assigning to `__proto__` makes no property.
  return Object.fromEntries(entries.map(([key, each]) => [key, sortDeep(each)])) as Value
}

function sortDeep(value: unknown): unknown {
  return typeof value === "object" && value !== null ? sortKeys(value) : value
}
