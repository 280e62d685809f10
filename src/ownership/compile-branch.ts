import { type Automaton, Builder } from "../lib/automaton.ts"
import { type CharSet, charSet, complement, has, intersect } from "../lib/char-set.ts"
import { closingBracket } from "./expand-braces.ts"
import { fold, pointOf } from "./fold-path.ts"

/** A pattern without braces. */
export interface Branch {
  readonly automaton: Automaton
  /** Every matching path starts with it. */
  readonly prefix: string
  /** Every matching path ends with it. */
  readonly suffix: string
}

const SLASH: CharSet = [[0x2f, 0x2f]]
const NO_SLASH = complement(SLASH)
const ANY: CharSet = [[0, 0x10ffff]]

/** The text must be folded. */
export function compileBranch(text: string): Branch {
  const builder = new Builder()
  const segments = text
    .replace(/\/+$/, "")
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
  if (text.endsWith("/")) segments.push("**")
  let at = builder.state()
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1
    if (segment === "**") at = isLast ? repeat(builder, builder.edge(at, ANY), ANY) : anyFolders(builder, at)
    else {
      at = compileSegment(builder, at, segment)
      if (!isLast) at = builder.edge(at, SLASH)
    }
  }
  builder.accept(at)
  const prefix = /^[^*?[]*/.exec(segments.join("/"))?.[0] ?? ""
  const suffix = /[^*?\]]*$/.exec(segments.at(-1) ?? "")?.[0] ?? ""
  return { automaton: builder.build(), prefix, suffix }
}

function repeat(builder: Builder, at: number, set: CharSet): number {
  return builder.edge(at, set, at)
}

/** Any number of folders, each with its slash. */
function anyFolders(builder: Builder, at: number): number {
  const inside = repeat(builder, builder.edge(at, ANY), ANY)
  const end = builder.edge(inside, SLASH)
  builder.skip(at, end)
  return end
}

function compileSegment(builder: Builder, from: number, segment: string): number {
  let at = from
  for (let index = 0; index < segment.length; index++) {
    const letter = String.fromCodePoint(segment.codePointAt(index) ?? 0)
    const end = letter === "[" ? closingBracket(segment, index) : -1
    if (end !== -1) {
      const group = segment.slice(index, end + 1)
      const next = builder.edge(at, classOf(group))
      // Brackets also match literally, for folders named [id].
      let literal = at
      for (const each of group) literal = builder.edge(literal, only(each))
      builder.skip(literal, next)
      at = next
      index = end
      continue
    }
    if (letter === "*") at = repeat(builder, builder.skip(at), NO_SLASH)
    else at = builder.edge(at, letter === "?" ? NO_SLASH : only(letter))
    index += letter.length - 1
  }
  return at
}

function only(letter: string): CharSet {
  return [[pointOf(letter), pointOf(letter)]]
}

/** `[a-z_]` or `[!a-z]`, never a slash. */
function classOf(group: string): CharSet {
  const isNegated = /^\[[!^]/.test(group)
  const letters = Array.from(group.slice(isNegated ? 2 : 1, -1))
  const ranges: [number, number][] = []
  for (let index = 0; index < letters.length; index++) {
    const from = pointOf(letters[index] ?? "")
    const isRange = letters[index + 1] === "-" && index + 2 < letters.length
    ranges.push([from, isRange ? pointOf(letters[index + 2] ?? "") : from])
    if (isRange) index += 2
  }
  const set = charSet(ranges)
  return intersect(isNegated ? complement(set) : set, NO_SLASH)
}

let paths: Automaton | undefined

/** Relative to the root, without empty segments, `.` and `..`. */
export function pathAutomaton(): Automaton {
  if (paths !== undefined) return paths
  const builder = new Builder()
  const [start, dot, dots, name] = [builder.state(), builder.state(), builder.state(), builder.state()]
  const other = complement(charSet([[0x2e, 0x2f]]))
  const point: CharSet = [[0x2e, 0x2e]]
  for (const [from, next] of [
    [start, dot],
    [dot, dots],
    [dots, name],
  ] as const) {
    builder.edge(from, point, next)
    builder.edge(from, other, name)
  }
  builder.edge(name, NO_SLASH, name)
  builder.edge(name, SLASH, start)
  builder.accept(name)
  paths = builder.build()
  return paths
}

const READABLE = Array.from("abcdefghijklmnopqrstuvwxyz0123456789_-.", pointOf)
const MOST_TRIED = 3000

/** A readable letter for an example path, or else the first that folding does not change. */
export function pickPoint(set: CharSet): number | undefined {
  const readable = READABLE.find((point) => has(set, point))
  if (readable !== undefined) return readable
  let tried = 0
  for (const [from, to] of set) {
    for (let point = Math.max(from, 1); point <= to && tried < MOST_TRIED; point++, tried++) {
      if (point >= 0xd800 && point <= 0xdfff) point = 0xe000
      else if (fold(String.fromCodePoint(point)) === String.fromCodePoint(point)) return point
    }
  }
  return undefined
}
