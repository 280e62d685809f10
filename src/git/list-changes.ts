import type { FileChange } from "../ownership/scope.ts"
import { getTree, readBlob } from "./ancestry.ts"
import type { Git } from "./git.ts"

/** A change with what git needs to make it again. */
export interface GitChange extends FileChange {
  readonly mode: string
  readonly oid: string
}

const LINK = "120000"
const REPOSITORY = "160000"

/** Every path in which two trees differ. Renames are what they are made of: a deletion and an addition. */
export async function listChanges(git: Git, from: string, to: string): Promise<GitChange[]> {
  const answers = await git.answers()
  const [one, other] = await Promise.all([getTree(git, from), getTree(git, to)])
  const output = await answers.diff(
    ["-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none"],
    one,
    other,
  )
  const fields = output.split("\0").filter((entry) => entry !== "")
  const changes: GitChange[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const change = parseChange(fields[at] ?? "", fields[at + 1] ?? "")
    const isNewLink = change.type === "link" && change.change !== "deleted"
    changes.push(isNewLink ? { ...change, target: await readBlob(git, change.oid) } : change)
  }
  return changes
}

/** `:100644 100755 <before> <after> M`, and the path. */
function parseChange(line: string, path: string): GitChange {
  const [oldMode = "", mode = "", before, oid = "", status = ""] = line.slice(1).split(" ")
  const shown = status === "D" ? oldMode : mode
  const type = shown === LINK ? "link" : shown === REPOSITORY ? "repository" : "file"
  return { path, type, change: nameChange(status, { oldMode, mode, isSame: before === oid }), mode, oid }
}

function nameChange(
  status: string,
  { oldMode, mode, isSame }: { oldMode: string; mode: string; isSame: boolean },
): FileChange["change"] {
  if (status === "D") return "deleted"
  // In the place of a file, it is a new repository all the same.
  if (status === "A" || (mode === REPOSITORY && oldMode !== REPOSITORY)) return "added"
  return isSame ? "mode" : "modified"
}
