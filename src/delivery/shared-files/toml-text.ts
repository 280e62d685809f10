/** One `key = value` with all lines of its value. */
export interface TomlEntry {
  readonly key: string
  /** Without a comment behind it. */
  readonly value: string
  readonly lines: readonly string[]
}

/** A table with its entries. The lines before the first header are a table without a name. */
export interface TomlTable {
  /** Empty before the first header. */
  readonly name: string
  /** A table of an array, such as `[[bin]]`. */
  readonly isItem: boolean
  /** The header with the comments above it. */
  readonly head: readonly string[]
  readonly parts: readonly (TomlEntry | { readonly remark: string })[]
}

/** Undefined for invalid TOML. */
export function parseToml(text: string): TomlTable[] | undefined {
  try {
    Bun.TOML.parse(text)
  } catch {
    return undefined // whatever its reader throws, it is none
  }
  const tables: TomlTable[] = [{ name: "", isItem: false, head: [], parts: [] }]
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ""
    const table = tables.at(-1) as TomlTable & { parts: TomlTable["parts"][number][] }
    const header = /^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/.exec(line)
    if (header !== null) {
      tables.push({
        name: plainName(header[2] ?? ""),
        isItem: header[1] === "[[",
        head: [...takeRemarks(table), line],
        parts: [],
      })
      at++
      continue
    }
    const entry = readEntry(lines, at)
    table.parts.push(entry ?? { remark: line })
    at += entry?.lines.length ?? 1
  }
  return tables
}

export function formatToml(tables: readonly TomlTable[]): string {
  const lines = tables.flatMap(({ head, parts }) => [
    ...head,
    ...parts.flatMap((part) => ("remark" in part ? [part.remark] : part.lines)),
  ])
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`
}

/** Comments right above a header belong to it. */
function takeRemarks(table: { parts: TomlTable["parts"][number][] }): string[] {
  const taken: string[] = []
  for (let last = table.parts.at(-1); last !== undefined && "remark" in last; last = table.parts.at(-1)) {
    if (last.remark.trim() === "") break
    taken.unshift(last.remark)
    table.parts.pop()
  }
  return taken
}

function readEntry(lines: readonly string[], at: number): TomlEntry | undefined {
  const first = lines[at] ?? ""
  const match = /^\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=/.exec(first)
  if (match === null) return undefined
  for (let end = at + 1; end <= lines.length; end++) {
    const taken = lines.slice(at, end)
    const value = taken.join("\n").slice(match[0].length)
    if (isWhole(value)) return { key: plainName(match[1] ?? ""), value: withoutRemark(value).trim(), lines: taken }
  }
  return undefined
}

/** All brackets and quotes are closed. */
function isWhole(value: string): boolean {
  try {
    Bun.TOML.parse(`value =${value}\n`)
    return true
  } catch {
    return false // it goes on in the next line
  }
}

/** Comments inside a value of several lines are part of it. */
function withoutRemark(value: string): string {
  if (value.includes("\n")) return value.replace(/(\n\s*[\]}]+)\s*#[^\n]*$/, "$1")
  const end = /^(?:[^"'#]|"(?:[^"\\]|\\.)*"|'[^']*')*/.exec(value)?.[0]
  return end ?? value
}

function plainName(name: string): string {
  return name
    .split(".")
    .map((part) => part.trim().replaceAll(/^["']|["']$/g, ""))
    .join(".")
}
