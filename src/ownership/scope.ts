import { quoteInput } from "../kernel/ids.ts"
import { judgePath, type Ownership, type WriteReason } from "./judge-path.ts"

/** What happened to one path between two states of a repository. A rename is a deletion and an addition. */
export interface FileChange {
  readonly path: string
  readonly change: "added" | "modified" | "deleted" | "mode"
  /** What is there now, or was before a deletion. */
  readonly type: "file" | "link" | "repository"
  /** Where a link leads. */
  readonly target?: string
}

export interface JudgedChange extends FileChange {
  readonly inScope: boolean
  readonly reason: WriteReason | "unreadable_name" | "link_outside" | "nested_repository" | "in_the_way"
  readonly message: string
}

/** Which changes a task may deliver: by who owns the path, and by what the change would bring in. */
function judgeChange(change: FileChange, ownership: Ownership): JudgedChange {
  const { allowed, reason, message } = judgePath(change.path, ownership)
  const refuse = (why: JudgedChange["reason"], text: string): JudgedChange => ({
    ...{ ...change, inScope: false, reason: why },
    message: `${quoteInput(change.path)} ${text}`,
  })
  if (change.path.includes(UNREADABLE)) return refuse("unreadable_name", "has a name that is not valid UTF-8")
  if (!allowed || change.change === "deleted") return { ...change, inScope: allowed, reason, message }
  if (change.type === "link" && leadsOut(change))
    return refuse("link_outside", `is a link that leads out of the repository, to ${quoteInput(change.target ?? "")}`)
  // Its commits lie in another repository, where nothing keeps them.
  if (change.type === "repository" && change.change === "added")
    return refuse("nested_repository", "is a repository of its own; only the lead adds submodules")
  return { ...change, inScope: true, reason, message }
}

export interface JudgedChanges {
  readonly kept: readonly JudgedChange[]
  readonly aside: readonly JudgedChange[]
}

/** All changes of one state to another. Those that are kept can be made without those that are not. */
export function judgeChanges(changes: readonly FileChange[], ownership: Ownership): JudgedChanges {
  const judged = changes.map((change) => judgeChange(change, ownership))
  const staying = judged.filter(({ inScope, change }) => !inScope && change === "deleted").map(({ path }) => path)
  const settled = judged.map((change): JudgedChange => {
    if (!change.inScope || change.change === "deleted") return change
    const other = staying.find((path) => isBelow(path, change.path) || isBelow(change.path, path))
    if (other === undefined) return change
    const message = `${quoteInput(change.path)} cannot be there as long as ${quoteInput(other)} is`
    return { ...change, inScope: false, reason: "in_the_way", message }
  })
  return { kept: settled.filter((change) => change.inScope), aside: settled.filter((change) => !change.inScope) }
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}

/** What stands for bytes that are no letters. */
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
