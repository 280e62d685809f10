import { quoteInput } from "../kernel/ids.ts"
import type { JudgedChange } from "./scope.ts"

/** The message says what to do instead. */
export interface NotDelivered {
  readonly path: string
  readonly what: "ignored" | "repository"
  readonly message: string
}

const WILDCARD = /[*?[{]/

/** Patterns up to the first wildcard: files, and folders that contain every match. */
export function plainPaths(patterns: readonly string[]): string[] {
  const paths = patterns.flatMap((pattern) => {
    const parts = pattern.replace(/^\.\//, "").split("/")
    const wild = parts.findIndex((part) => WILDCARD.test(part))
    const plain = (wild === -1 ? parts : parts.slice(0, wild)).filter((part) => part !== "")
    return plain.length === 0 || pattern.startsWith("!") ? [] : [plain.join("/")]
  })
  return [...new Set(paths)]
}

export function ignoredFile(path: string): NotDelivered {
  const message = `${quoteInput(path)} belongs to the task but git ignores it, so it is not delivered; write it elsewhere, or remove it from .gitignore`
  return { path, what: "ignored", message }
}

/** Git repositories created inside the workspace and set aside. */
export function nestedRepositories(aside: readonly JudgedChange[]): NotDelivered[] {
  return aside
    .filter(({ reason }) => reason === "nested_repository")
    .map(({ path }) => {
      const folder = path.replace(/\/$/, "")
      const message = `${quoteInput(folder)} is a separate git repository (from git init or git clone), so its files are not delivered; remove ${folder}/.git to include them`
      return { path: folder, what: "repository", message }
    })
}
