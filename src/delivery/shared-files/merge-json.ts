import { chooseVersion } from "./choose-version.ts"
import { addItem, findNode, type JsonPath, removeItem, removeMember, setMember } from "./edit-json.ts"
import { isSame, type JsonNode, type JsonObject, type JsonValue, parseJson, plainValue } from "./json-text.ts"
import type { Decide, MergeRule, Sides, TextMerge, Undecided } from "./shared-file.ts"

/**
 * Merges JSON key by key: writes the task's changes into the merged text, which keeps its formatting. Both sides
 * may add to the same object or list. Undefined where one text is no JSON object.
 */
export const mergeJson: MergeRule = (sides, decide) => {
  const base = parseJson(sides.base.trim() === "" ? "{}" : sides.base)
  const [ours, theirs] = [parseJson(sides.ours), parseJson(sides.theirs)]
  if (base?.kind !== "object" || ours?.kind !== "object" || theirs?.kind !== "object") return undefined
  const work: Work = { sides, decide, theirs, text: sides.ours, expected: plainValue(ours), undecided: [] }
  mergeObjects(work, [], { base, ours, theirs })
  if (work.undecided.length > 0) return { undecided: work.undecided }
  return checked(work)
}

interface Work {
  readonly sides: Sides
  readonly decide: Decide
  readonly theirs: JsonObject
  text: string
  /** The value that the merged text must have. */
  expected: JsonValue
  readonly undecided: Undecided[]
}

interface Three<Node> {
  readonly base: Node
  readonly ours: Node
  readonly theirs: Node
}

/** A wrong text is worse than a question. */
function checked({ text, expected }: Work): TextMerge | undefined {
  const now = parseJson(text)
  return now !== undefined && isSame(plainValue(now), expected) ? { text } : undefined
}

function mergeObjects(work: Work, path: JsonPath, { base, ours, theirs }: Three<JsonObject>): void {
  const keys = new Set([...base.members, ...theirs.members].map((member) => member.key))
  let behind: string | undefined
  for (const key of [...keys].sort(inOrderOf(theirs))) {
    const of = (node: JsonObject) => node.members.find((member) => member.key === key)?.value
    mergeMember(work, [...path, key], { base: of(base), ours: of(ours), theirs: of(theirs), behind })
    behind = key
  }
}

function inOrderOf({ members }: JsonObject): (a: string, b: string) => number {
  const places = new Map(members.map(({ key }, index) => [key, index]))
  return (a, b) => (places.get(a) ?? -1) - (places.get(b) ?? -1)
}

interface Member extends Three<JsonNode | undefined> {
  readonly behind: string | undefined
}

function mergeMember(work: Work, path: JsonPath, member: Member): void {
  const { base, ours, theirs } = member
  const [was, is, wanted] = [base, ours, theirs].map((node) => (node === undefined ? undefined : plainValue(node)))
  if (isSame(wanted, was) || isSame(wanted, is)) return
  if (isSame(is, was)) take(work, path, member)
  else if (ours?.kind === "object" && theirs?.kind === "object" && (base === undefined || base.kind === "object"))
    mergeObjects(work, path, { base: base ?? EMPTY, ours, theirs })
  else if (areLists(ours, theirs) && (base === undefined || base.kind === "array")) mergeLists(work, path, member)
  else choose(work, path, { ...member, version: isDependency(path) ? higher(is, wanted) : undefined })
}

function choose(
  work: Work,
  path: JsonPath,
  member: Member & { readonly version: "ours" | "theirs" | undefined },
): void {
  const undecided = {
    key: path.join("."),
    base: rawOf(work, "base", member.base),
    ours: rawOf(work, "ours", member.ours),
    theirs: rawOf(work, "theirs", member.theirs),
  }
  const chosen = member.version ?? work.decide(undecided)
  if (chosen === undefined) work.undecided.push(undecided)
  else if (chosen === "theirs") take(work, path, member)
}

const EMPTY: JsonObject = { kind: "object", members: [], start: 0, end: 0 }

function areLists(ours: JsonNode | undefined, theirs: JsonNode | undefined): boolean {
  return [ours, theirs].every((node) => node?.kind === "array" && node.items.every((item) => item.kind === "scalar"))
}

/** Lists are sets: additions stay, removals go. */
function mergeLists(work: Work, path: JsonPath, { base, ours, theirs }: Member): void {
  const items = (node: JsonNode | undefined) => (node?.kind === "array" ? node.items : [])
  const has = (list: readonly JsonNode[], item: JsonNode) =>
    list.some((each) => isSame(plainValue(each), plainValue(item)))
  const added = items(theirs).filter((item) => !has(items(base), item) && !has(items(ours), item))
  const removed = items(base).filter((item) => !has(items(theirs), item) && has(items(ours), item))
  for (const item of added) apply(work, addItem(work.text, path, rawOf(work, "theirs", item) ?? ""))
  // Remove every occurrence.
  for (const item of items(ours).filter((each) => has(removed, each)))
    apply(
      work,
      removeItem(work.text, path, (each) => isSame(plainValue(each), plainValue(item))),
    )
  const kept = items(ours).filter((item) => !has(removed, item))
  expect(work, path, [...kept, ...added].map(plainValue))
}

function take(work: Work, path: JsonPath, { theirs, behind }: Member): void {
  const raw = rawOf(work, "theirs", theirs)
  apply(work, raw === null ? removeMember(work.text, path) : setMember(work.text, path, raw, behind))
  expect(work, path, theirs === undefined ? undefined : plainValue(theirs))
}

/** After an edit that found no place, `checked` fails. */
function apply(work: Work, text: string | undefined): void {
  if (text !== undefined) work.text = text
}

function expect(work: Work, path: JsonPath, value: JsonValue | undefined): void {
  work.expected = withValue(work.expected, path, value)
}

function withValue(into: JsonValue | undefined, path: JsonPath, value: JsonValue | undefined): JsonValue {
  const [key, ...rest] = path
  const object = (into ?? {}) as Record<string, JsonValue>
  if (key === undefined) return value ?? null
  if (rest.length > 0) return { ...object, [key]: withValue(object[key], rest, value) }
  const { [key]: _, ...others } = object
  return value === undefined ? others : { ...object, [key]: value }
}

function rawOf({ sides }: Work, side: keyof Sides, node: JsonNode | undefined): string | null {
  return node === undefined ? null : sides[side].slice(node.start, node.end)
}

/** Of npm, Deno and Composer. */
const DEPENDENCIES =
  /^(?:(?:dev|peer|optional)?dependencies|overrides|resolutions|require|require-dev|engines|imports)$/i

function isDependency(path: JsonPath): boolean {
  return path.slice(0, -1).some((key) => DEPENDENCIES.test(key))
}

function higher(ours: JsonValue | undefined, theirs: JsonValue | undefined): "ours" | "theirs" | undefined {
  if (typeof ours !== "string" || typeof theirs !== "string") return undefined
  const version = chooseVersion(ours, theirs)
  return version === undefined ? undefined : version === ours ? "ours" : "theirs"
}

export function isJson(text: string): boolean {
  return findNode(parseJson(text), []) !== undefined
}
