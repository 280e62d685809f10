// Which commits of a history are replayed, and which of them need which.
import { join } from "node:path"
import { type Git, gitIn } from "./run-program.ts"
import type { Stranger } from "./stranger.ts"

/** One commit as a change against its first parent. */
export interface Change {
  readonly id: string
  readonly commit: string
  readonly parent: string
  readonly subject: string
  /** Both names of a renamed file. */
  readonly files: readonly string[]
  /** The patch, outside the clone. */
  readonly patch: string
  /** Ids of the changes that must be there before. */
  readonly needs: readonly string[]
}

interface Candidate {
  readonly commit: string
  readonly parent: string
  readonly isMerge: boolean
  readonly subject: string
}

/** How far back the newest row of plain commits is looked for. */
const LOOK_BACK = 200
/** How many rows are tried. */
const MOST_ROWS = 20
const FIELD = "\x1f"

export interface Pick {
  readonly count: number
  /** The commit to check out; by default it follows from `count`. */
  readonly at?: string
  /** Every change needs the one before. */
  readonly isChained?: boolean
}

/** The changes in order, the first on top of the base. Commits without a change are passed over. */
export async function pickChanges(stranger: Stranger, pick: Pick): Promise<readonly Change[]> {
  const { git } = stranger
  const line = await listFirstParents(git, pick.at)
  const changing: Candidate[] = []
  for (const candidate of line) {
    const [before, after] = [await treeOf(git, candidate.parent), await treeOf(git, candidate.commit)]
    if (before !== after) changing.push(candidate)
    // With a given base the oldest ones count, and no more than these are looked at.
    if (pick.at !== undefined && changing.length === pick.count) break
  }
  const rows = pick.at === undefined ? listRows(changing, pick.count) : [changing]
  if (changing.length < pick.count) {
    throw new Error(
      `the first-parent line has ${changing.length} commits with a change, and ${pick.count} were asked for`,
    )
  }
  let problem: unknown
  for (const row of rows.slice(0, MOST_ROWS)) {
    try {
      await assertWhole(git, row)
      const changes: Change[] = []
      for (const [i, candidate] of row.entries()) changes.push(await makeChange(stranger, candidate, i, changes, pick))
      return changes
    } catch (error) {
      // A mirror may lack some of its largest files. An older row may do without them.
      problem = error
    }
  }
  throw problem
}

/** A copy that lacks files cannot be checked out, which says nothing about the program. */
export class IncompleteCopy extends Error {}

async function assertWhole(git: Git, row: readonly Candidate[]): Promise<void> {
  const commits = row.flatMap(({ parent, commit }) => [parent, commit])
  const objects = await git("rev-list", "--objects", "--no-walk", "--missing=print", ...commits)
  const missing = objects.split("\n").filter((line) => line.startsWith("?"))
  if (missing.length > 0) throw new IncompleteCopy(`this copy of the repository lacks ${missing.length} files`)
}

/** Oldest first. With `at` those behind it up to HEAD, else the last ones. The very first commit has no parent to start from. */
async function listFirstParents(git: Git, at: string | undefined): Promise<readonly Candidate[]> {
  const range = at === undefined ? [`--max-count=${LOOK_BACK}`, "HEAD"] : [`${at}..HEAD`]
  const format = `--format=%H${FIELD}%P${FIELD}%s`
  const lines = (await git("log", "--first-parent", format, ...range)).split("\n").filter((line) => line !== "")
  return lines.reverse().flatMap((line) => {
    const [commit = "", parents = "", subject = ""] = line.split(FIELD)
    const [parent, ...others] = parents.split(" ").filter((id) => id !== "")
    return parent === undefined ? [] : [{ commit, parent, isMerge: others.length > 0, subject }]
  })
}

/** Rows of commits without a merge among them, the newest first. Where every change is a merge, each counts as one commit. */
function listRows(changing: readonly Candidate[], count: number): readonly (readonly Candidate[])[] {
  const ends = changing.map((_, index) => changing.length - index).filter((end) => end >= count)
  const rows = ends.map((end) => changing.slice(end - count, end))
  const plain = rows.filter((row) => row.every(({ isMerge }) => !isMerge))
  return plain.length > 0 ? plain : rows
}

function treeOf(git: Git, commit: string): Promise<string> {
  return git("rev-parse", `${commit}^{tree}`)
}

async function makeChange(
  { git, root, clone, env }: Stranger,
  { commit, parent, subject }: Candidate,
  index: number,
  before: readonly Change[],
  pick: Pick,
): Promise<Change> {
  const id = `c${index + 1}`
  const patch = join(root, `${id}.patch`)
  await git(
    "diff",
    "--binary",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    `--output=${patch}`,
    parent,
    commit,
  )
  const files = (await git("diff", "--name-only", "-z", "--no-renames", parent, commit))
    .split("\0")
    .filter((it) => it !== "")
  const change = { id, commit, parent, subject, files, patch }
  const last = before.at(-1)
  if (pick.isChained && last !== undefined) return { ...change, needs: [last.id] }
  const meeting = before.filter((other) => other.files.some((file) => files.includes(file)))
  const base = before[0]?.parent ?? parent
  const scratch = gitIn(clone, { ...env, GIT_INDEX_FILE: join(root, "scratch-index") })
  const isEnough = await applies(scratch, base, [...closureOf(meeting, before), change])
  return { ...change, needs: (isEnough ? meeting : before).map((other) => other.id) }
}

/** Those changes with all that they need, in order. */
function closureOf(some: readonly Change[], all: readonly Change[]): readonly Change[] {
  const wanted = new Set(some.map(({ id }) => id))
  for (const { id, needs } of [...all].reverse()) {
    if (wanted.has(id)) for (const need of needs) wanted.add(need)
  }
  return all.filter(({ id }) => wanted.has(id))
}

async function applies(git: Git, base: string, changes: readonly { readonly patch: string }[]): Promise<boolean> {
  await git("read-tree", base)
  try {
    for (const { patch } of changes) await git("apply", "--cached", "--whitespace=nowarn", patch)
    return true
  } catch {
    return false
  }
}
