import type { TaskId } from "../kernel/ids.ts"
import type { TeamRecord } from "../kernel/record.ts"
import { countShared, wordsOf } from "../kernel/words.ts"
import type { Task } from "../tasks/task.ts"

export const WISDOM_KINDS = ["learning", "decision", "issue"] as const
export type WisdomKind = (typeof WISDOM_KINDS)[number]

/** `removed` ones stay in the record and reach nobody. */
export const WISDOM_STATUSES = ["kept", "removed"] as const

/** Something that whoever does other tasks should know. */
export interface Wisdom {
  readonly number: number
  readonly kind: WisdomKind
  readonly text: string
  /** The role that it is meant for most of all; null for everybody. */
  readonly role: string | null
  readonly files: readonly string[]
  /** Where it was learned. */
  readonly taskId: TaskId | null
  readonly attempt: number | null
  /** How often it was said. */
  readonly count: number
  readonly by: string
  readonly createdAt: string
  /** When it was said last. */
  readonly updatedAt: string
}

export function toWisdom({ number, taskId, attempt, data, by, createdAt, updatedAt }: TeamRecord): Wisdom {
  const { kind, text, role, files, count } = data
  return {
    ...{ number, taskId, attempt, by, createdAt, updatedAt },
    kind: WISDOM_KINDS.find((each) => each === kind) ?? "learning",
    text: typeof text === "string" ? text : "",
    role: typeof role === "string" ? role : null,
    files: Array.isArray(files) ? files.map(String) : [],
    count: typeof count === "number" ? count : 1,
  }
}

/** What of it a prompt tells: more would not be read. */
const WISDOM_IN_PROMPT = { entries: 12, charactersEach: 600, charactersInAll: 4000 } as const

type About = Pick<Task, "title" | "description" | "files" | "role">

/** The most relevant first: by common words and files, then by role, then the newest; as much as a prompt has room for. */
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
