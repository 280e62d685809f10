import { chooseVersion } from "./choose-version.ts"
import { diffLines, type Hunk } from "./diff-texts.ts"
import type { Decide, MergeRule, Undecided } from "./shared-file.ts"

export interface LineForm {
  /** Lines with the same key are about the same thing. Undefined for lines that depend on their neighbours. */
  readonly key: (line: string) => string | undefined
  /** The version in a line. */
  readonly version?: (line: string) => string | undefined
  /** Both sides may add different lines at the same place, even without keys. */
  readonly isOpen?: boolean
}

/**
 * Merges a file of independent lines. A change by one side is taken; where both changed something, lines are
 * matched by key. Undefined where keys do not decide it.
 */
export function mergeLinesBy(form: LineForm): MergeRule {
  return (sides, decide) => {
    const newline = sides.ours.includes("\r\n") ? "\r\n" : "\n"
    const [base, ours, theirs] = [sides.base, sides.ours, sides.theirs].map(toLines) as [string[], string[], string[]]
    const [mine, other] = [diffLines(base, ours), diffLines(base, theirs)]
    if (mine === undefined || other === undefined) return undefined
    const merged: string[] = []
    const undecided: Undecided[] = []
    let at = 0
    for (const group of groupHunks(mine, other)) {
      merged.push(...base.slice(at, group.start))
      at = group.end
      const lines = mergeGroup(group, base, { form, decide, undecided })
      if (lines === undefined) return undefined
      merged.push(...lines)
    }
    merged.push(...base.slice(at))
    if (undecided.length > 0) return { undecided }
    const isEnded = sides.ours === "" ? sides.theirs.endsWith("\n") : /\n$/.test(sides.ours)
    return { text: merged.join(newline) + (isEnded && merged.length > 0 ? newline : "") }
  }
}

function toLines(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  return lines
}

export interface Group {
  readonly start: number
  readonly end: number
  readonly ours: readonly Hunk[]
  readonly theirs: readonly Hunk[]
}

/** Joins overlapping hunks. */
export function groupHunks(ours: readonly Hunk[], theirs: readonly Hunk[]): Group[] {
  const all = [...ours.map((hunk) => ({ hunk, isOurs: true })), ...theirs.map((hunk) => ({ hunk, isOurs: false }))]
  all.sort((a, b) => a.hunk.start - b.hunk.start || a.hunk.end - b.hunk.end)
  const groups: { start: number; end: number; ours: Hunk[]; theirs: Hunk[] }[] = []
  for (const { hunk, isOurs } of all) {
    const last = groups.at(-1)
    const group = last !== undefined && hunk.start <= last.end ? last : { ...hunk, ours: [], theirs: [] }
    if (group !== last) groups.push(group)
    group.end = Math.max(group.end, hunk.end)
    ;(isOurs ? group.ours : group.theirs).push(hunk)
  }
  return groups
}

interface Rules {
  readonly form: LineForm
  readonly decide: Decide
  readonly undecided: Undecided[]
}

function mergeGroup(group: Group, base: readonly string[], rules: Rules): readonly string[] | undefined {
  const was = base.slice(group.start, group.end)
  const [ours, theirs] = [sideOf(group, base, group.ours), sideOf(group, base, group.theirs)]
  if (group.theirs.length === 0 || isEqual(ours, theirs)) return ours
  if (group.ours.length === 0) return theirs
  const isAdding = group.start === group.end
  if (isAdding && rules.form.isOpen === true) return stack(theirs, ours)
  return mergeByKey({ was, ours, theirs }, rules)
}

/** Newer lines go above older ones; a common beginning, such as a heading, stands once. */
function stack(newer: readonly string[], older: readonly string[]): readonly string[] {
  let same = 0
  while (same < newer.length && same < older.length && newer[same] === older[same]) same++
  return [...newer, ...older.slice(same)]
}

export function sideOf({ start, end }: Group, base: readonly string[], hunks: readonly Hunk[]): string[] {
  const lines: string[] = []
  let at = start
  for (const hunk of hunks) {
    lines.push(...base.slice(at, hunk.start), ...hunk.lines)
    at = hunk.end
  }
  return [...lines, ...base.slice(at, end)]
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index])
}

interface Lines {
  readonly was: readonly string[]
  readonly ours: readonly string[]
  readonly theirs: readonly string[]
}

/** Our lines in their order, then what the task added. */
function mergeByKey({ was, ours, theirs }: Lines, { form, decide, undecided }: Rules): string[] | undefined {
  const tables = [was, ours, theirs].map((lines) => tableOf(lines, form.key))
  const [before, mine, other] = tables
  if (before === undefined || mine === undefined || other === undefined) return undefined
  const result: string[] = []
  for (const key of new Set([...mine.keys(), ...other.keys()])) {
    const [b, o, t] = [before.get(key), mine.get(key), other.get(key)]
    const asked = { key, base: b ?? null, ours: o ?? null, theirs: t ?? null }
    const side = t === b || t === o ? "ours" : o === b ? "theirs" : (higher(form, o, t) ?? decide(asked))
    if (side === undefined) undecided.push(asked)
    const line = side === "theirs" ? t : o
    if (line !== undefined) result.push(line)
  }
  return result
}

/** Undefined where a line has no key, or two have the same one. Empty lines count once. */
function tableOf(lines: readonly string[], keyOf: LineForm["key"]): Map<string, string> | undefined {
  const table = new Map<string, string>()
  for (const line of lines) {
    const key = line.trim() === "" ? "" : keyOf(line)
    if (key === undefined || (key !== "" && table.has(key))) return undefined
    table.set(key, line)
  }
  return table
}

function higher({ version }: LineForm, ours: string | undefined, theirs: string | undefined) {
  if (version === undefined || ours === undefined || theirs === undefined) return undefined
  const [one, other] = [version(ours), version(theirs)]
  if (one === undefined || other === undefined) return undefined
  // Only the version may differ: other changes in the line have a reason.
  if (ours.replace(one, "") !== theirs.replace(other, "")) return undefined
  const chosen = chooseVersion(one, other)
  return chosen === undefined ? undefined : chosen === one ? ("ours" as const) : ("theirs" as const)
}
