import { quoteInput } from "../kernel/ids.ts"
import type { JudgedChange } from "./scope.ts"

/** Something of a task's own that is in its workspace and cannot be delivered as it is, in words with the way out. */
export interface NotDelivered {
  readonly path: string
  readonly what: "ignored" | "repository"
  readonly message: string
}

/** Where patterns start to mean more than one path. */
const MANY = /[*?[{]/

/** The paths that patterns name without doubt: files, and the folders that all of a pattern lies in. */
export function plainPaths(patterns: readonly string[]): string[] {
  const paths = patterns.flatMap((pattern) => {
    const parts = pattern.replace(/^\.\//, "").split("/")
    const many = parts.findIndex((part) => MANY.test(part))
    const plain = (many === -1 ? parts : parts.slice(0, many)).filter((part) => part !== "")
    return plain.length === 0 || pattern.startsWith("!") ? [] : [plain.join("/")]
  })
  return [...new Set(paths)]
}

export function ignoredFile(path: string): NotDelivered {
  const message = `${quoteInput(path)} belongs to the task and is ignored by git, so it is not delivered; write it elsewhere, or take it out of .gitignore if it is to be part of the repository`
  return { path, what: "ignored", message }
}

/** Of what was set aside: repositories that somebody made in the workspace. */
export function nestedRepositories(aside: readonly JudgedChange[]): NotDelivered[] {
  return aside
    .filter(({ reason }) => reason === "nested_repository")
    .map(({ path }) => {
      const folder = path.replace(/\/$/, "")
      const message = `${quoteInput(folder)} is a git repository of its own (git init or git clone was run there), so its files are not delivered; remove ${folder}/.git to make them part of this one`
      return { path: folder, what: "repository", message }
    })
}
