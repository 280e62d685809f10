import { chmodSync, existsSync, lstatSync, rmSync } from "node:fs"
import { dirname } from "../../lib/paths.ts"
import type { Git } from "../git.ts"
import { listTracked, type TrackedFile } from "../index-flags.ts"
import type { MovedWorkspace, Pin, WorkspaceRequest } from "../port.ts"
import { entriesOf, readBytes, readText } from "../read-refs.ts"
import type { Status } from "../read-status.ts"
import { resolveBase, workerBranch } from "../resolve.ts"
import { clearWorktreeLocks } from "../stale-locks.ts"
import { asPattern } from "./copy-files.ts"
import { finish, isUsable, makeFresh } from "./create-workspace.ts"
import type { Ground } from "./ground.ts"
import { showHidden } from "./leftovers.ts"
import { pinWorktree } from "./pin-worktree.ts"
import { removeFound } from "./remove-workspace.ts"
import { type Found, findWorktree, gitIn, writeRecord } from "./workspace-record.ts"

/** Gives a worktree to the next attempt. One that cannot be made as good as new is replaced by a new one. */
export async function moveWorktree(ground: Ground, request: WorkspaceRequest): Promise<MovedWorkspace> {
  const { worker } = request
  const branch = workerBranch(ground.team, worker)
  const base = await resolveBase(ground, request.base)
  const target = { worker, branch, base, attempt: request.attempt ?? null }
  const found = findWorktree(ground, worker)
  let pinned: readonly Pin[] = []
  if (found !== undefined && isUsable(found) && isAsSetUp(ground, found)) {
    await clearWorktreeLocks(ground, found)
    const { pins, status, past } = await pinWorktree(ground, found, { branch })
    pinned = pins
    if (status !== null) {
      writeRecord(found.adminDir, { base: base.commit, attempt: target.attempt, pending: "move", past })
      await takeTo(ground, found, { branch, commit: base.commit, status })
      return {
        ...(await finish(ground, found, { ...target, past, earlier: found.record?.setup })),
        isNew: false,
        pinned,
      }
    }
  }
  if (found !== undefined) pinned = await removeFound(ground, found, { branch })
  return { ...(await makeFresh(ground, target)), pinned }
}

/** Settings of this one worktree, or submodules in it, are somebody else's doing: a fresh one would not have them. */
function isAsSetUp({ commonDir }: Ground, { adminDir }: Found): boolean {
  const isAlike = (file: string) => readText(`${adminDir}/${file}`) === readText(`${commonDir}/${file}`)
  return isAlike("config.worktree") && isAlike("info/sparse-checkout") && !existsSync(`${adminDir}/modules`)
}

/** What git keeps of a merge, rebase or search that somebody left in the middle. */
const UNFINISHED =
  /^(?:MERGE_|CHERRY_PICK_HEAD|REVERT_HEAD|REBASE_HEAD|AUTO_MERGE|SQUASH_MSG|rebase-|sequencer$|BISECT_|refs$)/

/** Writes the files that differ, and removes what a fresh worktree would not have. */
export async function takeTo(
  ground: Ground,
  found: Found,
  { branch, commit, status }: { readonly branch: string; readonly commit: string; readonly status: Status },
): Promise<void> {
  const { path, adminDir } = found
  const git = gitIn(ground, found)
  for (const { name } of entriesOf(adminDir))
    if (UNFINISHED.test(name)) rmSync(`${adminDir}/${name}`, { recursive: true, force: true })
  await showHidden(git, status.hidden)
  const checkout = [
    "-c",
    "checkout.workers=0",
    "checkout",
    "--quiet",
    "--force",
    "--no-recurse-submodules",
    "--no-track",
  ]
  await git.read([...checkout, "-B", branch, commit, "--"])
  const tracked = listTracked(readBytes(`${adminDir}/index`)) ?? (await askTracked(git))
  if (holdsMore(path, tracked)) {
    const installed = found.record?.setup?.units.flatMap(({ places }) => places.map(asPattern)) ?? []
    const keep = [...ground.settings.keep, ...installed].flatMap((pattern) => ["-e", pattern])
    await git.read(["clean", "-d", "-x", "-f", "-f", "--quiet", ...keep])
  }
  resetModes(path, tracked)
}

async function askTracked(git: Git): Promise<TrackedFile[]> {
  const entries = await git.list(["ls-files", "--stage", "-z"])
  return entries.map((entry) => {
    const [, mode = "", path = ""] = /^(\d+) [^\t]+\t(.+)$/s.exec(entry) ?? []
    return { path, mode: Number.parseInt(mode, 8), at: 0, stage: 0 }
  })
}

/** Whether there is anything in the folder that is not tracked, be it an empty folder. */
function holdsMore(root: string, tracked: readonly TrackedFile[]): boolean {
  const files = new Set(tracked.filter(({ mode }) => mode !== REPOSITORY).map((file) => file.path))
  const folders = new Set(tracked.flatMap((file) => foldersOf(file.path)))
  const repositories = new Set(tracked.filter(({ mode }) => mode === REPOSITORY).map((file) => file.path))
  const isMore = (inside: string): boolean =>
    entriesOf(`${root}/${inside}`).some((entry) => {
      const path = `${inside}${entry.name}`
      if (path === ".git" || files.has(path)) return false
      if (!entry.isDirectory()) return true
      if (repositories.has(path)) return entriesOf(`${root}/${path}`).length > 0
      return !folders.has(path) || isMore(`${path}/`)
    })
  return isMore("")
}

function foldersOf(path: string): string[] {
  const folders: string[] = []
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) folders.push(path.slice(0, at))
  return folders
}

const REPOSITORY = 0o160000
const FILE = 0o100644
const PROGRAM = 0o100755

/** Git looks at one bit of a file's mode; the others stay as somebody left them. */
function resetModes(path: string, tracked: readonly TrackedFile[]): void {
  const open = 0o777 & ~process.umask()
  const wanted = new Map<string, number>([[path, open]])
  for (const { path: name, mode } of tracked) {
    if (mode !== FILE && mode !== PROGRAM) continue
    const file = `${path}/${name}`
    wanted.set(file, mode === PROGRAM ? open : open & 0o666)
    for (let folder = dirname(file); !wanted.has(folder); folder = dirname(folder)) wanted.set(folder, open)
  }
  for (const [file, mode] of wanted) {
    const stat = lstatSync(file, { throwIfNoEntry: false })
    if (stat !== undefined && !stat.isSymbolicLink() && (stat.mode & 0o7777) !== mode) chmodSync(file, mode)
  }
}
