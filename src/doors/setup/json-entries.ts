/**
 * Adds entries to a JSON text and removes them again, without changing any other byte. The text itself shows what
 * to undo: in a container that we made, the first entry begins on its own line; in one that was there and empty, it
 * follows the bracket at once.
 */
export interface JsonEntry {
  /** Names of the objects around it, outermost first. Missing ones are made. */
  readonly path: readonly string[]
  /** Absent for an item of a list. */
  readonly key?: string
  readonly value: unknown
}

export class JsonRefusal extends Error {}

/** `text` is valid JSON; null where there is no file. */
export function addEntry(text: string | null, entry: JsonEntry): string {
  if (text === null) return `${JSON.stringify(nest(entry.path, entry), null, 2)}\n`
  const { nodes, missing } = walk(text, entry)
  const container = nodes.at(-1) ?? scan(text, 0)
  if (missing.length === 0 && findEntry(text, container, entry) !== undefined) return text
  const [name = entry.key, ...inner] = missing
  const value = missing.length === 0 ? entry.value : nest(inner, entry)
  const depth = nodes.length
  const shown = JSON.stringify(value, null, 2).replaceAll("\n", `\n${"  ".repeat(depth)}`)
  const member = name === undefined ? shown : `${JSON.stringify(name)}: ${shown}`
  const last = container.entries.at(-1)
  if (last === undefined) return splice(text, container.start + 1, container.start + 1, member)
  return splice(text, last.node.end, last.node.end, `,\n${"  ".repeat(depth)}${member}`)
}

/** Null when only our containers are left, so that the file can be deleted. */
export function removeEntry(text: string, entry: JsonEntry): string | null {
  const { nodes, missing } = walk(text, entry)
  let container = nodes.at(-1)
  if (missing.length > 0 || container === undefined) return text
  let found = findEntry(text, container, entry)
  if (found === undefined) return text
  for (let level = nodes.length - 2; container.entries.length === 1 && isOurs(container); level--) {
    const outer: Node | undefined = nodes[level]
    if (outer === undefined) return null
    const inner = container
    found = outer.entries.find(({ node }) => node.start === inner.start)
    if (found === undefined) return text
    container = outer
  }
  return cut(text, container, found)
}

interface Node {
  readonly start: number
  end: number
  readonly kind: "object" | "list" | "value"
  readonly entries: Entry[]
}

interface Entry {
  readonly key: string | null
  readonly start: number
  readonly node: Node
}

function nest(path: readonly string[], { key, value }: JsonEntry): unknown {
  const inner = key === undefined ? [value] : { [key]: value }
  return path.reduceRight<unknown>((content, name) => ({ [name]: content }), inner)
}

/** The containers on the path, and the missing names. */
function walk(text: string, { path, key }: JsonEntry): { nodes: Node[]; missing: readonly string[] } {
  const nodes = [scan(text, 0)]
  for (const [index, name] of path.entries()) {
    const outer = expectKind(nodes.at(-1), "object", path.slice(0, index))
    const next = outer.entries.findLast((each) => each.key === name)?.node
    if (next === undefined) return { nodes, missing: path.slice(index) }
    nodes.push(next)
  }
  expectKind(nodes.at(-1), key === undefined ? "list" : "object", path)
  return { nodes, missing: [] }
}

function expectKind(node: Node | undefined, kind: Node["kind"], path: readonly string[]): Node {
  if (node?.kind === kind) return node
  throw new JsonRefusal(`${path.length === 0 ? "it" : path.join(".")} is no ${kind}`)
}

function findEntry(text: string, container: Node, { path, key, value }: JsonEntry): Entry | undefined {
  const isSame = ({ node }: Entry) => Bun.deepEquals(JSON.parse(text.slice(node.start, node.end)), value)
  if (key === undefined) return container.entries.findLast(isSame)
  const found = container.entries.findLast((each) => each.key === key)
  if (found !== undefined && !isSame(found))
    throw new JsonRefusal(`${[...path, key].join(".")} is there and reads otherwise`)
  return found
}

function isOurs({ start, entries }: Node): boolean {
  return entries[0] !== undefined && entries[0].start > start + 1
}

function cut(text: string, { start, entries }: Node, entry: Entry): string {
  const index = entries.indexOf(entry)
  const next = entries[index + 1]
  if (index > 0) return splice(text, entries[index - 1]?.node.end ?? 0, entry.node.end)
  return next === undefined ? splice(text, start + 1, entry.node.end) : splice(text, entry.start, next.start)
}

function splice(text: string, from: number, to: number, inserted = ""): string {
  return text.slice(0, from) + inserted + text.slice(to)
}

const SPACE = /[ \t\n\r]*/y
const STRING = /"(?:[^"\\]|\\.)*"/y
const WORD = /[^\s,\]}]+/y

/** The text must be valid JSON. */
function scan(text: string, from: number): Node {
  let at = from
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const [found = ""] = pattern.exec(text) ?? []
    at += found.length
    return found
  }
  const value = (): Node => {
    const start = at
    const open = text[at]
    if (open !== "{" && open !== "[") {
      take(open === '"' ? STRING : WORD)
      return { start, end: at, kind: "value", entries: [] }
    }
    const node: Node = { start, end: at, kind: open === "{" ? "object" : "list", entries: [] }
    for (at++, take(SPACE); text[at] !== "}" && text[at] !== "]"; take(SPACE)) {
      const first = at
      const key = node.kind === "object" ? (JSON.parse(take(STRING)) as string) : null
      if (key !== null) at = text.indexOf(":", at) + 1
      take(SPACE)
      node.entries.push({ key, start: first, node: value() })
      take(SPACE)
      if (text[at] === ",") at++
    }
    node.end = ++at
    return node
  }
  take(SPACE)
  return value()
}
