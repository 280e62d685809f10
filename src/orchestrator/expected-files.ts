import { findRule } from "../delivery/shared-files/find-rule.ts"
import { isLockFile } from "../delivery/shared-files/lock-files.ts"
import type { Task } from "../tasks/task.ts"

/** The files that a task is expected to change. */
export interface ExpectedFiles {
  /** As patterns: what it owns. */
  readonly patterns: readonly string[]
  /** By name: what it changed, or, where it owns nothing, what its words name. */
  readonly paths: readonly string[]
}

/** Something like a path: with a folder, or with an ending. */
const PATH = /(?:[\w@.-]+\/)+[\w@.-]*\w|[\w-][\w.-]*\.[a-z]\w{0,7}(?![\w.])/gi
const MOST_PATHS = 50

/** Before anybody has worked on it: by what the plan says. Files that are merged by a rule do not count. */
export function expectFiles(task: Pick<Task, "title" | "description" | "files" | "work">): ExpectedFiles {
  // It may write nothing else.
  if (task.files.length > 0) return { patterns: task.files.filter((file) => !isMergedByRule(file)), paths: [] }
  const text = [task.title, task.description, ...task.work.commands].join("\n")
  const paths = new Set(text.match(PATH)?.map((path) => path.replace(/^\.\//, "")) ?? [])
  return { patterns: [], paths: [...paths].filter((path) => !isMergedByRule(path)).slice(0, MOST_PATHS) }
}

export function isMergedByRule(path: string): boolean {
  return isLockFile(path) || findRule(path) !== undefined
}
