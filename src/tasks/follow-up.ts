import { SCRIPT } from "../agents/programs.ts"
import { MAX_ID_LENGTH, type TaskId } from "../kernel/ids.ts"
import { NO_WORK, type Role, type Task } from "./task.ts"

export const CASCADE_KINDS = ["test", "review"] as const
export type CascadeKind = (typeof CASCADE_KINDS)[number]

const MAX_CASCADE_DEPTH = 3

/** In a title: no follow-ups. */
const NO_CASCADE = /\[no-cascade\]/i
/** Ids of tasks that fix a merge, or a finding of a gate or a review. */
const FIXES = /^(?:(?:fix|mend)-.+-\d+|finding-\d+-.+)$/
/** Follows from the task, so there is only one. */
export function cascadeIdOf(id: TaskId, kind: CascadeKind): TaskId {
  const plain = `${kind}-${id}`
  if (plain.length <= MAX_ID_LENGTH) return plain as TaskId
  return `${kind}-${new Bun.CryptoHasher("sha256").update(id).digest("hex").slice(0, 16)}` as TaskId
}

export function mayCascade({ id, title, work }: Pick<Task, "id" | "title" | "work">): boolean {
  if (FIXES.test(id) || NO_CASCADE.test(title)) return false
  return work.cascadeDepth < MAX_CASCADE_DEPTH && work.agent !== SCRIPT && work.commands.length === 0
}

export const FOLLOW_UP_ROLES = {
  test: { role: "test", agentType: "test-engineer" },
  review: { role: "review", agentType: "quality-reviewer" },
} as const satisfies Record<CascadeKind, { readonly role: Role; readonly agentType: string }>

const FOLLOW_UP_TITLES = { test: "Test: ", review: "Review: " } as const satisfies Record<CascadeKind, string>
const MAX_TITLE = 500

/** `Test: TITLE`, also for the follow-up of a follow-up. The first word decides about the next one. */
export function titleOfFollowUp(kind: CascadeKind, { title, work }: Pick<Task, "title" | "work">): string {
  const prefix = Object.values(FOLLOW_UP_TITLES).find((each) => title.startsWith(each))
  const own = work.cascadeOf === null || prefix === undefined ? title : title.slice(prefix.length)
  return `${FOLLOW_UP_TITLES[kind]}${own}`.slice(0, MAX_TITLE)
}

export interface FollowUp {
  readonly id: TaskId
  readonly title: string
  readonly of: TaskId
  readonly kind: CascadeKind
  readonly role: Role
  readonly agentType: string
}

/** If no task brings its own tests. */
export function listFollowUps(
  tasks: readonly Pick<Task, "id" | "title" | "description" | "work">[],
): readonly FollowUp[] {
  const known = new Set<string>(tasks.map(({ id }) => id))
  const found: FollowUp[] = []
  for (const first of tasks) {
    for (let task = first; mayCascade(task); ) {
      const kind = followUpOf(task)
      const id = kind && cascadeIdOf(task.id, kind)
      if (kind === undefined || id === undefined || known.has(id)) break
      known.add(id)
      const title = titleOfFollowUp(kind, task)
      found.push({ id, title, of: task.id, kind, ...FOLLOW_UP_ROLES[kind] })
      const work = { ...NO_WORK, cascadeOf: task.id, cascadeDepth: task.work.cascadeDepth + 1 }
      task = { id, title, description: "", work }
    }
  }
  return found
}

const BUILDING = "implement|creat|build|fix|add|refactor"
const TESTING = "test|spec|coverage"
const ENDING = "review|audit|check|explor|debug|analy[sz]"
const FORMS = "(?:e|s|es|d|ed|ing|ging)?"
const KEYWORD = new RegExp(`\\b(?:(${BUILDING})${FORMS}|(${TESTING})${FORMS}|(?:${ENDING})${FORMS})\\b`, "i")
/** "Add more unit tests" is about tests; "add a page and its tests" is not. */
const OBJECT = new RegExp(`^\\w+\\s+(?:(?!(?:and|for|of|with)\\b)[\\w-]+\\s+){0,3}?(?:${TESTING})s?\\b`, "i")

/** By the words of the title, else of the description. */
export function followUpOf({ title, description }: Pick<Task, "title" | "description">): CascadeKind | undefined {
  const found = kindOf(title) ?? kindOf(description)
  return found === "building" ? "test" : found === "testing" ? "review" : undefined
}

/** The first keyword decides. */
function kindOf(text: string): "building" | "testing" | "ending" | undefined {
  const found = KEYWORD.exec(text)
  if (found === null) return undefined
  const [, building, testing] = found
  if (building !== undefined && !OBJECT.test(text.slice(found.index))) return "building"
  return building === undefined && testing === undefined ? "ending" : "testing"
}
