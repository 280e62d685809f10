/** Where things stand in a JSON text: the line of every key, or the first place where it stops being JSON. */
export type JsonPositions =
  | { readonly ok: true; lineOf(path: readonly string[]): number | undefined }
  | { readonly ok: false; readonly line: number; readonly column: number; readonly problem: string }

/**
 * Reads exactly the language of `JSON.parse`, but remembers positions. Use it after `JSON.parse` failed or when a line
 * number is wanted: it is far slower. Lines and columns start at 1, a column is one character. Of a key that is given
 * twice the last one counts, as for `JSON.parse`; elements of arrays have their index as key.
 */
export function readJsonPositions(text: string): JsonPositions {
  const reader: Reader = { text, at: 0, path: [], offsets: new Map() }
  try {
    readValue(reader)
    skipSpace(reader)
    if (reader.at < text.length) fail(reader, "the end of the file")
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { ok: false, ...positionOf(text, error.at), problem: error.message }
  }
  return {
    ok: true,
    lineOf(path) {
      const offset = reader.offsets.get(JSON.stringify(path))
      return offset === undefined ? undefined : positionOf(text, offset).line
    },
  }
}

type Reader = { readonly text: string; at: number; readonly path: string[]; readonly offsets: Map<string, number> }

class Fault extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

// Far beyond any file a person writes, and far below what the call stack holds.
const DEEPEST_NESTING = 500

// Below it are the control characters, which a string may hold only escaped.
const FIRST_PRINTABLE = 0x20

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /[\p{L}\p{N}_$]+/uy
const SPACE = /[ \t\n\r]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

function readValue(reader: Reader): void {
  if (reader.path.length > DEEPEST_NESTING) throw new Fault(reader.at, "nested too deeply")
  skipSpace(reader)
  const next = reader.text[reader.at]
  if (next === "{") readObject(reader)
  else if (next === "[") readArray(reader)
  else if (next === '"') readString(reader)
  else if (take(reader, NUMBER) === "") readLiteral(reader)
}

function readObject(reader: Reader): void {
  reader.at++
  skipSpace(reader)
  if (takeCharacter(reader, "}")) return
  do {
    skipSpace(reader)
    if (reader.text[reader.at] !== '"') fail(reader, "a key in double quotes")
    const offset = reader.at
    reader.path.push(readString(reader))
    reader.offsets.set(JSON.stringify(reader.path), offset)
    skipSpace(reader)
    if (!takeCharacter(reader, ":")) fail(reader, "a colon after the key")
    readValue(reader)
    reader.path.pop()
    skipSpace(reader)
  } while (takeCharacter(reader, ","))
  if (!takeCharacter(reader, "}")) fail(reader, 'a comma or "}"')
}

function readArray(reader: Reader): void {
  reader.at++
  skipSpace(reader)
  if (takeCharacter(reader, "]")) return
  let index = 0
  do {
    skipSpace(reader)
    reader.path.push(String(index++))
    reader.offsets.set(JSON.stringify(reader.path), reader.at)
    readValue(reader)
    reader.path.pop()
    skipSpace(reader)
  } while (takeCharacter(reader, ","))
  if (!takeCharacter(reader, "]")) fail(reader, 'a comma or "]"')
}

function readString(reader: Reader): string {
  const start = reader.at
  reader.at++
  while (!takeCharacter(reader, '"')) {
    const code = reader.text.charCodeAt(reader.at)
    if (Number.isNaN(code) || code < FIRST_PRINTABLE) fail(reader, "a closing quote")
    if (reader.text[reader.at] !== "\\") reader.at++
    else if (take(reader, ESCAPE) === "") fail(reader, "an escape such as \\n or \\u0041")
  }
  return String(JSON.parse(reader.text.slice(start, reader.at)))
}

function readLiteral(reader: Reader): void {
  const word = peek(reader, WORD)
  if (word !== "true" && word !== "false" && word !== "null") fail(reader, "a value")
  reader.at += word.length
}

function skipSpace(reader: Reader): void {
  take(reader, SPACE)
}

function takeCharacter(reader: Reader, character: string): boolean {
  if (reader.text[reader.at] !== character) return false
  reader.at++
  return true
}

function take(reader: Reader, pattern: RegExp): string {
  const found = peek(reader, pattern)
  reader.at += found.length
  return found
}

function peek(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at
  return pattern.exec(reader.text)?.[0] ?? ""
}

function fail(reader: Reader, expected: string): never {
  throw new Fault(reader.at, `expected ${expected}, found ${describeNext(reader)}`)
}

function describeNext(reader: Reader): string {
  const code = reader.text.codePointAt(reader.at)
  if (code === undefined) return "the end of the file"
  if (code === 0x0a || code === 0x0d) return "the end of the line"
  if (code < FIRST_PRINTABLE) return `the control character U+${code.toString(16).toUpperCase().padStart(4, "0")}`
  if (reader.text.startsWith("//", reader.at) || reader.text.startsWith("/*", reader.at)) return "a comment"
  const word = peek(reader, WORD)
  if (word !== "") return word.length > 20 ? `${word.slice(0, 20)}...` : word
  const character = String.fromCodePoint(code)
  return character === '"' ? "a double quote" : `"${character}"`
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const lines = before.split(/\r\n|\n|\r/)
  return { line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1 }
}
