import { findMatch } from "../../ownership/file-pattern.ts"
import type { Task } from "../../tasks/task.ts"
import type { Responsibility } from "../roles/roles.ts"
import { findWorkKind } from "./work-kind.ts"

/** Decides who does a task and how it is handed over. */
export const WORK_TYPES = ["code", "document", "research", "design"] as const
export type WorkType = (typeof WORK_TYPES)[number]

type Described = Pick<Task, "title" | "description" | "role" | "files"> & { readonly agentType?: string | null }

const OF_NAME: Readonly<Record<string, WorkType>> = {
  docs: "document",
  review: "research",
  designer: "design",
  explorer: "research",
  architect: "research",
  frontend: "code",
  backend: "code",
  devops: "code",
  test: "code",
  security: "code",
}
const FILES: readonly (readonly [WorkType, readonly string[]])[] = [
  ["design", ["design/**", "designs/**", "**/*.svg", "**/*.fig", "**/*.sketch"]],
  ["document", ["docs/**", "doc/**", "**/*.md", "**/*.rst", "**/*.adoc"]],
]
const WORDS: readonly (readonly [WorkType, RegExp])[] = [
  ["research", /^(?:please )?(?:research|investigate|explore|analy[sz]e|compare|survey|study|evaluate|find out)\b/i],
  [
    "design",
    /^(?:please )?(?:design|sketch|draft the (?:layout|interface))\b|\b(?:mock-?ups?|wireframes?|style guide)\b/i,
  ],
  [
    "document",
    /^(?:please )?(?:document|describe)\b|^(?:please )?(?:write|update|add|extend)\b.{0,40}\b(?:readme|docs|documentation|guide|manual|handbook|tutorial|changelog)\b/i,
  ],
]

const OF_RESPONSIBILITY: Readonly<Partial<Record<Responsibility, WorkType>>> = {
  exploration: "research",
  analysis: "research",
  review: "research",
  synthesis: "document",
}

/** In this order: agent type, responsibility of a generated role, role, files, words. */
export function workTypeOf(
  { title, description, role, files, agentType }: Described,
  responsibility?: Responsibility,
): WorkType {
  const made = responsibility === undefined ? undefined : OF_RESPONSIBILITY[responsibility]
  const named = OF_NAME[agentType ?? ""] ?? made ?? OF_NAME[role]
  if (named !== undefined) return named
  const byFiles = FILES.find(
    ([, patterns]) => files.length > 0 && files.every((file) => findMatch(plainPath(file), patterns) !== undefined),
  )
  if (byFiles !== undefined) return byFiles[0]
  const byWords = WORDS.find(([, pattern]) => pattern.test(title))
  if (byWords !== undefined) return byWords[0]
  const kind = findWorkKind(`${title}\n${description}`, "ambiguous", 0)
  return kind === "review" || kind === "security audit" || kind === "architecture" ? "research" : "code"
}

/** Wildcards become names. */
function plainPath(pattern: string): string {
  return pattern.replaceAll("**", "any").replaceAll("*", "any")
}
