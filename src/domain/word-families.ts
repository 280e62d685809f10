import { BACKEND_WORDS, FRONTEND_WORDS, OPERATIONS_WORDS } from "./domain-words.ts"
import { WEIGHT_WORDS, type WeightGroup } from "./weight-words.ts"

type WordGroup = "backend" | "frontend" | "operations" | WeightGroup

/** Words that mean the same to us: one of them in a text, or ten, is one hit. */
export interface FamilyHit {
  readonly family: string
  readonly group: WordGroup
  /** The first word of the family, as the text spells it. */
  readonly word: string
}

type Family = Pick<FamilyHit, "family" | "group">

/** A word among its neighbours, in lower case; `written` is how the text spells it. */
interface Place {
  readonly words: readonly string[]
  readonly written: readonly string[]
  readonly at: number
}

/** Every family of which the text has a word, in the order of the text. */
export function findFamilies(text: string): FamilyHit[] {
  const { words, written } = readWords(text)
  const index = (made ??= buildIndex())
  const hits = new Map<Family, FamilyHit>()
  for (let at = 0; at < words.length; at++) {
    const { families, length } = lookUp(index, words, at)
    if (families === undefined) continue
    const matched = words.slice(at, at + length).join(" ")
    if (NOT_MEANT[matched]?.({ words, written, at }) === true) continue
    for (const family of families) {
      if (!hits.has(family)) hits.set(family, { ...family, word: written.slice(at, at + length).join(" ") })
    }
  }
  return [...hits.values()]
}

/** Addresses say where something is and not what is to be done. */
export function withoutAddresses(text: string): string {
  return text.replaceAll(/\b[a-z][a-z0-9+.-]*:\/\/\S+|\bwww\.\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gi, " ")
}

/** Names are taken apart as well: `LoginForm.tsx` is login, form, tsx. */
function readWords(text: string): { words: string[]; written: string[] } {
  const words: string[] = []
  const written: string[] = []
  for (const word of withoutAddresses(text).match(/[A-Za-z0-9\u00c0-\u024f]+(?:['’][A-Za-z]+)?/g) ?? []) {
    const parts = /[a-z][A-Z]/.test(word) && !isOneName(word) ? word.split(/(?<=[a-z])(?=[A-Z])/) : [word]
    for (const part of parts) {
      written.push(part)
      words.push(part.toLowerCase().replace(/['’]s$/, ""))
    }
  }
  return { words, written }
}

const NAMES_IN_CAMEL_CASE = new Set(["javascript", "typescript", "github", "gitlab", "youtube", "iphone", "macos"])

function isOneName(word: string): boolean {
  const lower = word.toLowerCase()
  return NAMES_IN_CAMEL_CASE.has(lower) || (made ??= buildIndex()).exact.has(lower)
}

interface WordIndex {
  readonly exact: Map<string, Family[]>
  /** Words that begin a pair. */
  readonly pairStarts: Set<string>
  /** Beginnings of words, by their first letters. */
  readonly stems: Map<string, { readonly stem: string; readonly families: Family[] }[]>
}

const STEM_KEY_LENGTH = 4

/** Built when first needed: nothing runs at import time. */
let made: WordIndex | undefined

function buildIndex(): WordIndex {
  const index: WordIndex = { exact: new Map(), pairStarts: new Set(), stems: new Map() }
  const tables: [WordGroup, Readonly<Record<string, string>>][] = [
    ["backend", BACKEND_WORDS],
    ["frontend", FRONTEND_WORDS],
    ["operations", OPERATIONS_WORDS],
  ]
  for (const [group, table] of tables) {
    for (const [family, words] of Object.entries(table)) addWords(index, words, { family, group })
  }
  for (const [group, words] of Object.entries(WEIGHT_WORDS)) {
    addWords(index, words, { family: group, group: group as WeightGroup })
  }
  return index
}

function addWords({ exact, pairStarts, stems }: WordIndex, words: string, family: Family): void {
  for (const entry of words.split(", ")) {
    if (entry.endsWith("*")) {
      const stem = entry.slice(0, -1)
      const bucket = stems.get(stem.slice(0, STEM_KEY_LENGTH)) ?? []
      const same = bucket.find((each) => each.stem === stem)
      if (same === undefined) stems.set(stem.slice(0, STEM_KEY_LENGTH), [...bucket, { stem, families: [family] }])
      else same.families.push(family)
    } else {
      if (entry.includes(" ")) pairStarts.add(entry.slice(0, entry.indexOf(" ")))
      exact.set(entry, [...(exact.get(entry) ?? []), family])
    }
  }
}

/** A pair of words goes before a single one: `memory leak` is one thing. */
function lookUp({ exact, pairStarts, stems }: WordIndex, words: readonly string[], at: number) {
  const word = words[at] ?? ""
  const next = words[at + 1]
  if (next !== undefined && pairStarts.has(word)) {
    const families = exact.get(`${word} ${next}`) ?? exact.get(`${word} ${singular(next)}`)
    if (families !== undefined) return { families, length: 2 }
  }
  const families =
    exact.get(word) ??
    exact.get(singular(word)) ??
    stems.get(word.slice(0, STEM_KEY_LENGTH))?.find(({ stem }) => word.startsWith(stem))?.families
  return { families, length: 1 }
}

function singular(word: string): string {
  if (!word.endsWith("s") || word.endsWith("ss")) return word
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`
  return word.slice(0, -1)
}

/** Uses of a word in another sense. */
const NOT_MEANT: Readonly<Record<string, (place: Place) => boolean>> = {
  rest: isRemainder,
  design: isTechnicalDesign,
  designing: isTechnicalDesign,
  react: ({ words, at }) => words[at + 1] === "to",
  form: ({ words, at }) => words[at + 1] === "of",
  forms: ({ words, at }) => words[at + 1] === "of",
  style: isStyleOfCode,
  styles: isStyleOfCode,
  query: isMediaQuery,
  queries: isMediaQuery,
  lambda: ({ words, at }) => words[at + 1] === "expression" || words[at + 1] === "calculus",
  why: ({ words, at }) => ["is", "that", "this"].includes(words[at - 1] ?? ""),
  test: isNotAskedFor,
  tests: isNotAskedFor,
  chart: isHelmChart,
  charts: isHelmChart,
  "clean up": ({ words, at }) => !words.slice(at + 2, at + 7).some((word) => CODE_NOUNS.has(singular(word))),
}

/** The architecture is written in capitals, or names what is built that way. */
function isRemainder({ words, written, at }: Place): boolean {
  const next = singular(words[at + 1] ?? "")
  if (["api", "endpoint", "service", "interface", "client", "controller", "resource"].includes(next)) return false
  return written[at] !== "REST" || next === "of"
}

const FILLERS = new Set(["the", "a", "an", "our", "this", "new", "its"])

/** Design of a schema, an API or a system is not the kind designers do. */
function isTechnicalDesign({ words, at }: Place): boolean {
  let next = at + 1
  while (FILLERS.has(words[next] ?? "")) next++
  return isTechnical(words, next) || (at > 0 && isTechnical(words, at - 1))
}

function isTechnical(words: readonly string[], at: number): boolean {
  if (["pattern", "patterns", "system", "doc", "document", "software"].includes(words[at] ?? "")) return true
  const { families } = lookUp((made ??= buildIndex()), words, at)
  return families?.some(({ group }) => ["backend", "operations", "architecture"].includes(group)) === true
}

function isStyleOfCode({ words, at }: Place): boolean {
  return ["code", "coding", "rest", "api"].includes(words[at - 1] ?? "")
}

function isMediaQuery({ words, at }: Place): boolean {
  return words[at - 1] === "media"
}

function isHelmChart({ words, at }: Place): boolean {
  return words[at - 1] === "helm"
}

const TEST_THINGS = new Set(["account", "user", "environment", "server", "page", "data"])

/** "Without tests", an A/B test, a test account. */
function isNotAskedFor({ words, at }: Place): boolean {
  const before = words[at - 1] ?? ""
  return ["no", "without", "skip", "b"].includes(before) || TEST_THINGS.has(singular(words[at + 1] ?? ""))
}

const CODE_NOUNS = new Set(
  "code, codebase, module, class, function, component, logic, middleware, service, layer, api, type".split(", "),
)
