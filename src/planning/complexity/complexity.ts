import type { Complexity } from "../../tasks/task.ts"
import { countParts } from "./count-parts.ts"
import { judgeWork, type WorkSign } from "./judge-work.ts"
import { COMPLEXITY_OF, MODEL_TIERS, type ModelTier, TIER_OF } from "./model-tier.ts"
import { findPaths } from "./paths-in-text.ts"
import { findSignals, type Signals, type WeightGroup } from "./word-families.ts"

const DEFAULT_TIER: ModelTier = "sonnet"

/** Facts go before guesses from the text. */
export interface TaskFacts {
  readonly subtasks?: number
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
  const reading: Reading = { prose, blocks, signals: findSignals(prose), facts }
  const explanation: Points[] = []
  addLexicalPoints(explanation, reading)
  addStructuralPoints(explanation, reading)
  addContextPoints(explanation, reading)
  let score = 0
  for (const { points } of explanation) score += points
  return { tier: tierOf(score), score, explanation }
}

interface Reading {
  readonly prose: string
  readonly blocks: number
  readonly signals: Signals
  readonly facts: TaskFacts
}

export function tierOf(score: number): ModelTier {
  if (score < 4) return "haiku"
  return score < 8 ? "sonnet" : "opus"
}

export interface TierInput {
  readonly text: string
  readonly facts?: TaskFacts
  readonly tier?: ModelTier
  /** With the fixed model of this role. */
  readonly role?: { readonly name: string; readonly model: ModelTier | undefined }
  readonly complexity?: Complexity
  /** For texts without a sign. */
  readonly defaultModel?: ModelTier
}

export interface TierChoice extends ComplexityScore {
  readonly because: string
  /** The size of the work, by its words. */
  readonly sign?: WorkSign
}

/**
 * In this order: the named tier, the role's, the plan's, and the text. Hard work is complex, a small change is
 * simple, and a high score counts. A low score shows nothing, since most issues say little; then the default holds.
 */
export function chooseTier(input: TierInput): TierChoice {
  const { text, facts, tier, role, complexity, defaultModel = DEFAULT_TIER } = input
  const scored = analyzeComplexity(text, facts)
  const choose = (chosen: ModelTier, because: string) => ({ ...scored, tier: chosen, because })
  if (tier !== undefined) return choose(tier, "it was asked for")
  if (role?.model !== undefined) return choose(role.model, `${role.name} always gets it`)
  if (complexity !== undefined) return choose(TIER_OF[complexity], `the task is planned as ${complexity}`)
  const sign = judgeWork(takeOutCode(text).prose)
  if (sign?.size === "hard") return { ...choose("opus", `${saySign(sign)} makes it complex`), sign }
  if (scored.tier === "opus") return choose("opus", `the score is ${scored.score}`)
  if (sign !== undefined && (sign.kind === "words" || scored.tier === "haiku"))
    return { ...choose("haiku", `${saySign(sign)} makes it simple`), sign }
  const isHigher = MODEL_TIERS.indexOf(scored.tier) > MODEL_TIERS.indexOf(defaultModel)
  if (isHigher) return choose(scored.tier, `the score is ${scored.score}`)
  return choose(defaultModel, `no words show that it is simple or complex, and team.defaultModel is ${defaultModel}`)
}

/** The plan's, else by the text. */
export function complexityOf(
  { title, description, files, complexity }: PlannedText,
  defaultModel?: ModelTier,
): { readonly complexity: Complexity; readonly because: string } {
  const facts = files.length === 0 ? undefined : { files: files.length }
  const { tier, because } = chooseTier({ text: `${title}\n${description}`, facts, complexity, defaultModel })
  return { complexity: COMPLEXITY_OF[tier], because }
}

interface PlannedText {
  readonly title: string
  readonly description: string
  readonly files: readonly string[]
  readonly complexity?: Complexity
}

function saySign({ kind, words }: WorkSign): string {
  return `${kind} (${quote(words)})`
}

/** An unclosed fence reaches to the end. */
const CODE_BLOCK = /```[\s\S]*?(?:```|$)/g

/** Words in code do not describe the work. */
function takeOutCode(text: string): { prose: string; blocks: number } {
  const blocks = text.match(CODE_BLOCK)?.length ?? 0
  return { prose: blocks === 0 ? text : text.replaceAll(CODE_BLOCK, "\n"), blocks }
}

const LONG_TEXT_WORDS = 100
const VERY_LONG_TEXT_WORDS = 250

/** Words, or letters of languages without spaces. Most texts have fewer and are not counted. */
const MAY_BE_LONG = /^\s*(?:\S+\s+){99}\S|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/

function addLexicalPoints(list: Points[], { prose, blocks, signals }: Reading): void {
  addWordPoints(list, signals, "architecture", 3)
  addWordPoints(list, signals, "debug", 2)
  addWordPoints(list, signals, "risk", 2)
  addWordPoints(list, signals, "refactor", 2)
  addWordPoints(list, signals, "why", 2)
  const words = prose.length >= LONG_TEXT_WORDS * 2 && MAY_BE_LONG.test(prose) ? countWords(prose) : 0
  if (words >= LONG_TEXT_WORDS)
    list.push({ what: "long text", points: words >= VERY_LONG_TEXT_WORDS ? 2 : 1, because: `${words} words` })
  if (blocks > 0) list.push({ what: "code", points: 1, because: blocks === 1 ? "one block" : `${blocks} blocks` })
}

function addWordPoints(list: Points[], signals: Signals, group: WeightGroup, points: number): void {
  const signal = signals.get(group)?.[0]
  if (signal !== undefined) list.push({ what: group, points, because: quote(signal.word) })
}

const SEVERAL_PARTS = 3
const MANY_PARTS = 6

function addStructuralPoints(list: Points[], { prose, signals, facts }: Reading): void {
  const parts = facts.subtasks ?? countParts(prose)
  if (parts >= SEVERAL_PARTS)
    list.push({ what: "subtasks", points: parts >= MANY_PARTS ? 4 : 3, because: `${parts} parts` })
  addCrossFilePoints(list, prose, facts)
  if (facts.hasTests === undefined) addWordPoints(list, signals, "tests", 1)
  else if (facts.hasTests) list.push({ what: "tests", points: 1, because: "the task has tests" })
  const wide = SYSTEM_WIDE.exec(prose)?.[0]
  if (wide !== undefined) list.push({ what: "system-wide", points: 3, because: quote(wide) })
}

const SYSTEM_WIDE =
  /\b(?:(?:entire|whole) (?:code ?base|system|app|application|project|repo|repository|platform|stack|site)|across (?:the |our |all |every )?(?:code ?base|system|application|project|repo|repository|platform|stack|services?)|(?:all|every) (?:micro)?services?|every (?:module|package|page)|everywhere|monolith|(?:system|codebase|app|application|project|repo|company|site|platform)[- ]wide)\b/i

const CROSS_FILE =
  /\b(?:(?:multiple|several|many|various|all|[2-9]|\d\d+|two|three|four|five|six|ten) (?:\w+ )?(?:files|modules|packages|call sites|callers|usages)|across (?:\w+ )?(?:files|modules|packages|components|routes)|cross[- ](?:file|module|package)|every (?:caller|call site|usage|import)|(?:each|every) file)\b/i

function addCrossFilePoints(list: Points[], prose: string, { files }: TaskFacts): void {
  const paths = files === undefined ? findPaths(prose) : []
  const count = files ?? paths.length
  const phrase = count >= 2 ? undefined : CROSS_FILE.exec(prose)?.[0]
  if (phrase !== undefined) list.push({ what: "cross-file", points: 2, because: quote(phrase) })
  if (count < 2) return
  const named = paths.length === 0 ? "" : `: ${paths.join(", ")}`
  list.push({ what: "cross-file", points: 2, because: `${count} files${named}` })
}

function addContextPoints(list: Points[], { prose, signals }: Reading): void {
  const areas = findAreas(signals)
  if (areas.length >= 2)
    list.push({ what: "multi-domain", points: areas.length >= 3 ? 3 : 2, because: areas.join(", ") })
  const final = signals.get("irreversible")?.[0]?.word ?? DROPS_DATA.exec(prose)?.[0]
  if (final !== undefined) list.push({ what: "irreversible", points: 1, because: quote(final) })
}

const DROPS_DATA =
  /\b(?:drop|truncate|delete|wipe)\b[^.\n]{0,30}\b(?:tables?|columns?|databases?)\b|\bcannot be (?:undone|reversed)\b/i

/** A single "API" in a task about a page is no second area: each area needs half the signals of the strongest. */
function findAreas(signals: Signals): string[] {
  const operations = signals.get("operations")?.length ?? 0
  const backend = (signals.get("backend")?.length ?? 0) - operations
  const frontend = signals.get("frontend")?.length ?? 0
  const enough = Math.max(1, backend, frontend, operations) / 2
  const areas: string[] = []
  if (backend >= enough) areas.push("backend")
  if (frontend >= enough) areas.push("frontend")
  if (operations >= enough) areas.push("operations")
  return areas
}

function quote(words: string): string {
  return `"${words}"`
}

const LETTERS_WITHOUT_SPACES = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g

function countWords(text: string): number {
  const dense = text.match(LETTERS_WITHOUT_SPACES)?.length ?? 0
  return (text.match(/\S+/g)?.length ?? 0) + Math.round(dense / 2) // two such letters make about one word
}
