import { getTree, readBlob } from "./ancestry.ts"
import type { Git } from "./git.ts"
import type { Change, FileMode } from "./port.ts"

/**
 * What differs between two commits or trees, path by path. Nothing is hidden: neither by attributes and drivers, nor by
 * what `.gitmodules` says is to be ignored.
 */
export async function readChanges(git: Git, from: string, to: string): Promise<Change[]> {
  const answers = await git.answers()
  const [one, other] = await Promise.all([getTree(git, from), getTree(git, to)])
  const output = await answers.diff(READ_CHANGES, one, other)
  const changes = parseChanges(output.split("\0").filter((entry) => entry !== ""))
  return Promise.all(
    changes.map(async (change) =>
      change.newMode === "120000" ? { ...change, linksTo: await readBlob(git, change.newId) } : change,
    ),
  )
}

const READ_CHANGES = [
  ...["-z", "--raw", "--numstat", "--no-abbrev", "-M"],
  ...["--no-ext-diff", "--no-textconv", "--ignore-submodules=none"],
]

/** First every raw entry, `:modes ids status` and one or two paths, then the counted lines of each in the same order. */
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

const STATUSES: Readonly<Record<string, Change["status"]>> = {
  A: "added",
  D: "deleted",
  M: "modified",
  R: "renamed",
  T: "modified",
}

function modeOf(text: string): FileMode | null {
  return text === "000000" ? null : (text as FileMode)
}
