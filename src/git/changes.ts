import type { FileChange } from "../ownership/scope.ts"
import { getTree, readBlob } from "./ancestry.ts"
import type { Git } from "./git.ts"
import type { Change, FileMode } from "./port.ts"

export interface GitChange extends FileChange {
  readonly mode: string
  readonly oid: string
}

const LINK = "120000"
const REPOSITORY = "160000"

export function readChanges(git: Git, from: string, to: string): Promise<Change[]> {
  return diff(git, ["--numstat", "-M"], from, to)
}

/** Without renames: each is a deletion and an addition. */
export async function listChanges(git: Git, from: string, to: string): Promise<GitChange[]> {
  const changes = await diff(git, ["--no-renames"], from, to)
  return changes.map(({ path, status, oldMode, newMode, oldId, newId, linksTo }) => {
    const shown = newMode ?? oldMode
    const type = shown === LINK ? "link" : shown === REPOSITORY ? "repository" : "file"
    // A repository that replaces a file counts as new too.
    const isNew = status === "added" || (newMode === REPOSITORY && oldMode !== REPOSITORY)
    const change = status === "deleted" ? "deleted" : isNew ? "added" : oldId === newId ? "mode" : "modified"
    const target = linksTo === undefined ? {} : { target: linksTo }
    return { path, type, change, mode: newMode ?? "000000", oid: newId, ...target }
  })
}

/** Ignores attributes, drivers and `ignore` in `.gitmodules`, which could hide changes. */
async function diff(git: Git, options: readonly string[], from: string, to: string): Promise<Change[]> {
  const objects = await git.objects()
  const [one, other] = await Promise.all([getTree(git, from), getTree(git, to)])
  const output = await objects.diff([...RAW_DIFF, ...options], one, other)
  const changes = parseChanges(output.split("\0").filter((entry) => entry !== ""))
  return Promise.all(
    changes.map(async (change) =>
      change.newMode === LINK ? { ...change, linksTo: await readBlob(git, change.newId) } : change,
    ),
  )
}

const RAW_DIFF = ["-z", "--raw", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"]

/** First all raw entries, `:modes ids status` and one or two paths; then the line counts in the same order. */
function parseChanges(entries: readonly string[]): Change[] {
  const raw: Omit<Change, "isBinary" | "addedLines" | "deletedLines">[] = []
  const counts: { added: string; deleted: string }[] = []
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at] ?? ""
    const [, oldMode, newMode, oldId = "", newId = "", letter = "", score] = RAW.exec(entry) ?? []
    if (oldMode !== undefined && newMode !== undefined) {
      const isMoved = score !== undefined && score !== "" && (letter === "R" || letter === "C")
      const oldPath = entries[++at] ?? ""
      const path = isMoved ? (entries[++at] ?? "") : oldPath
      const status = STATUSES[letter] ?? "modified"
      raw.push({ path, status, oldPath, oldMode: modeOf(oldMode), newMode: modeOf(newMode), oldId, newId })
      continue
    }
    const [added = "", deleted = "", path] = entry.split("\t")
    counts.push({ added, deleted })
    if (path === "") at += 2
  }
  return raw.map((change, index) => {
    const { added = "0", deleted = "0" } = counts[index] ?? {}
    const isBinary = added === "-"
    return {
      ...change,
      isBinary,
      addedLines: isBinary ? 0 : Number(added),
      deletedLines: isBinary ? 0 : Number(deleted),
    }
  })
}

const RAW = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])(\d*)$/

const STATUSES: Readonly<Record<string, Change["status"]>> = { A: "added", D: "deleted", R: "renamed" }

function modeOf(text: string): FileMode | null {
  return text === "000000" ? null : (text as FileMode)
}
