import WORDS from "./signal-words.json"

/** Words that make a task heavier. */
export type WeightGroup = keyof typeof WORDS.weight
export type WordGroup = "backend" | "frontend" | "operations" | WeightGroup

/** A family counts as one signal, however often its words occur. */
export interface Signal {
  readonly family: string
  /** The first one in the text, in lower case. */
  readonly word: string
}

/** In the order of the text. Signals of operations also count as backend. */
export type Signals = ReadonlyMap<WordGroup, readonly Signal[]>

interface Family {
  readonly family: string
  readonly group: WordGroup
}

interface Place {
  readonly text: string
  readonly words: readonly string[]
  readonly at: number
}

/** The same text is classified and then scored. */
let last: { readonly text: string; readonly signals: Signals } = { text: "", signals: new Map() }

export function findSignals(text: string): Signals {
  if (text !== last.text) last = { text, signals: readSignals(text) }
  return last.signals
}

function readSignals(text: string): Signals {
  const words = readWords(text)
  const seen: Family[] = []
  const signals = new Map<WordGroup, Signal[]>()
  const add = (word: string, { families, isNotMeant }: Meaning, at: number) => {
    if (isNotMeant?.({ text, words, at }) === true) return
    for (let index = 0; index < families.length; index++) {
      const found = families[index] as Family
      if (seen.includes(found)) continue
      seen.push(found)
      const signal = { family: found.family, word }
      addTo(signals, found.group, signal)
      if (found.group === "operations") addTo(signals, "backend", signal)
    }
  }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    const known = meanings.get(word) ?? learn(word)
    if (known === NOTHING) continue
    if (known.beginsPair && at + 1 < words.length) {
      const pair = `${word} ${words[at + 1]}`
      add(pair, meanings.get(pair) ?? learn(pair), at)
    }
    add(word, known, at)
  }
  return signals
}

function addTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

/** Addresses do not describe the work. Bounded, so that long words do not take quadratic time. */
export function withoutAddresses(text: string): string {
  if (!/:\/\/|www\.|@/.test(text)) return text
  let plain = text
  if (plain.includes("://")) plain = plain.replaceAll(/\b[a-z][a-z0-9+.-]{0,15}:\/\/\S+/gi, " ")
  if (plain.includes("www.")) plain = plain.replaceAll(/\bwww\.\S+/g, " ")
  if (plain.includes("@")) plain = plain.replaceAll(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g, " ")
  return plain
}

const WORD = /[a-z0-9\u00c0-\u024f]+(?:['’](?!s\b)[a-z]+)?/g

/** Splits names: `LoginForm.tsx` is login, form, tsx. */
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
  return NAMES_IN_CAMEL_CASE.has(lower) || wordIndex().families.has(lower) || wordIndex().beginnings.has(lower)
}

/**
 * From signal-words.json. A word includes its plural, `stem*` every word that begins so, and a pair all its
 * spellings: `back end` is back-end too. Operations count as backend, and as an area of their own.
 */
interface WordIndex {
  /** As written in the tables. */
  readonly families: Map<string, Family[]>
  /** First words of pairs. */
  readonly beginnings: Set<string>
  /** By their first letters. */
  readonly stems: Map<string, string[]>
}

/** Built on first use: nothing runs at import time. */
let made: WordIndex | undefined

function wordIndex(): WordIndex {
  made ??= buildIndex()
  return made
}

function buildIndex(): WordIndex {
  const index: WordIndex = { families: new Map(), beginnings: new Set(), stems: new Map() }
  for (const group of ["backend", "frontend", "operations"] as const)
    for (const [family, words] of Object.entries(WORDS[group])) addWords(index, words, { family, group })
  for (const [group, words] of Object.entries(WORDS.weight))
    addWords(index, words, { family: group, group: group as WeightGroup })
  return index
}

const STEM_KEY_LENGTH = 4

function addWords({ families, beginnings, stems }: WordIndex, entries: readonly string[], family: Family): void {
  for (const entry of entries) {
    addTo(families, entry, family)
    const blank = entry.indexOf(" ")
    if (blank !== -1) beginnings.add(entry.slice(0, blank))
    if (entry.endsWith("*")) addTo(stems, entry.slice(0, STEM_KEY_LENGTH), entry.slice(0, -1))
  }
}

interface Meaning {
  readonly families: readonly Family[]
  readonly beginsPair: boolean
  readonly isNotMeant: ((place: Place) => boolean) | undefined
}

const NOTHING: Meaning = { families: [], beginsPair: false, isNotMeant: undefined }

/** Texts have few different words, so each is looked up once. Limited, since words can be made up. */
const meanings = new Map<string, Meaning>()
const MOST_MEANINGS = 10_000

function learn(words: string): Meaning {
  if (words < "a") return NOTHING // a number: no table has a word that begins with a digit
  if (meanings.size >= MOST_MEANINGS) meanings.clear()
  const families = familiesOf(words)
  const beginsPair = wordIndex().beginnings.has(words)
  const isKnown = families !== undefined || beginsPair
  const meaning = isKnown ? { families: families ?? [], beginsPair, isNotMeant: NOT_MEANT[words] } : NOTHING
  meanings.set(words, meaning)
  return meaning
}

function familiesOf(words: string): readonly Family[] | undefined {
  const { families, stems } = wordIndex()
  const known = families.get(words) ?? (words.endsWith("s") ? families.get(singular(words)) : undefined)
  if (known !== undefined || words.length <= STEM_KEY_LENGTH || words.includes(" ")) return known
  const stem = stems.get(words.slice(0, STEM_KEY_LENGTH))?.find((each) => words.startsWith(each))
  return stem === undefined ? undefined : families.get(`${stem}*`)
}

function singular(word: string): string {
  if (!word.endsWith("s") || word.endsWith("ss")) return word
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`
  return word.slice(0, -1)
}

/** Other senses of a word. */
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

/** REST has capitals, or names what is built that way. */
function isRemainder({ text, words, at }: Place): boolean {
  const next = singular(words[at + 1] ?? "")
  if (["api", "endpoint", "service", "interface", "client", "controller", "resource"].includes(next)) return false
  return next === "of" || !/\bREST\b/.test(text)
}

const FILLERS = new Set(["the", "a", "an", "our", "this", "new", "its"])

/** Design of a schema, an API or a system is no designer's work. */
function isTechnicalDesign({ words, at }: Place): boolean {
  let next = at + 1
  while (FILLERS.has(words[next] ?? "")) next++
  return isTechnical(words, next) || (at > 0 && isTechnical(words, at - 1))
}

function isTechnical(words: readonly string[], at: number): boolean {
  const word = words[at] ?? ""
  if (["pattern", "patterns", "system", "doc", "document", "software"].includes(word)) return true
  const { families } = meanings.get(word) ?? learn(word)
  return families.some(({ group }) => ["backend", "operations", "architecture"].includes(group))
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
