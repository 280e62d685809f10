import { BACKEND_WORDS, FRONTEND_WORDS, OPERATIONS_WORDS } from "./domain-words.ts"
import { WEIGHT_WORDS, type WeightGroup } from "./weight-words.ts"

type WordGroup = "backend" | "frontend" | "operations" | WeightGroup

/** Words that mean the same to us: one of them in a text, or ten, is one hit. */
export interface FamilyHit {
  readonly family: string
  readonly group: WordGroup
  /** The first word of the family in the text, in lower case. */
  readonly word: string
}

type Family = Pick<FamilyHit, "family" | "group">

/** A word, in lower case, among its neighbours in a text. */
interface Place {
  readonly text: string
  readonly words: readonly string[]
  readonly at: number
}

/** Whoever classifies a text also scores it, one right after the other. */
let last: { readonly text: string; readonly hits: readonly FamilyHit[] } = { text: "", hits: [] }

/** Every family of which the text has a word, in the order of the text. */
export function findFamilies(text: string): readonly FamilyHit[] {
  if (text !== last.text) last = { text, hits: readFamilies(text) }
  return last.hits
}

function readFamilies(text: string): FamilyHit[] {
  const words = readWords(text)
  const seen: Family[] = []
  const hits: FamilyHit[] = []
  const add = (families: readonly Family[], word: string) => {
    for (const found of families) {
      if (seen.includes(found)) continue
      seen.push(found)
      hits.push({ family: found.family, group: found.group, word })
    }
  }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    const known = meaningOf(word)
    if (known === null) continue
    const next = words[at + 1]
    const pair = next === undefined ? undefined : (known.pairs?.get(next) ?? known.pairs?.get(singular(next)))
    if (pair !== undefined && NOT_MEANT[`${word} ${next}`]?.({ text, words, at }) !== true) add(pair, `${word} ${next}`)
    if (known.families !== undefined && known.isNotMeant?.({ text, words, at }) !== true) add(known.families, word)
  }
  return hits
}

/** Addresses say where something is and not what is to be done. Bounded, or long words would take their time squared. */
export function withoutAddresses(text: string): string {
  if (!/:\/\/|www\.|@/.test(text)) return text
  let plain = text
  if (plain.includes("://")) plain = plain.replaceAll(/\b[a-z][a-z0-9+.-]{0,15}:\/\/\S+/gi, " ")
  if (plain.includes("www.")) plain = plain.replaceAll(/\bwww\.\S+/g, " ")
  if (plain.includes("@")) plain = plain.replaceAll(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g, " ")
  return plain
}

const WORD = /[a-z0-9\u00c0-\u024f]+(?:['’](?!s\b)[a-z]+)?/g

/** Names are taken apart as well: `LoginForm.tsx` is login, form, tsx. */
function readWords(text: string): readonly string[] {
  const plain = withoutAddresses(text)
  const apart = /[a-z][A-Z]/.test(plain) ? plain.replaceAll(/[A-Za-z]*[a-z][A-Z][A-Za-z]*/g, splitName) : plain
  return apart.toLowerCase().match(WORD) ?? []
}

function splitName(name: string): string {
  return isOneName(name.toLowerCase()) ? name : name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
}

const NAMES_IN_CAMEL_CASE = new Set(["javascript", "typescript", "github", "gitlab", "youtube", "iphone", "macos"])

function isOneName(lower: string): boolean {
  return NAMES_IN_CAMEL_CASE.has(lower) || wordIndex().words.has(lower)
}

interface Entry {
  families: Family[] | undefined
  /** Pairs that begin with the word, by the other one. */
  pairs: Map<string, Family[]> | undefined
}

interface WordIndex {
  readonly words: Map<string, Entry>
  /** Beginnings of words, by their first letters. */
  readonly stems: Map<string, { readonly stem: string; readonly families: Family[] }[]>
}

const STEM_KEY_LENGTH = 4

/** Built when first needed: nothing runs at import time. */
let made: WordIndex | undefined

function wordIndex(): WordIndex {
  made ??= buildIndex()
  return made
}

function buildIndex(): WordIndex {
  const index: WordIndex = { words: new Map(), stems: new Map() }
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

function addWords({ words, stems }: WordIndex, entries: string, family: Family): void {
  for (const entry of entries.split(", ")) {
    if (entry.endsWith("*")) {
      const stem = entry.slice(0, -1)
      const bucket = stems.get(stem.slice(0, STEM_KEY_LENGTH)) ?? []
      const same = bucket.find((each) => each.stem === stem)
      if (same === undefined) stems.set(stem.slice(0, STEM_KEY_LENGTH), [...bucket, { stem, families: [family] }])
      else same.families.push(family)
      continue
    }
    const [first = "", second] = entry.split(" ")
    const known = words.get(first) ?? { families: undefined, pairs: undefined }
    words.set(first, known)
    if (second === undefined) known.families = [...(known.families ?? []), family]
    else {
      known.pairs ??= new Map()
      known.pairs.set(second, [...(known.pairs.get(second) ?? []), family])
    }
  }
}

/** Texts have few different words, so what one of them means is looked up once; but words can be made without end. */
const meanings = new Map<string, Meaning | null>()
const MOST_MEANINGS = 10_000

interface Meaning extends Entry {
  readonly isNotMeant: ((place: Place) => boolean) | undefined
}

function meaningOf(word: string): Meaning | null {
  const known = meanings.get(word)
  if (known !== undefined) return known
  if (meanings.size >= MOST_MEANINGS) meanings.clear()
  const meaning = lookUp(wordIndex(), word)
  meanings.set(word, meaning)
  return meaning
}

function lookUp(index: WordIndex, word: string): Meaning | null {
  const entry = index.words.get(word)
  const plain = entry === undefined && word.endsWith("s") ? index.words.get(singular(word)) : entry
  const families = plain?.families ?? lookUpStem(index.stems, word)
  const pairs = entry?.pairs
  return families === undefined && pairs === undefined ? null : { families, pairs, isNotMeant: NOT_MEANT[word] }
}

function lookUpStem(stems: WordIndex["stems"], word: string): Family[] | undefined {
  if (word.length <= STEM_KEY_LENGTH) return undefined
  return stems.get(word.slice(0, STEM_KEY_LENGTH))?.find(({ stem }) => word.startsWith(stem))?.families
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
  redesign: isTechnicalDesign,
  redesigned: isTechnicalDesign,
  redesigning: isTechnicalDesign,
  react: ({ words, at }) => words[at + 1] === "to",
  form: ({ words, at }) => words[at + 1] === "of",
  forms: ({ words, at }) => words[at + 1] === "of",
  style: isStyleOfCode,
  styles: isStyleOfCode,
  query: isMediaQuery,
  queries: isMediaQuery,
  lambda: ({ words, at }) => words[at + 1] === "expression" || words[at + 1] === "calculus",
  why: ({ words, at }) => ["is", "that", "s"].includes(words[at - 1] ?? ""),
  test: isNotAskedFor,
  tests: isNotAskedFor,
  chart: isHelmChart,
  charts: isHelmChart,
  "clean up": ({ words, at }) => !words.slice(at + 2, at + 7).some((word) => CODE_NOUNS.has(singular(word))),
}

/** The architecture is written in capitals, or names what is built that way. */
function isRemainder({ text, words, at }: Place): boolean {
  const next = singular(words[at + 1] ?? "")
  if (["api", "endpoint", "service", "interface", "client", "controller", "resource"].includes(next)) return false
  return next === "of" || !/\bREST\b/.test(text)
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
  const families = meaningOf(words[at] ?? "")?.families
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
