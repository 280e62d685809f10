import { type Document, isMap, isNode, isPair, LineCounter, type Node, parseDocument, visit } from "yaml"
import type { PlanPath } from "../plan.ts"
import { type PlanDocument, type Position, START } from "./document-reader.ts"

/** JSON is YAML too. */
export function readYaml(text: string): PlanDocument {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const faults = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    ...at(pos[0]),
    message: message.replaceAll(/\s+/g, " "),
  }))
  const placeOf = (path: PlanPath): Position => {
    const place = findPlace(document.contents, path)
    return place === undefined ? START : at(place)
  }
  if (faults.length > 0) return { value: undefined, faults, placeOf }
  try {
    return { value: document.toJS(), faults, placeOf }
  } catch (error) {
    // An alias without an anchor, or too many aliases.
    const place = findLooseAlias(document)
    const message = error instanceof Error ? error.message : String(error)
    return { value: undefined, faults: [{ ...(place === undefined ? START : at(place)), message }], placeOf }
  }
}

function findLooseAlias(document: Document): number | undefined {
  let place: number | undefined
  visit(document, {
    Alias(_, node) {
      if (node.resolve(document) !== undefined) return undefined
      place = startOf(node)
      return visit.BREAK
    },
  })
  return place
}

/** Of the last existing part of the path; of a field, the offset of its name. */
function findPlace(root: unknown, path: PlanPath): number | undefined {
  let node = root
  let place = startOf(root)
  for (const part of path) {
    const pair = isMap(node) ? node.items.find((each) => isPair(each) && keyOf(each.key) === String(part)) : undefined
    const next = isMap(node) ? pair?.value : childOf(node, part)
    if (next === undefined && pair === undefined) return place
    place = startOf(pair?.key ?? next) ?? place
    node = next
  }
  return place
}

function childOf(node: unknown, part: string | number): unknown {
  const { items } = isNode(node) && "items" in node ? (node as { items: unknown }) : { items: [] }
  return Array.isArray(items) ? items[Number(part)] : undefined
}

function keyOf(key: unknown): string {
  return String(isNode(key) && "value" in key ? (key as { value: unknown }).value : key)
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? ((node as Node).range?.[0] ?? undefined) : undefined
}
