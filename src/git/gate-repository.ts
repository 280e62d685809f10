import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { CheckoutSetup } from "../checkouts/port.ts"
import { AppError } from "../kernel/errors.ts"
import { identityOf, isRunning, type ProcessIdentity } from "../lib/process/process-identity.ts"
import { findCommit, isShortLine, makeContains } from "./ancestry.ts"
import type { Git } from "./git.ts"
import { findCleanTree } from "./is-clean.ts"
import type { GitObject } from "./kept-processes.ts"
import { readText } from "./read-refs.ts"
import { isCleanAt, readStatus } from "./read-status.ts"
import { readWorktreePath } from "./workspaces/ground.ts"
import { giveIndex, makeRepository, type RepositorySource, sourceOf } from "./workspaces/private-repository.ts"
import { bringHead } from "./workspaces/read-work.ts"
import {
  type CheckoutPlace,
  fillIn,
  gitAt,
  isView,
  lookAt,
  makeView,
  placeIn,
  placeOfView,
  writePointer,
} from "./workspaces/view.ts"
import { setupOfWork, startOfWork } from "./workspaces/workspace-record.ts"

interface Checkouts {
  /** Where checkouts of gates are made. */
  readonly home: string
  /** The repository that they are made of; without it none can be made. */
  readonly ground?: RepositorySource
  /** Makes a checkout ready for commands. */
  readonly prepare: (place: CheckoutPlace) => Promise<void>
  /** Where checkouts are set up by themselves. */
  readonly setup?: Pick<CheckoutSetup, "describe" | "compare">
}

/** The repository of a folder as gates read it; `undefined` outside of one. See `src/quality/gates/port.ts`. */
export async function openGateRepository(given: Git, { home, ground, prepare, setup }: Checkouts) {
  const git = gitAt(given, home)
  const top = await git.run(["rev-parse", "--show-toplevel"])
  if (top.exitCode !== 0) return undefined
  const folder = top.stdout.replace(/\r?\n$/, "")
  const here = gitAt(given.in(folder), home)
  const { gitDir, commonDir } = await here.places()
  const place = isView(gitDir) ? placeOfView(gitDir) : undefined
  /** In a workspace the commit is the worker's, which the user's repository need not have yet. */
  const findHead = async () => {
    if (place === undefined) return "HEAD"
    const { commit } = await bringHead({ git: here, commonDir }, { ...place, isLinked: false })
    return commit ?? "HEAD"
  }
  return {
    folder,
    ...readCommits(here, findHead),
    findStart: () => startOfWork(here),
    listUncommitted: async () =>
      place === undefined ? listUncommitted(here, folder) : listChanged(here, gitDir, await findHead()),
    // Where nothing lies there but what is tracked, nothing is ignored either.
    hasIgnored: async () => findCleanTree(folder, gitDir) === undefined && (await hasIgnored(here)),
    readDiff: (base: string, commit: string) => readDiff(here, base, commit),
    openTree: (tree: string) => openTree(here, tree),
    describeSetup: async (tree: string) => (await setup?.describe(openTree(here, tree))) ?? "",
    compareSetup: async (tree: string) =>
      (await setup?.compare(openTree(here, tree), folder, await setupOfWork(here))) ?? "unknown",
    checkedOut: checkouts(here, { root: join(home, "checkouts"), ground, prepare }),
  }
}

/** What a user names never reaches git where an option could stand. */
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
      if (await isShortLine(git, base, commit)) return []
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
 * The same in a workspace, in which no git of ours may run what a worker has set. Repositories that lie among its files
 * cannot be committed: they are set aside, which is said where it is done.
 */
async function listChanged(git: Git, view: string, head: string): Promise<string[]> {
  const { changes } = await readStatus(git, view, head)
  return changes.filter((change) => !change.isRepository).map((change) => change.path)
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
 * Lends checkouts of single commits, each a repository of its own beside a note of the process that uses it. What a process
 * that died left is removed by the next one that comes.
 */
function checkouts(
  git: Git,
  { root, ground, prepare }: Pick<Checkouts, "ground" | "prepare"> & { readonly root: string },
) {
  let count = 0
  return async <T>(commit: string, use: (folder: string) => Promise<T>): Promise<T> => {
    const source = ground ?? (await sourceOf(git))
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

/** Version 0.1.0 made linked worktrees of the user's repository, which keeps files for each of them. */
function linkedAdminDir(path: string): string | undefined {
  const target = /^gitdir: (.+\/worktrees\/[^/\n]+)\n?$/.exec(readText(`${path}/.git`))?.[1]
  return target !== undefined && readWorktreePath(target) === path ? target : undefined
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Another gate uses it.
  }
}

/** Commands may do to its repository what they like: it goes with the checkout. */
async function makeCheckout(source: RepositorySource, place: CheckoutPlace, commit: string): Promise<void> {
  mkdirSync(place.path, { recursive: true })
  makeView(place, { commonDir: source.commonDir, commit })
  await Promise.all([
    fillIn(lookAt(source.git, place), commit),
    makeRepository(source, place, { branch: null, commit }),
  ])
  writePointer(place)
  giveIndex(place)
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
    // Gone meanwhile, or just being written: by somebody who lives, either way.
    return true
  }
}
