import type { OutFile } from "./folder.ts"

/** Keys stand as they are given: whoever calls this writes them in the order of the format. */
export function jsonFile(path: string, value: unknown): OutFile {
  return { path, content: `${JSON.stringify(value, null, 2)}\n` }
}

/** The same with its keys in order, at every depth: a store may give them back in any. */
export function sortKeys<Value extends object>(value: Value): Value {
  if (Array.isArray(value)) return value.map(sortDeep) as Value
  const entries: [string, unknown][] = Object.entries(value)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  // From entries, because an assignment to the key `__proto__` would not make a property.
  return Object.fromEntries(entries.map(([key, each]) => [key, sortDeep(each)])) as Value
}

function sortDeep(value: unknown): unknown {
  return typeof value === "object" && value !== null ? sortKeys(value) : value
}
