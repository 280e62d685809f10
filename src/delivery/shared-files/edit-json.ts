import { type JsonArray, type JsonMember, type JsonNode, type JsonObject, parseJson, skipBlank } from "./json-text.ts"

export type JsonPath = readonly string[]

export function findNode(root: JsonNode | undefined, path: JsonPath): JsonNode | undefined {
  let node = root
  for (const key of path) {
    if (node?.kind !== "object") return undefined
    node = node.members.find((member) => member.key === key)?.value
  }
  return node
}

/**
 * Sets `raw` at the path and leaves all other text as it is. A new key goes behind `behind`, or to its place in a
 * sorted object. Undefined where there is no object to put it in.
 */
export function setMember(text: string, path: JsonPath, raw: string, behind?: string): string | undefined {
  const root = parseJson(text)
  const parent = findNode(root, path.slice(0, -1))
  const key = path.at(-1)
  if (root === undefined || parent?.kind !== "object" || key === undefined) return undefined
  const value = fitNewlines(raw, text)
  const member = parent.members.find((each) => each.key === key)
  if (member !== undefined) return splice(text, member.value, value)
  return insert(text, parent.members, {
    ...{
      open: parent.start,
      close: parent.end - 1,
      indent: indentOf(text, root),
      raw: `${JSON.stringify(key)}: ${value}`,
    },
    index: placeFor(parent, key, behind),
  })
}

export function removeMember(text: string, path: JsonPath): string | undefined {
  const parent = findNode(parseJson(text), path.slice(0, -1))
  if (parent?.kind !== "object") return undefined
  const index = parent.members.findIndex((member) => member.key === path.at(-1))
  return index === -1 ? text : remove(text, parent.members, index, parent)
}

export function addItem(text: string, path: JsonPath, raw: string): string | undefined {
  const root = parseJson(text)
  const list = findNode(root, path)
  if (root === undefined || list?.kind !== "array") return undefined
  const place = { open: list.start, close: list.end - 1, indent: indentOf(text, root), raw, index: list.items.length }
  return insert(text, list.items, place)
}

export function removeItem(text: string, path: JsonPath, isIt: (item: JsonNode) => boolean): string | undefined {
  const list = findNode(parseJson(text), path)
  if (list?.kind !== "array") return undefined
  const index = list.items.findIndex(isIt)
  return index === -1 ? text : remove(text, list.items, index, list)
}

/** Lists of dependencies are mostly sorted by name. */
function placeFor({ members }: JsonObject, key: string, behind: string | undefined): number {
  const keys = members.map((member) => member.key)
  const isSorted = keys.length > 1 && keys.every((each, at) => at === 0 || (keys[at - 1] ?? "") < each)
  if (isSorted) {
    const next = keys.findIndex((each) => each > key)
    return next === -1 ? keys.length : next
  }
  const at = behind === undefined ? -1 : keys.indexOf(behind)
  return at === -1 ? keys.length : at + 1
}

type Spot = Pick<JsonMember, "start" | "end">

interface Insertion {
  /** The positions of the brackets. */
  readonly open: number
  readonly close: number
  readonly indent: string
  readonly raw: string
  readonly index: number
}

function insert(text: string, spots: readonly Spot[], { open, close, indent, raw, index }: Insertion): string {
  const newline = newlineOf(text)
  const [first, last] = [spots[0], spots.at(-1)]
  if (first === undefined || last === undefined) {
    const outer = lineIndent(text, open)
    const inner = text.slice(open + 1, close).trimEnd()
    return `${text.slice(0, open + 1)}${inner}${newline}${outer}${indent}${raw}${newline}${outer}${text.slice(close)}`
  }
  const isWrapped = text.slice(open, first.start).includes("\n")
  const gap = isWrapped ? `${newline}${lineIndent(text, first.start)}` : " "
  const before = spots[index - 1]
  if (before === undefined) return `${text.slice(0, first.start)}${raw},${gap}${text.slice(first.start)}`
  const comma = skipBlank(text, before.end)
  const hasComma = text[comma] === ","
  const end = restOfLine(text, hasComma ? comma + 1 : before.end)
  const gone = hasComma ? text.slice(before.end, end) : `,${text.slice(before.end, end)}`
  return `${text.slice(0, before.end)}${gone}${gap}${raw}${hasComma ? "," : ""}${text.slice(end)}`
}

function remove(text: string, spots: readonly Spot[], index: number, { start, end }: JsonObject | JsonArray): string {
  const [spot, next, before] = [spots[index], spots[index + 1], spots[index - 1]]
  if (spot === undefined) return text
  if (next !== undefined) return text.slice(0, spot.start) + text.slice(next.start)
  if (before === undefined) return `${text.slice(0, start + 1)}${text.slice(end - 1)}`
  return text.slice(0, before.end) + text.slice(spot.end)
}

/** A comment behind an entry stays with it. */
function restOfLine(text: string, at: number): number {
  REMARK.lastIndex = at
  return REMARK.test(text) ? REMARK.lastIndex : at
}

const REMARK = /[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)/y

function splice(text: string, { start, end }: JsonNode, value: string): string {
  return `${text.slice(0, start)}${value}${text.slice(end)}`
}

function lineIndent(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at)
  return /^[ \t]*/.exec(line)?.[0] ?? ""
}

function indentOf(text: string, root: JsonNode): string {
  const first = root.kind === "object" ? root.members[0] : undefined
  return (first === undefined ? "" : lineIndent(text, first.start)) || "  "
}

function newlineOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n"
}

function fitNewlines(raw: string, text: string): string {
  return raw.replaceAll(/\r?\n/g, newlineOf(text))
}
