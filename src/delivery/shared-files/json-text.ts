/** JSON as it is written, comments and trailing commas included, with the place of everything in the text. */
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

/** Undefined where it is not JSON, or where a key stands twice in an object, which readers take in different ways. */
export function parseJson(text: string): JsonNode | undefined {
  try {
    const reader = new Reader(text)
    const node = reader.value()
    return reader.isAtEnd() ? node : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }

export function plainValue(node: JsonNode): JsonValue {
  if (node.kind === "scalar") return node.value
  if (node.kind === "array") return node.items.map(plainValue)
  return Object.fromEntries(node.members.map(({ key, value }) => [key, plainValue(value)]))
}

/** The order of keys means nothing. */
export function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return Bun.deepEquals(one, other, true)
}

/** Where the white space and the comments from `at` on end. */
export function skipBlank(text: string, at: number): number {
  BLANK.lastIndex = at
  return BLANK.test(text) ? BLANK.lastIndex : at
}

const BLANK = /(?:[\s\uFEFF]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
const SCALAR = /"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y
/** Deeper than any manifest; a text made to break us ends here. */
const MAX_DEPTH = 100

class Reader {
  private at = 0
  private depth = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  isAtEnd(): boolean {
    return skipBlank(this.text, this.at) === this.text.length
  }

  value(): JsonNode {
    this.at = skipBlank(this.text, this.at)
    const start = this.at
    const open = this.text[start]
    if (open !== "{" && open !== "[") return this.scalar(start)
    if (++this.depth > MAX_DEPTH) throw new SyntaxError("too deep")
    this.at++
    const node = open === "{" ? this.object(start) : this.array(start)
    this.depth--
    return node
  }

  private scalar(start: number): JsonScalar {
    SCALAR.lastIndex = start
    const [raw] = SCALAR.exec(this.text) ?? []
    if (raw === undefined) throw new SyntaxError(`no value at ${start}`)
    this.at = start + raw.length
    return { kind: "scalar", value: JSON.parse(raw), start, end: this.at }
  }

  private object(start: number): JsonObject {
    const members: JsonMember[] = []
    while (!this.isClosedBy("}")) {
      const key = this.scalar(this.at)
      if (typeof key.value !== "string" || members.some((member) => member.key === key.value))
        throw new SyntaxError(`a key that cannot be one at ${key.start}`)
      this.expect(":")
      const value = this.value()
      members.push({ key: key.value, value, start: key.start, end: value.end })
      this.comma("}")
    }
    return { kind: "object", members, start, end: this.at }
  }

  private array(start: number): JsonArray {
    const items: JsonNode[] = []
    while (!this.isClosedBy("]")) {
      items.push(this.value())
      this.comma("]")
    }
    return { kind: "array", items, start, end: this.at }
  }

  private isClosedBy(close: string): boolean {
    this.at = skipBlank(this.text, this.at)
    if (this.text[this.at] !== close) return false
    this.at++
    return true
  }

  private comma(close: string): void {
    this.at = skipBlank(this.text, this.at)
    if (this.text[this.at] !== close) this.expect(",")
  }

  private expect(letter: string): void {
    this.at = skipBlank(this.text, this.at)
    if (this.text[this.at] !== letter) throw new SyntaxError(`no ${letter} at ${this.at}`)
    this.at++
  }
}
