import * as v from "valibot"
import { readRecord, type TeamRecord } from "../kernel/record.ts"
import { countShared, wordsOf } from "../kernel/words.ts"

/** Instructions for one kind of work, in a file that agents read when they need it. */
export interface Skill {
  readonly name: string
  readonly description: string
  /** Path of SKILL.md: from the repository's root, or absolute in the user's home. */
  readonly path: string
  readonly origin: "repository" | "home"
}

/** `approved`: the lead agreed, and the prompt names it. */
export type SkillStatus = "proposed" | "approved"

const SkillData = v.object({
  name: v.fallback(v.string(), ""),
  description: v.fallback(v.string(), ""),
  path: v.fallback(v.string(), ""),
  /** Named by the user, in the goal or in the task. */
  isMandatory: v.fallback(v.boolean(), false),
  approvedBy: v.fallback(v.nullable(v.string()), null),
})

/** For an attempt at a task. */
export type ChosenSkill = Readonly<v.InferOutput<typeof SkillData>> &
  Pick<TeamRecord, "number" | "taskId" | "attempt"> & {
    readonly status: SkillStatus
    readonly chosenBy: string
  }

export function toChosenSkill(record: TeamRecord): ChosenSkill {
  const { number, taskId, attempt, by: chosenBy } = record
  const status = record.status === "approved" ? "approved" : "proposed"
  return { number, taskId, attempt, status, chosenBy, ...readRecord(SkillData, record) }
}

export interface TaskSkills {
  readonly chosen: readonly (Omit<ChosenSkill, "number"> & { readonly number: number | null })[]
  /** Named by the user, but not installed. */
  readonly missing: readonly string[]
}

/** Agents do not read more. The user may name more. */
const MOST_CHOSEN = 3

export interface SkillChoice {
  readonly skill: Skill
  readonly isMandatory: boolean
}

/**
 * Adds the best matches for role and task to what the user named, up to three. Never chooses a skill that matches
 * neither.
 */
export function chooseSkills(
  skills: readonly Skill[],
  { named, about, role }: { readonly named: string; readonly about: string; readonly role: string },
): SkillChoice[] {
  const mandatory = findNamed(named, skills)
  const [aboutWords, roleWords] = [wordsOf(about), wordsOf(role)]
  const rated = skills
    .filter((skill) => !mandatory.includes(skill))
    .map((skill) => ({ skill, score: scoreOf(skill, aboutWords) * ABOUT_TASK + scoreOf(skill, roleWords) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1))
  const room = Math.max(0, MOST_CHOSEN - mandatory.length)
  return [
    ...mandatory.map((skill) => ({ skill, isMandatory: true })),
    ...rated.slice(0, room).map(({ skill }) => ({ skill, isMandatory: false })),
  ]
}

/** The task counts more than the role, and the name of a skill more than its description. */
const ABOUT_TASK = 2
const IN_NAME = 2

function scoreOf({ name, description }: Skill, words: ReadonlySet<string>): number {
  return countShared(wordsOf(name), words) * IN_NAME + countShared(wordsOf(description), words)
}

/** Recognises "use the X skill", "with the X and Y skills", "使用 X 技能". */
export function findNamed(text: string, skills: readonly Skill[]): Skill[] {
  const found = new Set<Skill>()
  for (const list of listsIn(text)) {
    const names = list.split(SEPARATORS).map(fold)
    for (const skill of skills) if (names.includes(fold(skill.name))) found.add(skill)
  }
  return [...found]
}

/** Names that can only mean a skill, but are not installed. */
export function findMissing(text: string, skills: readonly Skill[]): string[] {
  const known = new Set(skills.map(({ name }) => fold(name)))
  const namesIn = (patterns: readonly RegExp[]) => listsIn(text, patterns).flatMap((list) => list.split(SEPARATORS))
  const sure = [
    ...namesIn(PATTERNS).filter((name) => /^["'`“「].+["'`”」]$|^[\w:.]+(?:[-:_.][\w:.]+)+$/u.test(name.trim())),
    // Latin letters in a Chinese sentence are a name.
    ...namesIn(CHINESE_PATTERNS).filter((name) => /^[a-z][\w:.-]*$/iu.test(name.trim())),
  ]
  return [...new Set(sure.map((name) => name.replaceAll(QUOTES, "").trim()))].filter((name) => !known.has(fold(name)))
}

const QUOTES = /["'`“”「」‘’]/gu
const SEPARATORS = /\s*(?:,|、|\band\b|和|与|及)\s*/iu
const NOT = "(?<!\\bnot )(?<!\\bnever )(?<!n't )(?<!n’t )"
const CHINESE_PATTERNS = [
  /(?<!不|不要|别|勿|不得)(?:使用|采用|运用|(?<![使采运])用)\s*([^。；！？\n]{1,100}?)\s*(?:这个|这些)?技能/gu,
  /(?<!不|不要|别|勿|不得)(?:使用|采用|运用|(?<![使采运])用)技能[:：]?\s*([^\s。；！？，,]+)/gu,
]
/** At most eight words between the verb and "skill": a list of names, not a sentence. */
const PATTERNS = [
  new RegExp(
    `${NOT}\\b(?:use|using|apply|with|via|by)\\s+(?:the\\s+|my\\s+|our\\s+)?((?:[^\\s.;!?。；]+\\s+){1,8}?)skills?\\b`,
    "giu",
  ),
  new RegExp(`${NOT}\\b(?:use|using|apply|with)\\s+(?:the\\s+)?skills?:?\\s+([^\\s.;!?。；]+)`, "giu"),
  ...CHINESE_PATTERNS,
]

function listsIn(text: string, patterns: readonly RegExp[] = PATTERNS): string[] {
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, list = ""]) => list.trim()))
}

/** `Code Review`, `code_review` and "code-review" are one name. */
function fold(name: string): string {
  return name
    .replaceAll(QUOTES, "")
    .trim()
    .toLowerCase()
    .replace(/^the\s+/, "")
    .replaceAll(/[\s_-]+/gu, "-")
}
