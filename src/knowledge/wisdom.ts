import * as v from "valibot"
import { readRecord, type TeamRecord } from "../kernel/record.ts"
import { countShared, wordsOf } from "../kernel/words.ts"
import type { Task } from "../tasks/task.ts"

export const WISDOM_KINDS = ["learning", "decision", "issue"] as const
export type WisdomKind = (typeof WISDOM_KINDS)[number]

/** Agents do not see `removed` entries, which stay in the store. */
export const WISDOM_STATUSES = ["kept", "removed"] as const

const WisdomData = v.object({
  kind: v.fallback(v.picklist(WISDOM_KINDS), "learning"),
  text: v.fallback(v.string(), ""),
  /** Null for all roles. */
  role: v.fallback(v.nullable(v.string()), null),
  files: v.fallback(v.pipe(v.array(v.string()), v.readonly()), []),
  /** How often workers reported it. */
  count: v.fallback(v.number(), 1),
})

/** Something that workers on other tasks should know, with the task and attempt that learned it. */
export type Wisdom = Readonly<v.InferOutput<typeof WisdomData>> &
  Pick<TeamRecord, "number" | "taskId" | "attempt" | "by" | "createdAt" | "updatedAt">

export function toWisdom(record: TeamRecord): Wisdom {
  const { number, taskId, attempt, by, createdAt, updatedAt } = record
  return { number, taskId, attempt, by, createdAt, updatedAt, ...readRecord(WisdomData, record) }
}

/** Agents do not read more. */
const WISDOM_IN_PROMPT = { entries: 12, charactersEach: 600, charactersInAll: 4000 } as const

type About = Pick<Task, "title" | "description" | "files" | "role">

/** Fills the room in a prompt. Best first: by common words and files, then by role, then the newest. */
export function relevantWisdom(all: readonly Wisdom[], about: About, limits = WISDOM_IN_PROMPT): Wisdom[] {
  const words = wordsOf([about.title, about.description, ...about.files].join("\n"))
  const rated = all.map((wisdom) => ({ wisdom, score: scoreOf(wisdom, words, about.role) }))
  rated.sort((a, b) => b.score - a.score || b.wisdom.number - a.wisdom.number)
  const chosen: Wisdom[] = []
  let characters = 0
  for (const { wisdom } of rated) {
    const text = clip(wisdom.text, limits.charactersEach)
    characters += text.length
    if (chosen.length === limits.entries || characters > limits.charactersInAll) break
    chosen.push({ ...wisdom, text })
  }
  return chosen
}

const SAME_ROLE = 1
const SHARED_WORD = 2

function scoreOf({ text, files, role }: Wisdom, words: ReadonlySet<string>, asked: string): number {
  const shared = countShared(wordsOf([text, ...files].join("\n")), words)
  return shared * SHARED_WORD + (role === asked ? SAME_ROLE : 0)
}

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
}
