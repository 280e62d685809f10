import { quoteInput } from "../kernel/ids.ts"
import { judgePath, type Ownership, type WriteReason } from "./judge-path.ts"

/** A rename is a deletion and an addition. */
export interface FileChange {
  readonly path: string
  readonly change: "added" | "modified" | "deleted" | "mode"
  /** The old type for a deletion. */
  readonly type: "file" | "link" | "repository"
  /** Of a link. */
  readonly target?: string
}

export interface JudgedChange extends FileChange {
  readonly inScope: boolean
  readonly reason: WriteReason | "unreadable_name" | "link_outside" | "nested_repository" | "in_the_way"
  readonly message: string
}

function judgeChange(change: FileChange, ownership: Ownership): JudgedChange {
  const { allowed, reason, message } = judgePath(change.path, ownership)
  const refuse = (why: JudgedChange["reason"], text: string): JudgedChange => {
    return { ...change, inScope: false, reason: why, message: `${quoteInput(change.path)} ${text}` }
  }
  if (change.path.includes(UNREADABLE)) return refuse("unreadable_name", "has a name that is not valid UTF-8")
  if (!allowed || change.change === "deleted") return { ...change, inScope: allowed, reason, message }
  if (change.type === "link" && leadsOut(change))
    return refuse("link_outside", `is a link to ${quoteInput(change.target ?? "")}, outside of the repository`)
  // Its commits are in another repository, so nothing here would keep them.
  if (change.type === "repository" && change.change === "added")
    return refuse("nested_repository", "is a separate git repository; only the lead adds submodules")
  return { ...change, inScope: true, reason, message }
}

export interface JudgedChanges {
  readonly kept: readonly JudgedChange[]
  readonly aside: readonly JudgedChange[]
}

/** The kept changes can be applied without the others. */
export function judgeChanges(changes: readonly FileChange[], ownership: Ownership): JudgedChanges {
  const judged = changes.map((change) => judgeChange(change, ownership))
  const staying = judged.filter(({ inScope, change }) => !inScope && change === "deleted").map(({ path }) => path)
  const settled = judged.map((change): JudgedChange => {
    if (!change.inScope || change.change === "deleted") return change
    const other = staying.find((path) => isBelow(path, change.path) || isBelow(change.path, path))
    if (other === undefined) return change
    const message = `${quoteInput(change.path)} cannot exist while ${quoteInput(other)} does`
    return { ...change, inScope: false, reason: "in_the_way", message }
  })
  return { kept: settled.filter((change) => change.inScope), aside: settled.filter((change) => !change.inScope) }
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}

/** The decoder's replacement for invalid UTF-8. */
const UNREADABLE = "\ufffd"

function leadsOut({ path, target = "" }: FileChange): boolean {
  if (target.startsWith("/")) return true
  const parts = path.split("/").slice(0, -1)
  for (const part of target.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return true
    } else if (part !== "" && part !== ".") parts.push(part)
  }
  return parts.some((part) => part.toLowerCase() === ".git")
}
