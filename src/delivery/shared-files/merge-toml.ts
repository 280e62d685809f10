import { chooseVersion } from "./choose-version.ts"
import type { Decide, MergeRule, Undecided } from "./shared-file.ts"
import { formatToml, parseToml, type TomlEntry, type TomlTable } from "./toml-text.ts"

/**
 * Merges TOML by tables and keys, in the merged text. Lists of plain strings are sets. Undefined for invalid TOML,
 * and where both sides changed something other than keys.
 */
export const mergeToml: MergeRule = ({ base, ours, theirs }, decide) => {
  const newline = ours.includes("\r\n") ? "\r\n" : "\n"
  const [was, mine, other] = [base, ours, theirs].map((text) => parseToml(text.replaceAll("\r\n", "\n")))
  if (was === undefined || mine === undefined || other === undefined) return undefined
  const work: Work = { decide, undecided: [], tables: [...mine] }
  const keys = new Set([...was, ...other].map(keyOf))
  for (const key of keys) mergeTable(work, key, { was: find(was, key), theirs: find(other, key), all: other })
  if (work.undecided.length > 0) return { undecided: work.undecided }
  const text = formatToml(work.tables)
  // An invalid text is worse than a question.
  return parseToml(text) === undefined ? undefined : { text: text.replaceAll("\n", newline) }
}

interface Work {
  readonly decide: Decide
  readonly undecided: Undecided[]
  tables: TomlTable[]
}

/** Tables of `[[bin]]` have no names, so their content identifies them. */
function keyOf(table: TomlTable): string {
  return table.isItem ? `[[${table.name}]] ${bodyOf(table)}` : `[${table.name}]`
}

function bodyOf({ parts }: TomlTable): string {
  return parts.flatMap((part) => ("remark" in part ? [] : [`${part.key}=${part.value}`])).join("\n")
}

function find(tables: readonly TomlTable[], key: string): TomlTable | undefined {
  return tables.find((table) => keyOf(table) === key)
}

interface Sides {
  readonly was: TomlTable | undefined
  readonly theirs: TomlTable | undefined
  readonly all: readonly TomlTable[]
}

function mergeTable(work: Work, key: string, { was, theirs, all }: Sides): void {
  const ours = find(work.tables, key)
  if (ours !== undefined && theirs !== undefined) {
    const merged = mergeEntries(work, ours, { was, theirs })
    work.tables = work.tables.map((table) => (table === ours ? merged : table))
    return
  }
  const take = () => {
    if (theirs !== undefined) addTable(work, theirs, all)
    else work.tables = work.tables.filter((table) => table !== ours)
  }
  const [b, o, t] = [was, ours, theirs].map((table) => (table === undefined ? null : bodyOf(table)))
  if (t === b || t === o) return
  if (o === b) take()
  else ask(work, { key, base: b ?? null, ours: o ?? null, theirs: t ?? null }, take)
}

function addTable(work: Work, table: TomlTable, all: readonly TomlTable[]): void {
  const before = all[all.indexOf(table) - 1]
  const at = before === undefined ? -1 : work.tables.findIndex((each) => each.name === before.name)
  const index = at === -1 ? work.tables.length : at + 1
  work.tables = [...endWithGap(work.tables.slice(0, index)), table, ...work.tables.slice(index)]
}

/** One empty line between two tables. */
function endWithGap(tables: readonly TomlTable[]): TomlTable[] {
  const last = tables.at(-1)
  if (last === undefined) return []
  const end = last.parts.at(-1)
  const isEmpty = last.head.length + last.parts.length === 0
  const hasGap = isEmpty || (end !== undefined && "remark" in end && end.remark.trim() === "")
  return hasGap ? [...tables] : [...tables.slice(0, -1), { ...last, parts: [...last.parts, { remark: "" }] }]
}

function mergeEntries(work: Work, ours: TomlTable, { was, theirs }: Pick<Sides, "was" | "theirs">): TomlTable {
  let table = ours
  const entries = (each: TomlTable | undefined) => (each?.parts ?? []).filter((part) => "key" in part)
  const keys = new Set([...entries(was), ...entries(theirs)].map(({ key }) => key))
  for (const key of keys) {
    const of = (each: TomlTable | undefined) => entries(each).find((entry) => entry.key === key)
    const [b, o, t] = [of(was), of(ours), of(theirs)]
    if (t?.value === b?.value || t?.value === o?.value) continue
    const take = () => {
      table = withEntry(table, key, t)
    }
    if (o?.value === b?.value) {
      take()
      continue
    }
    const list = mergeLists(b?.value ?? "[]", o?.value, t?.value)
    if (list !== undefined && o !== undefined) {
      table = withEntry(table, key, { ...o, lines: [o.lines.join("\n").replace(o.value, () => list)] })
      continue
    }
    const asked = { key: ours.name === "" ? key : `${ours.name}.${key}`, ...valuesOf(b, o, t) }
    if (isDependency(ours.name, key) && takesHigher(o?.value, t?.value, take)) continue
    ask(work, asked, take)
  }
  return table
}

function valuesOf(b: TomlEntry | undefined, o: TomlEntry | undefined, t: TomlEntry | undefined) {
  return { base: b?.value ?? null, ours: o?.value ?? null, theirs: t?.value ?? null }
}

function ask({ decide, undecided }: Work, asked: Undecided, take: () => void): void {
  const side = decide(asked)
  if (side === undefined) undecided.push(asked)
  else if (side === "theirs") take()
}

/** A changed entry keeps its place; a new one is sorted in, or goes to the end. */
function withEntry(table: TomlTable, key: string, entry: TomlEntry | undefined): TomlTable {
  const at = table.parts.findIndex((part) => "key" in part && part.key === key)
  if (at !== -1) return { ...table, parts: table.parts.toSpliced(at, 1, ...(entry === undefined ? [] : [entry])) }
  if (entry === undefined) return table
  return { ...table, parts: table.parts.toSpliced(placeFor(table, key), 0, entry) }
}

function placeFor({ parts }: TomlTable, key: string): number {
  const placed = parts.flatMap((part, index) => ("key" in part ? [{ key: part.key, index }] : []))
  const isSorted = placed.length > 1 && placed.every((each, at) => at === 0 || (placed[at - 1]?.key ?? "") < each.key)
  const next = isSorted ? placed.find((each) => each.key > key) : undefined
  return next?.index ?? (placed.at(-1)?.index ?? -1) + 1
}

/** Lists of plain strings are sets; the result has our formatting. */
function mergeLists(base: string, ours: string | undefined, theirs: string | undefined): string | undefined {
  const [was, mine, other] = [itemsOf(base), itemsOf(ours), itemsOf(theirs)]
  if (was === undefined || mine === undefined || other === undefined || ours === undefined) return undefined
  const nameOf = (item: string) => /^["']([A-Za-z0-9._-]+)/.exec(item)?.[1]?.toLowerCase() ?? item
  const added = other.filter((item) => !was.includes(item) && !mine.includes(item))
  const gone = was.filter((item) => !other.includes(item))
  const kept = mine.filter((item) => !gone.includes(item))
  // The same package with two versions needs a decision.
  if (added.some((item) => kept.some((each) => nameOf(each) === nameOf(item)))) return undefined
  const items = [...kept, ...added]
  if (!ours.includes("\n")) return `[${items.join(", ")}]`
  const indent = /\n([ \t]+)["']/.exec(ours)?.[1] ?? "    "
  const close = /\n([ \t]*)\]\s*$/.exec(ours)?.[1] ?? ""
  return `[\n${items.map((item) => `${indent}${item},`).join("\n")}\n${close}]`
}

/** Undefined for anything but quoted strings; comments between them would get lost. */
function itemsOf(value: string | undefined): string[] | undefined {
  const inner = /^\[([\s\S]*)\]$/.exec(value ?? "")?.[1]
  if (inner === undefined || !/^\s*(?:(?:"[^"\\\n]*"|'[^'\n]*')\s*(?:,\s*|$))*$/.test(inner)) return undefined
  return inner.match(/"[^"\\\n]*"|'[^'\n]*'/g) ?? []
}

function isDependency(table: string, key: string): boolean {
  return /dependencies(?:$|\.)/.test(table) || /^(?:requires-python|rust-version)$/.test(key)
}

/** False where nothing says which one is higher. */
function takesHigher(ours: string | undefined, theirs: string | undefined, take: () => void): boolean {
  const plain = (value: string | undefined) => /^["']([^"']*)["']$/.exec(value ?? "")?.[1]
  const [one, other] = [plain(ours), plain(theirs)]
  const chosen = one === undefined || other === undefined ? undefined : chooseVersion(one, other)
  if (chosen === undefined) return false
  if (chosen === other) take()
  return true
}
