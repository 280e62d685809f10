import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { CheckoutSetup } from "../checkouts/port.ts"
import { AppError } from "../kernel/errors.ts"
import type { TeamName } from "../kernel/team.ts"
import { identityOf, isRunning, type ProcessIdentity } from "../lib/process/process-identity.ts"
import { findCommit, isShortLine, makeContains } from "./ancestry.ts"
import type { Git } from "./git.ts"
import type { GitObject } from "./kept-processes.ts"
import { readCleanStatus } from "./read-status.ts"
import { setupOfWork, startOfWork } from "./workspaces/workspace-record.ts"

interface Checkouts {
  /** Whose they are, which the names of their folders tell. */
  readonly team?: TeamName
  /** Where they are made. */
  readonly home: string
  /** Makes a checkout ready for commands. */
  readonly prepare: (folder: string) => Promise<void>
  /** Where checkouts are set up by themselves. */
  readonly setup?: Pick<CheckoutSetup, "describe" | "compare">
}

/** The repository of a folder as gates read it; `undefined` outside of one. See `src/quality/gates/port.ts`. */
export async function openGateRepository(git: Git, { home, team, prepare, setup }: Checkouts) {
  const top = await git.run(["rev-parse", "--show-toplevel"])
  if (top.exitCode !== 0) return undefined
  const folder = top.stdout.replace(/\r?\n$/, "")
  const here = git.in(folder)
  return {
    folder,
    ...readCommits(here),
    findStart: () => startOfWork(here),
    listUncommitted: async () => ((await readCleanStatus(here, folder)) === undefined ? listUncommitted(here) : []),
    hasIgnored: () => hasIgnored(here),
    readDiff: (base: string, commit: string) => readDiff(here, base, commit),
    openTree: (tree: string) => openTree(here, tree),
    describeSetup: async (tree: string) => (await setup?.describe(openTree(here, tree))) ?? "",
    compareSetup: async (tree: string) =>
      (await setup?.compare(openTree(here, tree), folder, await setupOfWork(here))) ?? "unknown",
    checkedOut: checkouts(here, { root: join(home, "checkouts"), team, prepare }),
  }
}

/** What a user names never reaches git where an option could stand. */
function readCommits(git: Git) {
  return {
    async find(revision: string) {
      const found = await findCommit(git, revision)
      return found && { commit: found.commit, tree: found.tree }
    },
    contains: makeContains(git),
    async findBase(...commits: string[]) {
      const { exitCode, stdout } = await git.run(["merge-base", "--octopus", ...commits])
      return exitCode === 0 ? stdout.trim().split("\n")[0] : undefined
    },
    async listMerges(base: string, commit: string) {
      if (await isShortLine(git, base, commit)) return []
      const text = await git.read(["rev-list", "--merges", "--max-count=20", commit, `^${base}`, "--"])
      return text === "" ? [] : text.split("\n")
    },
  }
}

async function listUncommitted(git: Git): Promise<string[]> {
  const status = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"]
  return (await git.list(["--no-optional-locks", ...status])).map((entry) => entry.slice(3))
}

async function hasIgnored(git: Git): Promise<boolean> {
  return (await git.read(["ls-files", "--others", "--ignored", "--exclude-standard", "--directory"])) !== ""
}

/** What git ignores in a checkout; a folder that it ignores as a whole is one entry, with a slash at its end. */
export function listIgnored(git: Git): Promise<string[]> {
  return git.list(["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"])
}

/** Attributes of the tree could say that a file is not to be shown. Of a repository without a checkout none are read. */
async function readDiff(git: Git, base: string, commit: string): Promise<string> {
  const [from, to] = await Promise.all([findCommit(git, base), findCommit(git, commit)])
  if (from === undefined || to === undefined) throw new AppError("git.failed", `${from ? commit : base} is no commit`)
  return (await git.answers()).diff(DIFF, from.tree, to.tree)
}

function openTree(git: Git, tree: string) {
  const nameOf = (path: string) => (path === "" ? tree : `${tree}:${path}`)
  return {
    async list(path: string) {
      const found = await (await git.answers()).read(nameOf(path))
      return found?.type === "tree" ? namesIn(found) : []
    },
    id: async (path: string) => (await git.answers()).id(nameOf(path)),
    async bytes(path: string) {
      const found = await (await git.answers()).read(nameOf(path))
      // A copy: the bytes are a part of what git said, which is read on from.
      return found?.type === "blob" ? Uint8Array.from(found.content) : undefined
    },
    read: (path: string) => git.read(["cat-file", "blob", `${tree}:${path}`]),
  }
}

/** The entries of a tree, each `<mode> <name>`, a zero and an id in bytes. */
function namesIn({ id, content }: GitObject): string[] {
  const names: string[] = []
  for (let at = 0; at < content.length; ) {
    const end = content.indexOf(0, at)
    const [mode = "", name = ""] = content.toString("utf8", at, end).split(/ (.*)/s)
    names.push(mode === "40000" ? `${name}/` : name)
    at = end + 1 + id.length / 2
  }
  return names
}

/** Whatever the user has set, in the form that `parseDiff` reads. */
const DIFF = [
  ...[
    "--patch",
    "--unified=0",
    "--inter-hunk-context=0",
    "--no-renames",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
  ],
  ...["--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=none", "--submodule=short", "--full-index"],
]

/**
 * Lends worktrees of single commits, each in a folder of its own beside a note of who uses it. What a process that died
 * left is removed by the next one that comes.
 */
function checkouts(git: Git, { root, team, prepare }: Omit<Checkouts, "home"> & { readonly root: string }) {
  const owner = team === undefined ? "" : `${team.project}-${team.team}-`
  let count = 0
  return async <T>(commit: string, use: (folder: string) => Promise<T>): Promise<T> => {
    mkdirSync(root, { recursive: true, mode: 0o700 })
    removeAbandoned(root)
    await git.run(["worktree", "prune"])
    const name = `${owner}${process.pid}-${++count}`
    const [note, folder] = [join(root, `${name}.json`), join(root, name)]
    rmSync(folder, { recursive: true, force: true })
    writeFileSync(note, JSON.stringify(identityOf(process.pid)), { mode: 0o600 })
    try {
      await git.read(["worktree", "add", "--quiet", "--detach", folder, commit])
      await prepare(folder)
      return await use(folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
      await git.run(["worktree", "prune"])
      rmSync(note, { force: true })
    }
  }
}

function removeAbandoned(root: string): void {
  for (const name of readdirSync(root)) {
    if (!name.endsWith(".json") || isUsed(join(root, name))) continue
    rmSync(join(root, name.slice(0, -".json".length)), { recursive: true, force: true })
    rmSync(join(root, name), { force: true })
  }
}

function isUsed(note: string): boolean {
  try {
    return isRunning(JSON.parse(readFileSync(note, "utf8")) as ProcessIdentity)
  } catch {
    // Gone meanwhile, or just being written: by somebody who lives, either way.
    return true
  }
}
