import { parseRepositoryId, REPOSITORY_ID_FILE, type WorkPlace } from "../../kernel/repository.ts"
import { basename, dirname } from "../../lib/paths.ts"
import { machineName } from "../../lib/process/machine-name.ts"
import { readText } from "../../lib/read-files.ts"
import { findCommit, getCommit, makeContains } from "../ancestry.ts"
import { readHistories } from "../branch-histories.ts"
import { readChanges } from "../changes.ts"
import type { Git } from "../git.ts"
import { commitEnvironment } from "../identity.ts"
import { type MoveLog, recoverMoves } from "../move-log.ts"
import { moveRefs, nameBranch, replaceSymbolicRefs } from "../move-refs.ts"
import type { Merges } from "../port.ts"
import { findNamedBranch } from "../read-named-branch.ts"
import { type CommitPolicy, makeCommitPolicy, type PolicySettings } from "./commit-policy.ts"
import { mergeCommits } from "./merge-commits.ts"
import { replayCommit } from "./replay-commit.ts"
import { readTextFile, writeTextFiles } from "./tree-texts.ts"

export function makeMerges(
  git: Git,
  log: MoveLog,
  settings: PolicySettings = { signs: true, runsHooks: true },
): Merges {
  let environment: Promise<Readonly<Record<string, string>>> | undefined
  let replaced: Promise<void> | undefined
  const policy = makeCommitPolicy(git, settings)
  return {
    place: () => readPlace(git),
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
    merge: (ours, theirs) => mergeCommits(git, ours, theirs),
    async commit({ tree, parents, message: given }) {
      environment ??= commitEnvironment(git)
      const message = await policy.message(given)
      const args = [tree, ...[...new Set(parents)].flatMap((parent) => ["-p", parent]), "-F", "-"]
      const options = { input: message, env: await environment }
      return (await trySigned(git, policy, args, options)) ?? git.read(["commit-tree", ...args], options)
    },
    replay: (request) => replayCommit(git, policy, request),
    notes: () => policy.notes(),
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
      const repaired = await recoverMoves(git, log)
      replaced ??= replaceSymbolicRefs(git, log)
      await replaced
      return repaired
    },
  }
}

const PLAIN_DIFF = ["-M", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"]

async function readPlace(git: Git): Promise<WorkPlace> {
  const { commonDir } = await git.places()
  return {
    machine: machineName(),
    folder: basename(commonDir) === ".git" ? dirname(commonDir) : commonDir,
    repository: parseRepositoryId(readText(`${commonDir}/${REPOSITORY_ID_FILE}`)) ?? null,
  }
}

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

/** Undefined if commits are not signed or signing fails. */
async function trySigned(
  git: Git,
  policy: CommitPolicy,
  args: readonly string[],
  { input, env }: { readonly input: string; readonly env: Readonly<Record<string, string>> },
): Promise<string | undefined> {
  if (!(await policy.isSigning())) return undefined
  const signing = { input, env: { ...env, ...policy.env } }
  const { exitCode, stdout, stderr } = await git.run(["commit-tree", "-S", ...args], signing)
  if (exitCode === 0) return stdout.trim()
  policy.stopSigning(stderr)
  return undefined
}

/** Follows only first parents, where our merges are: commit messages of agents do not count. */
async function readMergedAttempts(git: Git, since: string | null, tip: string): Promise<Map<string, string>> {
  const format = "--format=%H%x1f%(trailers:key=Teamwork-Task,valueonly)%x1f%(trailers:key=Teamwork-Attempt,valueonly)"
  const range = since === null ? [tip] : [tip, `^${since}`]
  const log = ["log", "-z", "--first-parent", "--merges", format, "--end-of-options", ...range, "--"]
  const found = new Map<string, string>()
  for (const commit of await git.list(log)) {
    const [id = "", tasks = "", attempts = ""] = commit.split("\x1f")
    const numbers = attempts.trim().split("\n")
    for (const [index, task] of tasks.trim().split("\n").entries()) {
      if (task !== "") found.set(`${task}/${numbers[index] ?? ""}`, id)
    }
  }
  return found
}
