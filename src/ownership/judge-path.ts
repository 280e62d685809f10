import { quoteInput } from "../kernel/ids.ts"
import { findMatch, isCoveredBy, matchesPattern, splitPattern } from "./file-pattern.ts"
import { fold } from "./fold-path.ts"

export interface TaskFiles {
  readonly id: string
  readonly files: readonly string[]
}

export interface Ownership {
  /** Null for the lead, who writes shared files and files without an owner. */
  readonly task: TaskFiles | null
  /** Not ended yet. */
  readonly others: readonly TaskFiles[]
  /** By exceptions for this attempt. */
  readonly granted: readonly string[]
  readonly shared: readonly string[]
  /** The engine merges shared files, so every task may change them; otherwise only the lead. */
  readonly isCoordinated?: boolean
  /** This role may write nothing, whatever the task owns. */
  readonly readOnlyRole?: string
  /** Why nothing may be written yet. */
  readonly locked?: string
}

export type WriteReason =
  | "owned"
  | "granted"
  | "free"
  | "not_owned"
  | "owned_by_other"
  | "shared"
  | "not_approved"
  | "read_only"
  | "outside"
  | "git_folder"

export interface PathJudgement {
  /** Relative to the root; as given if it leads out of the repository. */
  readonly path: string
  readonly allowed: boolean
  readonly reason: WriteReason
  /** Task that owns the path. */
  readonly owner: string | null
  /** The owner's pattern, or the granted one. */
  readonly pattern: string | null
  /** One line with the reason and what to do. */
  readonly message: string
}

/** The one rule for hooks, commits and merges. `path` is relative to the repository's root. */
export function judgePath(path: string, ownership: Ownership): PathJudgement {
  const place = normalise(path)
  const { task } = ownership
  const way = task === null ? "" : `; ask the lead: teamwork ownership ask --task ${task.id} --path PATH --reason WHY`
  const shown = quoteInput(place.path)
  const say = (reason: WriteReason, allowed: boolean, message: string): PathJudgement => {
    const hint = allowed || NOT_ASKABLE.includes(reason) ? "" : way
    return { path: place.path, allowed, reason, owner: null, pattern: null, message: `${shown} ${message}${hint}` }
  }
  if (place.problem === "outside") return say("outside", false, "is not inside the repository")
  if (place.problem === "git_folder") return say("git_folder", false, "belongs to git")
  if (ownership.readOnlyRole !== undefined)
    return say(
      "read_only",
      false,
      `may not be written: task ${task?.id} is for ${ownership.readOnlyRole}, a role that only reads`,
    )
  if (ownership.locked !== undefined) return say("not_approved", false, `may not be written yet: ${ownership.locked}`)
  const granted = findMatch(place.path, ownership.granted)
  if (granted !== undefined) return { ...say("granted", true, `is granted by the lead (${granted})`), pattern: granted }
  return task === null ? judgeLead(place.path, ownership, say) : judgeTask(place.path, { ...ownership, task }, say)
}

/** The lead cannot grant these. */
const NOT_ASKABLE: readonly WriteReason[] = ["outside", "git_folder", "not_approved", "read_only"]

type Say = (reason: WriteReason, allowed: boolean, message: string) => PathJudgement

function judgeTask(
  path: string,
  { task: { id, files }, others, shared, isCoordinated }: Ownership & { readonly task: TaskFiles },
  say: Say,
): PathJudgement {
  const isShared = findMatch(path, shared) !== undefined
  const own = findOwning(path, files, shared)
  if (own !== undefined) return { ...say("owned", true, `belongs to task ${id} (${own})`), owner: id, pattern: own }
  if (isShared && isCoordinated === true)
    return say("shared", true, "is a shared file: the engine merges what tasks change in it")
  const other = findOwner(path, others, shared)
  if (other !== undefined) {
    const reason = files.length === 0 ? "owned_by_other" : "not_owned"
    return { ...say(reason, false, `belongs to task ${other.owner} (${other.pattern}), not to task ${id}`), ...other }
  }
  if (isShared) return say("shared", false, "is a shared file, which only the lead may change")
  if (files.length === 0) return say("free", true, "belongs to no task")
  const folder = files.find((pattern) => matchesPattern(path, `${pattern}/`))
  if (folder === undefined) return say("not_owned", false, `does not belong to task ${id}, which owns ${list(files)}`)
  const hint = `task ${id} owns ${folder} as a file; the files of a folder are ${folder}/`
  return say("not_owned", false, `does not belong to task ${id}: ${hint}`)
}

function judgeLead(path: string, { others, shared }: Ownership, say: Say): PathJudgement {
  const other = findOwner(path, others, shared)
  if (other !== undefined)
    return { ...say("owned_by_other", false, `belongs to task ${other.owner} (${other.pattern})`), ...other }
  const isShared = findMatch(path, shared) !== undefined
  return isShared
    ? say("shared", true, "is a shared file, which the lead may change")
    : say("free", true, "belongs to no task")
}

function findOwner(
  path: string,
  tasks: readonly TaskFiles[],
  shared: readonly string[],
): { owner: string; pattern: string } | undefined {
  for (const { id, files } of tasks) {
    const pattern = findOwning(path, files, shared)
    if (pattern !== undefined) return { owner: id, pattern }
  }
  return undefined
}

/**
 * Choices of a pattern that match only shared files, such as `package.json`, claim those files. A wider pattern
 * such as `src/**` does not.
 */
export function listSharedParts(pattern: string, shared: readonly string[]): string[] {
  return splitPattern(pattern).filter((part) => isCoveredBy(part, shared))
}

/** Only a claim owns a shared file. */
function findOwning(path: string, patterns: readonly string[], shared: readonly string[]): string | undefined {
  const own = patterns.filter((pattern) => matchesPattern(path, pattern))
  if (own.length === 0 || findMatch(path, shared) === undefined) return own[0]
  return own.find((pattern) => findMatch(path, listSharedParts(pattern, shared)) !== undefined)
}

/** Removes `.`, `..` and empty segments. */
function normalise(path: string): { readonly path: string; readonly problem?: "outside" | "git_folder" } {
  if (path.startsWith("/") || path.includes("\0")) return { path, problem: "outside" }
  const parts: string[] = []
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue
    if (part !== "..") parts.push(part)
    else if (parts.pop() === undefined) return { path, problem: "outside" }
  }
  if (parts.length === 0) return { path, problem: "outside" }
  const isGit = parts.some((part) => GIT_FOLDER.test(fold(part)))
  return { path: parts.join("/"), ...(isGit ? { problem: "git_folder" } : {}) }
}

/** Some disks treat these as `.git`. */
const GIT_FOLDER = /^(?:\.git|git~1)[ .]*$/

const MOST_SHOWN = 3

function list(patterns: readonly string[]): string {
  const more = patterns.length - MOST_SHOWN
  return `${patterns.slice(0, MOST_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}
