import { AppError } from "../../kernel/errors.ts"
import type { Git } from "../git.ts"
import type { Conflict, ConflictHunk, Merged } from "../port.ts"

export async function mergeCommits(git: Git, ours: string, theirs: string): Promise<Merged> {
  const result = await git.run([...MERGE_TREE, ours, theirs])
  if (result.exitCode > 1) {
    throw new AppError("git.failed", `git merge-tree of ${ours} and ${theirs} failed: ${result.stderr}`, {
      ours,
      theirs,
    })
  }
  const { tree, messages } = parseMergeTree(result.stdout)
  if (result.exitCode === 0) return { isClean: true, tree }
  const conflicts: Conflict[] = []
  for (const { paths, type, text } of messages) {
    const [path] = paths
    if (!type.startsWith("CONFLICT") || path === undefined) continue
    if (conflicts.some((conflict) => conflict.path === path)) continue
    // The message names more kinds than the type does.
    const kind = /^CONFLICT \(([^)]+)\)/.exec(text)?.[1] ?? type.replace(/^CONFLICT \(|\)$/g, "")
    conflicts.push({ path, kind, message: text.trim(), hunks: await readHunks(git, tree, path) })
  }
  return { isClean: false, conflicts, tree }
}

// `parseHunks` reads markers without the base, whatever style the user prefers.
const MERGE_TREE = ["-c", "merge.conflictStyle=merge", "merge-tree", "--write-tree", "-z", "--messages"]

interface MergeTree {
  readonly tree: string
  readonly messages: readonly { paths: readonly string[]; type: string; text: string }[]
}

/** The tree; conflicting entries up to an empty one; then messages: number of paths, paths, type, text. */
function parseMergeTree(output: string): MergeTree {
  const [tree = "", ...rest] = output.split("\0")
  const messages: { paths: string[]; type: string; text: string }[] = []
  const start = rest.indexOf("")
  for (let at = start + 1; start !== -1 && at < rest.length - 1; ) {
    const count = Number(rest[at])
    const paths = rest.slice(at + 1, at + 1 + count)
    messages.push({ paths, type: rest[at + 1 + count] ?? "", text: rest[at + 2 + count] ?? "" })
    at += 3 + count
  }
  return { tree, messages }
}

async function readHunks(git: Git, tree: string, path: string): Promise<ConflictHunk[]> {
  const { exitCode, stdout } = await git.run(["cat-file", "blob", `${tree}:${path}`])
  return exitCode === 0 ? parseHunks(stdout) : []
}

function parseHunks(text: string): ConflictHunk[] {
  const hunks: ConflictHunk[] = []
  let open: { line: number; ours: string[]; theirs: string[]; side: "ours" | "theirs" } | undefined
  for (const [index, line] of text.split("\n").entries()) {
    if (open === undefined) {
      if (line.startsWith("<<<<<<< ")) open = { line: index + 1, ours: [], theirs: [], side: "ours" }
    } else if (open.side === "ours" && line === "=======") {
      open.side = "theirs"
    } else if (open.side === "theirs" && line.startsWith(">>>>>>> ")) {
      hunks.push({ line: open.line, ours: open.ours.join("\n"), theirs: open.theirs.join("\n") })
      open = undefined
    } else {
      open[open.side].push(line)
    }
  }
  return hunks
}
