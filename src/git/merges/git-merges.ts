import { findCommit, getCommit, makeContains } from "../ancestry.ts"
import { readHistories } from "../branch-histories.ts"
import { readChanges } from "../changes.ts"
import type { Git } from "../git.ts"
import { IDENTITY, OURS } from "../identity.ts"
import { type MoveLog, recoverMoves } from "../move-log.ts"
import { moveRefs } from "../move-refs.ts"
import { nameBranch, replaceSymbolicRefs } from "../name-branch.ts"
import { placeOf } from "../place-of.ts"
import type { Merges } from "../port.ts"
import { findNamedBranch } from "../read-named-branch.ts"
import { writeCommit } from "../write-commit.ts"
import { type CommitHabits, type HabitSettings, makeCommitHabits } from "./commit-habits.ts"
import { mergeApart } from "./merge-apart.ts"
import { mergeCommits } from "./merge-commits.ts"
import { replayCommit } from "./replay-commit.ts"
import { readTextFile, writeTextFiles } from "./tree-texts.ts"

/** Merging in the repository that `git` works in. */
export function makeMerges(git: Git, log: MoveLog, settings: HabitSettings = { signs: true, runsHooks: true }): Merges {
  let identity: Promise<Identity> | undefined
  let replaced: Promise<void> | undefined
  const habits = makeCommitHabits(git, settings)
  return {
    place: () => placeOf(git),
    find: async (name) => (await findCommit(git, name))?.commit,
    tree: async (commit) => (await getCommit(git, commit)).tree,
    async refs(prefix) {
      const format = "--format=%(objecttype) %(refname) %(objectname)"
      const lines = (await git.read(["for-each-ref", format, "--", prefix])).split("\n")
      return new Map(
        lines.flatMap((line) => {
          const [type, ref = "", commit = ""] = line.split(" ")
          return type === "commit" ? [[ref, commit] as const] : []
        }),
      )
    },
    async mergeBase(one, other) {
      const { exitCode, stdout } = await git.run(["merge-base", "--", one, other])
      return exitCode === 0 ? stdout.trim() : undefined
    },
    contains: makeContains(git),
    histories: (tip, branches) => readHistories(git, tip, branches),
    changes: (from, to) => readChanges(git, from, to),
    patch: (from, to) => git.read(["diff", "--stat", "--patch", ...PLAIN_DIFF, from, to, "--"]),
    paths: (tree) => git.list(["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree]),
    sizes: (ids) => readSizes(git, ids),
    async merge(ours, theirs, base) {
      const tree = base === undefined ? undefined : await mergeApart(git, { ours, theirs, base })
      return tree === undefined ? mergeCommits(git, ours, theirs) : { isClean: true, tree }
    },
    async commit({ tree, parents, message: given }) {
      identity ??= readIdentity(git)
      const { env, ...people } = await identity
      const message = await habits.message(given)
      const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"]
      const signed = await trySigned(git, habits, { args, message, env })
      if (signed !== undefined) return signed
      const written = await writeCommit(git, { tree, parents, message, ...people })
      return written ?? git.read(args, { input: message, env })
    },
    replay: (request) => replayCommit(git, habits, request),
    notes: () => habits.notes(),
    read: (tree, path) => readTextFile(git, tree, path),
    write: (tree, texts) => writeTextFiles(git, tree, texts),
    async line(since, tip) {
      const range = ["--end-of-options", tip, `^${since}`, "--"]
      const commits = await git.list(["log", "-z", "--first-parent", "--format=%H%x1f%P%x1f%s", ...range])
      return commits.map((each) => {
        const [commit = "", parents = "", subject = ""] = each.split("\x1f")
        return { commit, parents: parents.split(" "), subject }
      })
    },
    mergedAttempts: (since, tip) => readMergedAttempts(git, since, tip),
    move: (moves) => moveRefs(git, log, moves),
    async checkedOut() {
      const { exitCode, stdout } = await git.run(["symbolic-ref", "--quiet", "HEAD"])
      return exitCode === 0 ? stdout.trim() : undefined
    },
    findNamed: (ref) => findNamedBranch(git, ref),
    nameBranch: (ref, branch) => nameBranch(git, log, { ref, branch }),
    async recover() {
      const mended = await recoverMoves(git, log)
      replaced ??= replaceSymbolicRefs(git, log)
      await replaced
      return mended
    },
  }
}

const PLAIN_DIFF = ["-M", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"]

async function readSizes(git: Git, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const input = `${ids.join("\n")}\n`
  const lines = await git.read(["cat-file", "--batch-check=%(objectname) %(objectsize)"], { input })
  return new Map(
    lines.split("\n").flatMap((line) => {
      const [, id, size] = /^([0-9a-f]+) (\d+)$/.exec(line) ?? []
      return id === undefined ? [] : [[id, Number(size)] as const]
    }),
  )
}

/** Undefined where nothing is signed here, or where that does not work any more. */
async function trySigned(
  git: Git,
  habits: CommitHabits,
  { args, message, env }: { args: readonly string[]; message: string; env: Readonly<Record<string, string>> },
): Promise<string | undefined> {
  if (!(await habits.isSigning())) return undefined
  const signing = ["commit-tree", "-S", ...args.slice(1)]
  const { exitCode, stdout, stderr } = await git.run(signing, { input: message, env: { ...env, ...habits.env } })
  if (exitCode === 0) return stdout.trim()
  habits.stopSigning(stderr)
  return undefined
}

/** The user's own name; ours only where none is set, as merging must not fail for that. */
async function readIdentity(git: Git): Promise<Identity> {
  const [author, committer] = await Promise.all(
    ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"].map(async (name) => {
      const { exitCode, stdout } = await git.run(["var", name])
      // What follows is the time.
      return exitCode === 0 ? /^(.+>) \d+ \S+$/.exec(stdout.trim())?.[1] : undefined
    }),
  )
  if (author === undefined || committer === undefined) return { author: OURS, committer: OURS, env: IDENTITY }
  return { author, committer, env: {} }
}

interface Identity {
  readonly author: string
  readonly committer: string
  /** The same for git. */
  readonly env: Readonly<Record<string, string>>
}

/** Only along the first parents, where our own merges are: what an agent writes into its messages counts for nothing. */
async function readMergedAttempts(git: Git, since: string | null, tip: string): Promise<Map<string, string>> {
  const format = "--format=%H%x1f%(trailers:key=Teamwork-Task,valueonly)%x1f%(trailers:key=Teamwork-Attempt,valueonly)"
  const range = since === null ? [tip] : [tip, `^${since}`]
  const commits = await git.list([
    "log",
    "-z",
    "--first-parent",
    "--merges",
    format,
    "--end-of-options",
    ...range,
    "--",
  ])
  const found = new Map<string, string>()
  for (const commit of commits) {
    const [id = "", tasks = "", attempts = ""] = commit.split("\x1f")
    const numbers = attempts.trim().split("\n")
    for (const [index, task] of tasks.trim().split("\n").entries()) {
      if (task !== "") found.set(`${task}/${numbers[index] ?? ""}`, id)
    }
  }
  return found
}
