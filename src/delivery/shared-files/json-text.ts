import { type Node, type ParseError, parseTree } from "jsonc-parser"

/** JSON with comments and trailing commas, with the position of every node. */
export type JsonNode = JsonObject | JsonArray | JsonScalar

interface Placed {
  readonly start: number
  readonly end: number
}
export interface JsonMember extends Placed {
  readonly key: string
  readonly value: JsonNode
}
export interface JsonObject extends Placed {
  readonly kind: "object"
  readonly members: readonly JsonMember[]
}
export interface JsonArray extends Placed {
  readonly kind: "array"
  readonly items: readonly JsonNode[]
}
interface JsonScalar extends Placed {
  readonly kind: "scalar"
  readonly value: string | number | boolean | null
}

/** Undefined for invalid JSON, and where an object has a duplicate key, which readers treat differently. */
export function parseJson(text: string): JsonNode | undefined {
  const errors: ParseError[] = []
  try {
    // The parser does not accept a byte order mark. A space keeps all positions.
    const tree = parseTree(text.replace(/^\uFEFF/, " "), errors, { allowTrailingComma: true })
    return tree === undefined || errors.length > 0 ? undefined : toNode(tree)
  } catch (error) {
    if (error instanceof RangeError) return undefined // nested deeper than the stack
    throw error
  }
}

function toNode({ type, offset: start, length, value, children = [] }: Node): JsonNode | undefined {
  const end = start + length
  if (type === "array") {
    const items = children.map(toNode)
    return items.every((item) => item !== undefined) ? { kind: "array", items, start, end } : undefined
  }
  if (type !== "object") return { kind: "scalar", value, start, end }
  const members = children.map(toMember)
  const keys = new Set(members.map((member) => member?.key))
  const isWhole = keys.size === members.length && members.every((member) => member !== undefined)
  return isWhole ? { kind: "object", members, start, end } : undefined
}

function toMember({ offset: start, children: [key, child] = [] }: Node): JsonMember | undefined {
  const value = child === undefined ? undefined : toNode(child)
  return value === undefined ? undefined : { key: key?.value, value, start, end: value.end }
}

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }

export function plainValue(node: JsonNode): JsonValue {
  if (node.kind === "scalar") return node.value
  if (node.kind === "array") return node.items.map(plainValue)
  return Object.fromEntries(node.members.map(({ key, value }) => [key, plainValue(value)]))
}

/** Ignores the order of keys. */
export function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return Bun.deepEquals(one, other, true)
}

/** The end of white space and comments from `at` on. */
export function skipBlank(text: string, at: number): number {
  BLANK.lastIndex = at
  return BLANK.test(text) ? BLANK.lastIndex : at
}

const BLANK = /(?:[\s\uFEFF]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
