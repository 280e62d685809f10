import { chmodSync, existsSync, lstatSync } from "node:fs"
import { dirname } from "../../lib/paths.ts"
import { readText } from "../../lib/read-files.ts"
import type { MovedWorkspace, Pin, WorkspaceRequest } from "../port.ts"
import { type IndexedFile, listFiles } from "../read-index.ts"
import { resolveBase, workerBranch } from "../resolve.ts"
import { clearWorktreeLocks } from "../stale-locks.ts"
import { asPattern } from "./copy-files.ts"
import { finish, isUsable, makeFresh } from "./create-workspace.ts"
import { moveBranch, pinWorktree } from "./pin-worktree.ts"
import { removeFound } from "./remove-workspace.ts"
import { writeHead } from "./view.ts"
import type { WorkspaceContext } from "./workspace-context.ts"
import { type FoundWorkspace, findWorkspace, gitIn, writeRecord } from "./workspace-record.ts"

/** Replaces a workspace that cannot become like a fresh one. */
export async function moveWorktree(context: WorkspaceContext, request: WorkspaceRequest): Promise<MovedWorkspace> {
  const { worker } = request
  const branch = workerBranch(context.team, worker)
  const base = await resolveBase(context, request.base)
  const target = { worker, branch, base, attempt: request.attempt ?? null }
  const found = findWorkspace(context, worker)
  let pinned: readonly Pin[] = []
  if (found !== undefined && isUsable(found) && isAsSetUp(context, found)) {
    await clearWorktreeLocks(context, found)
    const { pins, status, head } = await pinWorktree(context, found, { branch })
    pinned = pins
    if (status !== null) {
      writeRecord(found.view, { base: base.commit, attempt: target.attempt, pending: "move" })
      await Promise.all([
        // Makes `git gc` keep the base.
        moveBranch(context, found, { branch, tip: head ?? undefined, head: base.commit }),
        resetTo(context, found, base.commit),
      ])
      return { ...(await finish(context, found, { ...target, earlier: found.record?.setup })), isNew: false, pinned }
    }
  }
  if (found !== undefined) pinned = await removeFound(context, found, { branch })
  return { ...(await makeFresh(context, target)), pinned }
}

/** False if the user changed the sparse checkout, or the worker initialised submodules. */
function isAsSetUp({ commonDir }: WorkspaceContext, { view, gitDir }: FoundWorkspace): boolean {
  const isAlike = (file: string) => readText(`${view}/${file}`) === readText(`${commonDir}/${file}`)
  return isAlike("config.worktree") && isAlike("info/sparse-checkout") && !existsSync(`${gitDir}/modules`)
}

/** Writes only files that differ, and removes what a fresh workspace would not have. */
export async function resetTo(context: WorkspaceContext, found: FoundWorkspace, commit: string): Promise<void> {
  const { path, view } = found
  const git = gitIn(context, found)
  const flags = ["--reset", "-u", "--no-recurse-submodules"]
  await git.read(["-c", "checkout.workers=0", "read-tree", ...flags, commit])
  writeHead(view, commit)
  const installed = found.record?.setup?.units.flatMap(({ places }) => places.map(asPattern)) ?? []
  const keep = [...context.settings.keep, ...installed].flatMap((pattern) => ["-e", pattern])
  await git.read(["clean", "-d", "-x", "-f", "-f", "--quiet", ...keep])
  resetModes(path, await listFiles(git, `${view}/index`))
}

const FILE = 0o100644
const PROGRAM = 0o100755

/** Git tracks only the executable bit; this resets the others. */
function resetModes(path: string, tracked: readonly IndexedFile[]): void {
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
