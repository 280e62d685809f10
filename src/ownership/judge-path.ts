import { quoteInput } from "../kernel/ids.ts"
import { findMatch, isWithin, matchesPattern, splitPattern } from "./file-pattern.ts"
import { fold } from "./fold-path.ts"

/** A task and the patterns of what it owns. */
export interface TaskFiles {
  readonly id: string
  readonly files: readonly string[]
}

/** Who may write what, at one moment, seen by one writer. */
export interface Ownership {
  /** Null for the lead, who looks after shared files and whatever no task owns. */
  readonly task: TaskFiles | null
  /** Every other task that has not ended. */
  readonly others: readonly TaskFiles[]
  /** What the lead lets this attempt at the task write besides. */
  readonly granted: readonly string[]
  /** Files of all. */
  readonly shared: readonly string[]
  /** The engine merges what tasks change in shared files, so every task may; otherwise they are the lead's. */
  readonly isCoordinated?: boolean
  /** The role of the task, where that only reads: nothing may be written, whatever is owned or granted. */
  readonly readOnlyRole?: string
  /** Why nothing at all may be written yet. */
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
  /** From the repository's root; as it was given when it leads out of there. */
  readonly path: string
  readonly allowed: boolean
  readonly reason: WriteReason
  /** The task that owns it, and by which pattern; or the pattern that the lead granted. */
  readonly owner: string | null
  readonly pattern: string | null
  /** One line that says why, and what to do. */
  readonly message: string
}

/**
 * Whether a file may be written: the one rule for hooks, for what is committed and for what is merged. `path` counts from
 * the repository's root.
 */
export function judgePath(path: string, ownership: Ownership): PathJudgement {
  const place = placeOf(path)
  const isTask = ownership.task !== null
  const way = isTask
    ? `; ask the lead: teamwork ownership ask --task ${ownership.task?.id} --path PATH --reason WHY`
    : ""
  const shown = quoteInput(place.path)
  const say = (reason: WriteReason, allowed: boolean, message: string): PathJudgement => {
    const hint = allowed || NO_WAY.includes(reason) ? "" : way
    return { path: place.path, allowed, reason, owner: null, pattern: null, message: `${shown} ${message}${hint}` }
  }
  if (place.problem === "outside") return say("outside", false, "is not inside the repository")
  if (place.problem === "git_folder") return say("git_folder", false, "belongs to git alone")
  if (ownership.readOnlyRole !== undefined)
    return say(
      "read_only",
      false,
      `may not be written: task ${ownership.task?.id} is for ${ownership.readOnlyRole}, a role that only reads`,
    )
  if (ownership.locked !== undefined) return say("not_approved", false, `may not be written yet: ${ownership.locked}`)
  const granted = findMatch(place.path, ownership.granted)
  if (granted !== undefined) return { ...say("granted", true, `is granted by the lead (${granted})`), pattern: granted }
  return isTask ? judgeTask(place.path, ownership, say) : judgeLead(place.path, ownership, say)
}

/** Nothing to ask the lead for. */
const NO_WAY: readonly WriteReason[] = ["outside", "git_folder", "not_approved", "read_only"]

type Say = (reason: WriteReason, allowed: boolean, message: string) => PathJudgement

function judgeTask(path: string, { task, others, shared, isCoordinated }: Ownership, say: Say): PathJudgement {
  const { id, files } = task ?? { id: "", files: [] }
  const isShared = findMatch(path, shared) !== undefined
  const own = isShared ? findClaim(path, files, shared) : findMatch(path, files)
  if (own !== undefined) return { ...say("owned", true, `belongs to task ${id} (${own})`), owner: id, pattern: own }
  if (isShared && isCoordinated === true)
    return say("shared", true, "is a shared file: the engine merges what tasks change in it")
  const other = findOwner(path, others, shared)
  if (other !== undefined) {
    const reason = files.length === 0 ? "owned_by_other" : "not_owned"
    return { ...say(reason, false, `belongs to task ${other.owner} (${other.pattern}), not to task ${id}`), ...other }
  }
  if (isShared) return say("shared", false, "is a shared file, which the lead looks after")
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
  return isShared ? say("shared", true, "is a shared file, the lead's") : say("free", true, "belongs to no task")
}

/** The task that owns a file, and by which pattern. */
function findOwner(
  path: string,
  tasks: readonly TaskFiles[],
  shared: readonly string[],
): { owner: string; pattern: string } | undefined {
  const isShared = findMatch(path, shared) !== undefined
  for (const { id, files } of tasks) {
    const pattern = isShared ? findClaim(path, files, shared) : findMatch(path, files)
    if (pattern !== undefined) return { owner: id, pattern }
  }
  return undefined
}

/**
 * The parts of a pattern that can match nothing but shared files: whoever writes `package.json` means it, and needs the
 * lead's word. A wider one, such as `src/**`, does not include the shared files below it.
 */
export function listClaims(pattern: string, shared: readonly string[]): string[] {
  return splitPattern(pattern).filter((part) => isWithin(part, shared))
}

/** Of a shared file: the pattern that names it as such. */
function findClaim(path: string, patterns: readonly string[], shared: readonly string[]): string | undefined {
  return patterns.find(
    (pattern) => matchesPattern(path, pattern) && findMatch(path, listClaims(pattern, shared)) !== undefined,
  )
}

/** The path without what means nothing, and whether it is one at all. */
function placeOf(path: string): { readonly path: string; readonly problem?: "outside" | "git_folder" } {
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

/** Some disks take these for `.git` as well. */
const GIT_FOLDER = /^(?:\.git|git~1)[ .]*$/

const MOST_SHOWN = 3

function list(patterns: readonly string[]): string {
  const more = patterns.length - MOST_SHOWN
  return `${patterns.slice(0, MOST_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}
