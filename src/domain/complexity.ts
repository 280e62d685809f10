import { countParts } from "./count-parts.ts"
import { findPaths } from "./paths-in-text.ts"
import type { Complexity } from "./task.ts"
import type { WeightGroup } from "./weight-words.ts"
import { type FamilyHit, findFamilies } from "./word-families.ts"

export const MODEL_TIERS = ["haiku", "sonnet", "opus"] as const
export type ModelTier = (typeof MODEL_TIERS)[number]

const DEFAULT_TIER: ModelTier = "sonnet"

export const TIER_OF = { simple: "haiku", standard: "sonnet", complex: "opus" } as const satisfies Record<
  Complexity,
  ModelTier
>
export const COMPLEXITY_OF = { haiku: "simple", sonnet: "standard", opus: "complex" } as const satisfies Record<
  ModelTier,
  Complexity
>

/** What is known of a task besides its text; it goes before what the text lets one guess. */
export interface TaskFacts {
  readonly subtasks?: number
  /** How many files it may write. */
  readonly files?: number
  readonly hasTests?: boolean
}

export interface Points {
  readonly what: string
  readonly points: number
  readonly because: string
}

export interface ComplexityScore {
  readonly tier: ModelTier
  readonly score: number
  readonly explanation: readonly Points[]
}

export function analyzeComplexity(text: string, facts: TaskFacts = {}): ComplexityScore {
  const { prose, blocks } = takeOutCode(text)
  const hits = findFamilies(prose)
  const explanation = [
    ...lexicalPoints(prose, blocks, hits),
    ...structuralPoints(prose, facts, hits),
    ...contextPoints(prose, hits),
  ]
  const score = explanation.reduce((sum, { points }) => sum + points, 0)
  return { tier: tierOf(score), score, explanation }
}

export function tierOf(score: number): ModelTier {
  if (score < 4) return "haiku"
  return score < 8 ? "sonnet" : "opus"
}

export interface TierInput {
  readonly text: string
  readonly facts?: TaskFacts
  /** Somebody named it. */
  readonly tier?: ModelTier
  /** Who does it, with the model it always gets, if it has one. */
  readonly role?: { readonly name: string; readonly model: ModelTier | undefined }
  /** What the plan says of the task. */
  readonly complexity?: Complexity
  /** For texts the score says nothing of. */
  readonly defaultModel?: ModelTier
}

export interface TierChoice extends ComplexityScore {
  readonly because: string
}

/** What was named goes first, then the role's, then the plan's word, then the score; where nothing is known, the default. */
export function chooseTier(input: TierInput): TierChoice {
  const { text, facts, tier, role, complexity, defaultModel = DEFAULT_TIER } = input
  const scored = analyzeComplexity(text, facts)
  const choose = (chosen: ModelTier, because: string) => ({ ...scored, tier: chosen, because })
  if (tier !== undefined) return choose(tier, "it was asked for")
  if (role?.model !== undefined) return choose(role.model, `${role.name} always gets it`)
  if (complexity !== undefined) return choose(TIER_OF[complexity], `the task is planned as ${complexity}`)
  const higher = MODEL_TIERS.indexOf(scored.tier) > MODEL_TIERS.indexOf(defaultModel) ? scored.tier : defaultModel
  if (!isReadable(text))
    return choose(higher, `the score of ${scored.score} may have missed words; the default is ${defaultModel}`)
  const grave = scored.explanation.find(({ what }) => what === "risk" || what === "architecture")
  if (grave === undefined || countWords(text) > FEW_WORDS || higher === scored.tier)
    return choose(scored.tier, `the score is ${scored.score}`)
  return choose(higher, `${grave.because} leaves open in so few words what it takes; the default is ${defaultModel}`)
}

/** An order of one line, of which the score sees the subject and nothing of the work. */
const FEW_WORDS = 10

const ENGLISH = /\b(?:the|and|for|of|with|is|are|this|that|from|to|add|fix|update|should)\b/i
const TITLE_WORDS = 6

/** The scorer knows English words, and titles in plain letters, where no small word gives the language away. */
function isReadable(text: string): boolean {
  const isTitle = /[a-z]/i.test(text) && !/[^\p{ASCII}\p{P}]/u.test(text) && countWords(text) <= TITLE_WORDS
  return isTitle || ENGLISH.test(text)
}

/** The words of code are not the words of the order. A fence that nobody closed reaches to the end. */
function takeOutCode(text: string): { prose: string; blocks: number } {
  const pieces = text.split("```") // every other one is code
  return {
    prose: pieces.filter((_, index) => index % 2 === 0).join("\n"),
    blocks: Math.floor(pieces.length / 2),
  }
}

const LONG_TEXT_WORDS = 100
const VERY_LONG_TEXT_WORDS = 250

function lexicalPoints(prose: string, blocks: number, hits: readonly FamilyHit[]): Points[] {
  const words = prose.length < LONG_TEXT_WORDS * 2 ? 0 : countWords(prose)
  return [
    ...wordPoints(hits, "architecture", 3),
    ...wordPoints(hits, "debug", 2),
    ...wordPoints(hits, "risk", 2),
    ...wordPoints(hits, "refactor", 2),
    ...wordPoints(hits, "why", 2),
    ...points("long text", words >= VERY_LONG_TEXT_WORDS ? 2 : words >= LONG_TEXT_WORDS ? 1 : 0, `${words} words`),
    ...points("code", blocks > 0 ? 1 : 0, blocks === 1 ? "one block" : `${blocks} blocks`),
  ]
}

const SEVERAL_PARTS = 3
const MANY_PARTS = 6

function structuralPoints(prose: string, facts: TaskFacts, hits: readonly FamilyHit[]): Points[] {
  const parts = facts.subtasks ?? countParts(prose)
  const tests = facts.hasTests === undefined ? wordPoints(hits, "tests", 1) : []
  const wide = SYSTEM_WIDE.exec(prose)?.[0]
  return [
    ...points("subtasks", parts >= MANY_PARTS ? 4 : parts >= SEVERAL_PARTS ? 3 : 0, `${parts} parts`),
    ...crossFilePoints(prose, facts),
    ...tests,
    ...points("tests", facts.hasTests === true ? 1 : 0, "the task has tests"),
    ...points("system-wide", wide === undefined ? 0 : 3, quote(wide ?? "")),
  ]
}

const SYSTEM_WIDE =
  /\b(?:(?:entire|whole) (?:code ?base|system|app|application|project|repo|repository|platform|stack|site)|across (?:the |our |all |every )?(?:code ?base|system|application|project|repo|repository|platform|stack|services?)|(?:all|every) (?:micro)?services?|every (?:module|package|page)|everywhere|monolith|(?:system|codebase|app|application|project|repo|company|site|platform)[- ]wide)\b/i

const CROSS_FILE =
  /\b(?:(?:multiple|several|many|various|all|[2-9]|\d\d+|two|three|four|five|six|ten) (?:\w+ )?(?:files|modules|packages|call sites|callers|usages)|across (?:\w+ )?(?:files|modules|packages|components|routes)|cross[- ](?:file|module|package)|every (?:caller|call site|usage|import)|(?:each|every) file)\b/i

function crossFilePoints(prose: string, { files }: TaskFacts): Points[] {
  const paths = files === undefined ? findPaths(prose) : []
  const count = files ?? paths.length
  const phrase = CROSS_FILE.exec(prose)?.[0]
  const because =
    count >= 2 ? `${count} files${paths.length === 0 ? "" : `: ${paths.join(", ")}`}` : quote(phrase ?? "")
  return points("cross-file", count >= 2 || phrase !== undefined ? 2 : 0, because)
}

function contextPoints(prose: string, hits: readonly FamilyHit[]): Points[] {
  const final = hits.find(({ group }) => group === "irreversible")?.word ?? DROPS_DATA.exec(prose)?.[0]
  const areas = findAreas(hits)
  return [
    ...points("multi-domain", areas.length >= 3 ? 3 : areas.length === 2 ? 2 : 0, areas.join(", ")),
    ...points("irreversible", final === undefined ? 0 : 1, quote(final ?? "")),
  ]
}

const DROPS_DATA =
  /\b(?:drop|truncate|delete|wipe)\b[^.\n]{0,30}\b(?:tables?|columns?|databases?)\b|\bcannot be (?:undone|reversed)\b/i

/** A single "API" in the order for a page is no second area: each needs half as many signals as the strongest. */
function findAreas(hits: readonly FamilyHit[]): string[] {
  const counts = (["backend", "frontend", "operations"] as const).map((area) => ({
    area,
    count: hits.filter(({ group }) => group === area).length,
  }))
  const most = Math.max(...counts.map(({ count }) => count))
  return counts.filter(({ count }) => count > 0 && count * 2 >= most).map(({ area }) => area)
}

function wordPoints(hits: readonly FamilyHit[], group: WeightGroup, weight: number): Points[] {
  const hit = hits.find((each) => each.group === group)
  return points(group, hit === undefined ? 0 : weight, quote(hit?.word ?? ""))
}

function points(what: string, count: number, because: string): Points[] {
  return count === 0 ? [] : [{ what, points: count, because }]
}

function quote(words: string): string {
  return `"${words}"`
}

const LETTERS_WITHOUT_SPACES = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g

function countWords(text: string): number {
  const dense = text.match(LETTERS_WITHOUT_SPACES)?.length ?? 0
  return (text.match(/\S+/g)?.length ?? 0) + Math.round(dense / 2) // two such letters make about one word
}
