import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { identityOf, isRunning, type ProcessIdentity } from "../lib/process-identity.ts"
import type { Git } from "./git.ts"
import { startOfWork } from "./record.ts"

interface Checkouts {
  /** Where they are made. */
  readonly home: string
  /** Makes a checkout ready for commands. */
  readonly prepare: (folder: string) => Promise<void>
}

/** The repository of a folder as gates read it; `undefined` outside of one. See `src/gates/port.ts`. */
export async function openGateRepository(git: Git, { home, prepare }: Checkouts) {
  const top = await git.run(["rev-parse", "--show-toplevel"])
  if (top.exitCode !== 0) return undefined
  const folder = top.stdout.replace(/\r?\n$/, "")
  const here = git.in(folder)
  return {
    folder,
    ...readCommits(here),
    findStart: () => startOfWork(here),
    listUncommitted: () => listUncommitted(here),
    hasIgnored: () => hasIgnored(here),
    readDiff: diffReader(here),
    openTree: (tree: string) => openTree(here, tree),
    checkedOut: checkouts(here, join(home, "checkouts"), prepare),
  }
}

/** What a user names never reaches git where an option could stand. */
function readCommits(git: Git) {
  return {
    async find(revision: string) {
      const asked = [`${revision}^{commit}`, `${revision}^{tree}`]
      const { exitCode, stdout } = await git.run(["rev-parse", "--quiet", "--end-of-options", ...asked, "--"])
      const [commit = "", tree = ""] = stdout.split("\n").filter((line) => line !== "--end-of-options")
      return exitCode === 0 && isHash(commit) && isHash(tree) ? { commit, tree } : undefined
    },
    async contains(later: string, earlier: string) {
      return (await git.run(["merge-base", "--is-ancestor", earlier, later])).exitCode === 0
    },
    async findBase(...commits: string[]) {
      const { exitCode, stdout } = await git.run(["merge-base", "--octopus", ...commits])
      return exitCode === 0 ? stdout.trim().split("\n")[0] : undefined
    },
    async listMerges(base: string, commit: string) {
      const text = await git.read(["rev-list", "--merges", "--max-count=20", commit, `^${base}`, "--"])
      return text === "" ? [] : text.split("\n")
    },
  }
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text)
}

async function listUncommitted(git: Git): Promise<string[]> {
  const status = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"]
  return (await git.list(["--no-optional-locks", ...status])).map((entry) => entry.slice(3))
}

async function hasIgnored(git: Git): Promise<boolean> {
  return (await git.read(["ls-files", "--others", "--ignored", "--exclude-standard", "--directory"])) !== ""
}

/** Attributes of the tree could say that a file is not to be shown. Of a repository without a checkout none are read. */
function diffReader(git: Git) {
  let store: Promise<Git> | undefined
  const openStore = async () => git.in(await git.read(["rev-parse", "--path-format=absolute", "--git-common-dir"]))
  return async (base: string, commit: string): Promise<string> => {
    store ??= openStore()
    return (await store).read(["--bare", ...DIFF, base, commit, "--"])
  }
}

function openTree(git: Git, tree: string) {
  return {
    async list(path: string) {
      const where = path === "" ? tree : `${tree}:${path}`
      const { exitCode, stdout } = await git.run(["ls-tree", "-z", "--format=%(objecttype) %(path)", where])
      if (exitCode !== 0) return []
      const entries = stdout.split("\0").filter((entry) => entry !== "")
      return entries.map((entry) => (entry.startsWith("tree ") ? `${entry.slice(5)}/` : entry.replace(/^\w+ /, "")))
    },
    read: (path: string) => git.read(["cat-file", "blob", `${tree}:${path}`]),
  }
}

/** Whatever the user has set, in the form that `parseDiff` reads. */
const DIFF = [
  ...[
    "diff",
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
function checkouts(git: Git, root: string, prepare: Checkouts["prepare"]) {
  let count = 0
  return async <T>(commit: string, use: (folder: string) => Promise<T>): Promise<T> => {
    mkdirSync(root, { recursive: true, mode: 0o700 })
    removeAbandoned(root)
    await git.run(["worktree", "prune"])
    const name = `${process.pid}-${++count}`
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
