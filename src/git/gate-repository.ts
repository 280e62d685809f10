import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { CheckoutSetup } from "../checkouts/port.ts"
import { identityOf, isRunning, type ProcessIdentity } from "../lib/process/process-identity.ts"
import { readText } from "../lib/read-files.ts"
import { findCommit, getCommit, makeContains } from "./ancestry.ts"
import { findCleanTree } from "./find-clean-tree.ts"
import type { Git } from "./git.ts"
import type { GitObject } from "./object-reader.ts"
import { isCleanAt, readStatus } from "./read-status.ts"
import { importHead } from "./workspaces/import-work.ts"
import { makeRepository, type RepositorySource, shareIndex, sourceOf } from "./workspaces/private-repository.ts"
import {
  type CheckoutPlace,
  checkOutFiles,
  gitInFolder,
  gitWithView,
  isView,
  makeView,
  placeIn,
  placeOfView,
  writeGitFile,
} from "./workspaces/view.ts"
import { readWorktreePath } from "./workspaces/workspace-context.ts"
import { setupOfWork, startOfWork } from "./workspaces/workspace-record.ts"

interface Checkouts {
  readonly home: string
  /** Default: the repository of the folder. */
  readonly context?: RepositorySource
  readonly prepare: (place: CheckoutPlace) => Promise<void>
  readonly setup?: Pick<CheckoutSetup, "describe" | "compare">
}

/** Undefined outside of a repository. */
export async function openGateRepository(given: Git, { home, context, prepare, setup }: Checkouts) {
  const git = gitInFolder(given, home)
  const top = await git.run(["rev-parse", "--show-toplevel"])
  if (top.exitCode !== 0) return undefined
  const folder = top.stdout.replace(/\r?\n$/, "")
  const here = gitInFolder(given.in(folder), home)
  const { gitDir, commonDir } = await here.places()
  const place = isView(gitDir) ? placeOfView(gitDir) : undefined
  /** In a workspace HEAD is the worker's commit, which may not be imported yet. */
  const findHead = async () => {
    if (place === undefined) return "HEAD"
    const { commit } = await importHead({ git: here, commonDir }, { ...place, isLinked: false })
    return commit ?? "HEAD"
  }
  return {
    folder,
    ...readCommits(here, findHead),
    findStart: () => startOfWork(here),
    listUncommitted: async () =>
      place === undefined ? listUncommitted(here, folder) : listChanged(here, gitDir, await findHead()),
    hasIgnored: async () => findCleanTree(folder, gitDir) === undefined && (await listIgnored(here)).length > 0,
    readDiff: (base: string, commit: string) => readDiff(here, base, commit),
    openTree: (tree: string) => openTree(here, tree),
    describeSetup: async (tree: string) => (await setup?.describe(openTree(here, tree))) ?? "",
    compareSetup: async (tree: string) =>
      (await setup?.compare(openTree(here, tree), folder, await setupOfWork(here))) ?? "unknown",
    checkedOut: checkouts(here, { root: join(home, "checkouts"), context, prepare }),
  }
}

function readCommits(git: Git, findHead: () => Promise<string>) {
  return {
    async find(revision: string) {
      const found = await findCommit(git, revision === "HEAD" ? await findHead() : revision)
      return found && { commit: found.commit, tree: found.tree }
    },
    async times(commit: string) {
      const committedSeconds = Number(await git.read(["log", "-1", "--format=%ct", commit, "--"]))
      const { gitDir } = await git.places()
      return { committedSeconds, movedMs: statSync(join(gitDir, "logs/HEAD"), { throwIfNoEntry: false })?.mtimeMs }
    },
    contains: makeContains(git),
    async isNextTo(base: string, commit: string) {
      const parents = (await findCommit(git, commit))?.parents ?? []
      return base === commit || (parents.length === 1 && parents[0] === base)
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

async function listUncommitted(git: Git, folder: string): Promise<string[]> {
  const { gitDir } = await git.places()
  const head = await findCommit(git, "HEAD")
  if (head !== undefined && (await isCleanAt(git, { path: folder, gitDir, commit: head.commit }))) return []
  const status = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"]
  return (await git.list(["--no-optional-locks", ...status])).map((entry) => entry.slice(3))
}

/**
 * In a workspace `git status` could run programs that the worker configured. Leaves out nested repositories: they
 * cannot be committed, and setting them aside reports them.
 */
async function listChanged(git: Git, view: string, head: string): Promise<string[]> {
  const { changes } = await readStatus(git, view, head)
  return changes.filter((change) => !change.isRepository).map((change) => change.path)
}

/** An ignored folder is one entry that ends with a slash. */
export function listIgnored(git: Git): Promise<string[]> {
  return git.list(["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"])
}

async function readDiff(git: Git, base: string, commit: string): Promise<string> {
  const [from, to] = await Promise.all([getCommit(git, base), getCommit(git, commit)])
  return (await git.objects()).diff(DIFF, from.tree, to.tree)
}

function openTree(git: Git, tree: string) {
  const nameOf = (path: string) => (path === "" ? tree : `${tree}:${path}`)
  return {
    async list(path: string) {
      const found = await (await git.objects()).read(nameOf(path))
      return found?.type === "tree" ? namesIn(found) : []
    },
    id: async (path: string) => (await git.objects()).id(nameOf(path)),
    async bytes(path: string) {
      const found = await (await git.objects()).read(nameOf(path))
      // Copy, because the buffer is part of a larger one that is reused.
      return found?.type === "blob" ? Uint8Array.from(found.content) : undefined
    },
    read: (path: string) => git.read(["cat-file", "blob", `${tree}:${path}`]),
  }
}

/** Each entry of a tree is `<mode> <name>`, a zero byte and the binary id. */
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

/** The format that `parseDiff` reads, independent of the user's settings. */
const DIFF = [
  "--patch",
  "--unified=0",
  "--inter-hunk-context=0",
  "--no-renames",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--no-relative",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--ignore-submodules=none",
  "--submodule=short",
  "--full-index",
]

/**
 * Each checkout has its own repository, and a file that names the process using it, so that the next call can
 * remove what a dead process left.
 */
function checkouts(
  git: Git,
  { root, context, prepare }: Pick<Checkouts, "context" | "prepare"> & { readonly root: string },
) {
  let count = 0
  return async <T>(commit: string, use: (folder: string) => Promise<T>): Promise<T> => {
    const source = context ?? (await sourceOf(git))
    mkdirSync(root, { recursive: true, mode: 0o700 })
    removeAbandoned(root)
    const owner = source.team === null ? "" : `${source.team.project}-${source.team.team}-`
    const name = `${owner}${process.pid}-${++count}`
    const note = join(root, `${name}.json`)
    const place = placeIn(root, name)
    remove(place)
    writeFileSync(note, JSON.stringify(identityOf(process.pid)), { mode: 0o600 })
    try {
      await makeCheckout(source, place, commit)
      await prepare(place)
      return await use(place.path)
    } finally {
      remove(place)
      for (const folder of [place.gitDir, place.view]) removeIfEmpty(dirname(folder))
      rmSync(note, { force: true })
    }
  }
}

function remove({ path, gitDir, view }: CheckoutPlace): void {
  const linked = linkedAdminDir(path)
  for (const folder of [path, gitDir, view, linked ?? path]) rmSync(folder, { recursive: true, force: true })
}

/** Version 0.1.0 made linked worktrees, each with a folder in the user's repository. */
function linkedAdminDir(path: string): string | undefined {
  const target = /^gitdir: (.+\/worktrees\/[^/\n]+)\n?$/.exec(readText(`${path}/.git`))?.[1]
  return target !== undefined && readWorktreePath(target) === path ? target : undefined
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // In use by another gate.
  }
}

/** Commands may change its repository in any way, so it is removed with the checkout. */
async function makeCheckout(source: RepositorySource, place: CheckoutPlace, commit: string): Promise<void> {
  mkdirSync(place.path, { recursive: true })
  makeView(place, { commonDir: source.commonDir, commit })
  await Promise.all([
    checkOutFiles(gitWithView(source.git, place), commit),
    makeRepository(source, place, { branch: null, commit }),
  ])
  writeGitFile(place)
  shareIndex(place)
}

function removeAbandoned(root: string): void {
  for (const name of readdirSync(root)) {
    if (!name.endsWith(".json") || isUsed(join(root, name))) continue
    remove(placeIn(root, name.slice(0, -".json".length)))
    rmSync(join(root, name), { force: true })
  }
}

function isUsed(note: string): boolean {
  try {
    return isRunning(JSON.parse(readFileSync(note, "utf8")) as ProcessIdentity)
  } catch {
    return true // just removed or being written, by a live process in either case
  }
}
