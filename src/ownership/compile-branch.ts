import { type Automaton, Builder } from "../lib/automaton.ts"
import { type CharSet, charSet, complement, has } from "../lib/char-set.ts"
import { closingBracket } from "./expand-braces.ts"
import { fold, pointOf } from "./fold-path.ts"

/** A pattern without braces. */
export interface Branch {
  readonly automaton: Automaton
  /** What every path that it matches begins with. */
  readonly prefix: string
  /** What every path that it matches ends with. */
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
    if (segment === "**") at = isLast ? repeat(builder, builder.edge(at, ANY), ANY) : folders(builder, at)
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
function folders(builder: Builder, at: number): number {
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
      // Folders are called [id] in some projects; whoever writes that means the folder.
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

/** `[a-z_]`, `[!a-z]`: one letter that is, or is not, among these. */
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
  return isNegated ? withoutSlash(complement(set)) : withoutSlash(set)
}

function withoutSlash(set: CharSet): CharSet {
  return has(set, 0x2f) ? charSet([...set].flatMap(([from, to]) => splitAtSlash(from, to))) : set
}

function splitAtSlash(from: number, to: number): [number, number][] {
  return from <= 0x2f && 0x2f <= to
    ? [
        [from, 0x2e],
        [0x30, to],
      ]
    : [[from, to]]
}

let paths: Automaton | undefined

/** Every path from a repository's root: no empty part, and none that is `.` or `..`. */
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

const NICE = Array.from("abcdefghijklmnopqrstuvwxyz0123456789_-.", pointOf)
const MOST_TRIED = 3000

/** A letter that people can read, or else the first one that is written in one way only. */
export function pickPoint(set: CharSet): number | undefined {
  const nice = NICE.find((point) => has(set, point))
  if (nice !== undefined) return nice
  let tried = 0
  for (const [from, to] of set) {
    for (let point = Math.max(from, 1); point <= to && tried < MOST_TRIED; point++, tried++) {
      if (point >= 0xd800 && point <= 0xdfff) point = 0xe000
      else if (isSettled(String.fromCodePoint(point))) return point
    }
  }
  return undefined
}

function isSettled(letter: string): boolean {
  return fold(letter) === letter
}
