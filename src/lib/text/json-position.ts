import { type Document, isCollection, isMap, isNode, isPair, isScalar, type Node, parseDocument, visit } from "yaml"

/** The line of every key in a JSON text, or the place where it stops being JSON. Lines and columns start at 1. */
export type JsonPositions =
  | { readonly ok: true; lineOf(path: readonly string[]): number | undefined }
  | { readonly ok: false; readonly line: number; readonly column: number; readonly problem: string }

/**
 * Use it for messages only: `JSON.parse` is far faster. JSON is YAML, so the YAML parser knows the positions. Of a
 * repeated key the last one counts, as for `JSON.parse`; elements of arrays have their index as key.
 */
export function readJsonPositions(text: string): JsonPositions {
  try {
    JSON.parse(text)
  } catch (error) {
    const problem = error instanceof Error ? error.message.replace(/^JSON Parse error: /, "") : String(error)
    return { ok: false, ...positionOf(text, findFault(text)), problem }
  }
  const { contents } = parseJson(text)
  return {
    ok: true,
    lineOf(path) {
      const offset = path.length === 0 ? undefined : findKey(contents, path)
      return offset === undefined ? undefined : positionOf(text, offset).line
    },
  }
}

function parseJson(text: string): Document.Parsed {
  return parseDocument(text, { schema: "json", prettyErrors: false, uniqueKeys: false })
}

function findKey(node: unknown, [key, ...rest]: readonly string[]): number | undefined {
  if (!isCollection(node)) return undefined
  const item = isMap(node)
    ? node.items.findLast((pair) => isScalar(pair.key) && pair.key.value === key)
    : node.items[Number(key)]
  const found = isPair(item) ? item.key : item
  if (rest.length > 0) return findKey(isPair(item) ? item.value : item, rest)
  return isNode(found) ? found.range?.[0] : undefined
}

const MAX_SEARCHED = 20_000

/** Where a text that is not JSON is wrong, as an offset: the first error of YAML, or the first thing that only YAML allows. */
function findFault(text: string): number {
  // The parser takes seconds for deep nesting, which a hostile file may have.
  if (text.length > MAX_SEARCHED) return 0
  let document: Document.Parsed
  try {
    document = parseJson(text)
  } catch {
    // Nested deeper than the parser can go.
    return 0
  }
  const faults = document.errors.map(({ pos }) => pos[0])
  visit(document, (_, node) => {
    if (isNode(node)) faults.push(...onlyYaml(text, node))
  })
  return faults.length === 0 ? 0 : Math.min(...faults)
}

/** Single quotes, line breaks in a text, block style, and a comma after the last item. */
function onlyYaml(text: string, node: Node): number[] {
  const [start = 0, end = 0] = node.range ?? []
  if (isScalar(node)) {
    const control = text.slice(start, end).search(/\p{Cc}/u)
    if (node.type === "QUOTE_SINGLE") return [start]
    return node.type === "QUOTE_DOUBLE" && control !== -1 ? [start + control] : []
  }
  if (!isCollection(node)) return []
  if (node.flow !== true) return [start]
  const last: unknown = node.items.at(-1)
  const value = isPair(last) ? (last.value ?? last.key) : last
  const from = isNode(value) ? (value.range?.[1] ?? start) : start
  const comma = text.slice(from, end).indexOf(",")
  return comma === -1 ? [] : [from + comma]
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\n/)
  return { line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1 }
}
