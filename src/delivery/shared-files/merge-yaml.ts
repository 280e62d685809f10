import { type Document, parseDocument } from "yaml"
import { chooseVersion } from "./choose-version.ts"
import { isSame, type JsonValue } from "./json-text.ts"
import type { Decide, MergeRule, Undecided } from "./shared-file.ts"

/** Merges YAML by keys into the merged text. Lists of plain values are sets. */
export const mergeYaml: MergeRule = (sides, decide) => {
  const [base, ours, theirs] = [sides.base, sides.ours, sides.theirs].map((text) => parseDocument(text))
  if (base === undefined || ours === undefined || theirs === undefined) return undefined
  if ([base, ours, theirs].some((each) => each.errors.length > 0)) return undefined
  const [was, mine, other] = [base, ours, theirs].map((each) => (each.toJS() ?? {}) as JsonValue)
  if (!isMap(was) || !isMap(mine) || !isMap(other)) return undefined
  const work: Work = { ours, theirs, decide, undecided: [] }
  mergeMaps(work, [], { was, mine, other })
  if (work.undecided.length > 0) return { undecided: work.undecided }
  const text = ours.toString({ lineWidth: 0 })
  return { text: sides.ours.includes("\r\n") ? text.replaceAll(/\r?\n/g, "\r\n") : text }
}

interface Work {
  readonly ours: Document
  readonly theirs: Document
  readonly decide: Decide
  readonly undecided: Undecided[]
}

type Values = Readonly<Record<string, JsonValue>>

function isMap(value: JsonValue | undefined): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function mergeMaps(
  work: Work,
  path: readonly string[],
  { was, mine, other }: Record<"was" | "mine" | "other", Values>,
) {
  for (const key of new Set([...Object.keys(was), ...Object.keys(other)])) {
    const [b, o, t] = [was[key], mine[key], other[key]]
    const here = [...path, key]
    if (isSame(t, b) || isSame(t, o)) continue
    if (isSame(o, b)) take(work, here)
    else if (isMap(o) && isMap(t) && (b === undefined || isMap(b)))
      mergeMaps(work, here, { was: b ?? {}, mine: o, other: t })
    else if (Array.isArray(o) && Array.isArray(t) && (b === undefined || Array.isArray(b)))
      mergeLists(work, here, [b ?? [], o, t])
    else choose(work, here, [b, o, t])
  }
}

function take({ ours, theirs }: Work, path: readonly string[]): void {
  if (theirs.hasIn(path)) ours.setIn(path, theirs.getIn(path, true))
  else ours.deleteIn(path)
}

function mergeLists({ ours }: Work, path: readonly string[], lists: readonly (readonly JsonValue[])[]): void {
  const [was = [], mine = [], other = []] = lists
  const has = (list: readonly JsonValue[], item: JsonValue) => list.some((each) => isSame(each, item))
  for (const [index, item] of [...mine.entries()].reverse())
    if (has(was, item) && !has(other, item)) ours.deleteIn([...path, index])
  for (const item of other) if (!has(was, item) && !has(mine, item)) ours.addIn(path, ours.createNode(item))
}

function choose(work: Work, path: readonly string[], values: readonly (JsonValue | undefined)[]): void {
  const [b, o, t] = values
  const text = (value: JsonValue | undefined) =>
    value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value)
  const asked = { key: path.join("."), base: text(b), ours: text(o), theirs: text(t) }
  const version = typeof o === "string" && typeof t === "string" ? chooseVersion(o, t) : undefined
  const side = version === undefined ? work.decide(asked) : version === o ? "ours" : "theirs"
  if (side === undefined) work.undecided.push(asked)
  else if (side === "theirs") take(work, path)
}

export function isYaml(text: string): boolean {
  return parseDocument(text).errors.length === 0
}
