import { existsSync, rmSync, statSync } from "node:fs"
import { AppError } from "../kernel/errors.ts"
import { processesIn } from "../lib/process/processes-in.ts"
import { entriesOf, readText } from "../lib/read-files.ts"
import { isOpen } from "./own-locks.ts"
import { OWN_INDEX } from "./workspaces/leftovers.ts"
import { readWorktreePath, type WorkspaceContext } from "./workspaces/workspace-context.ts"
import type { FoundWorkspace } from "./workspaces/workspace-record.ts"

/** Other programs hold git's locks only for moments. */
const YOUNG_MS = 1000
/** Applies if the system does not list processes of a folder: no call of ours takes longer. */
const SURELY_STALE_MS = 10 * 60_000

const ORPHAN_PATIENCE_MS = 60_000
const ORPHAN_PAUSE_MS = 50

/** A git that we started survives us. It must end before another process writes. */
export async function waitForOrphans(
  { sleep }: WorkspaceContext,
  { path, worker }: Pick<FoundWorkspace, "path" | "worker">,
): Promise<void> {
  for (let waited = 0; (processesIn([path], /^git/) ?? []).length > 0; waited += ORPHAN_PAUSE_MS) {
    if (waited >= ORPHAN_PATIENCE_MS)
      throw new AppError(
        "workspace.busy",
        `git is still running in the worktree of ${worker} at ${path}; try again when it is done`,
      )
    await sleep(ORPHAN_PAUSE_MS)
  }
}

/** Returns the removed locks. */
export function clearWorktreeLocks(
  context: WorkspaceContext,
  { view, gitDir, path }: FoundWorkspace,
  isDry = false,
): Promise<string[]> {
  const own = entriesOf(view)
    .map((entry) => entry.name)
    .filter((name) => name.startsWith(OWN_INDEX))
  const locks = [view, gitDir].flatMap((folder) => [`${folder}/index.lock`, `${folder}/HEAD.lock`])
  const all = [...new Set([...locks, ...own.map((name) => `${view}/${name}`)])]
  return clear(context, { locks: all, places: [path, view, gitDir, context.commonDir], isDry })
}

/**
 * Clears locks on refs below `teamwork/`, which only we take, and on packed refs, which every deletion takes. Any
 * program may hold the latter, so it stays while any program runs in the repository.
 */
export async function clearRefLocks(context: WorkspaceContext, isDry = false): Promise<string[]> {
  const { commonDir } = context
  const places = placesOf(context)
  const locks = ["refs/teamwork", "refs/heads/teamwork"].flatMap((folder) => locksBelow(`${commonDir}/${folder}`))
  const own = await clear(context, { locks, places, isDry })
  return [
    ...own,
    ...(await clear(context, { locks: [`${commonDir}/packed-refs.lock`], places, isDry, isShared: true })),
  ]
}

function placesOf({ commonDir, mainRoot }: WorkspaceContext): string[] {
  const trees = entriesOf(`${commonDir}/worktrees`).map(({ name }) =>
    readWorktreePath(`${commonDir}/worktrees/${name}`),
  )
  return [commonDir, mainRoot ?? "", ...trees].filter((place) => place !== "")
}

function locksBelow(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return locksBelow(path)
    return entry.name.endsWith(".lock") ? [path] : []
  })
}

interface Suspects {
  readonly locks: readonly string[]
  readonly places: readonly string[]
  readonly isDry: boolean
  /** Programs other than git may hold them. */
  readonly isShared?: boolean
}

async function clear(
  { clock, sleep }: WorkspaceContext,
  { locks, places, isDry, isShared = false }: Suspects,
): Promise<string[]> {
  const present = locks.filter((file) => existsSync(file))
  if (present.length === 0) return []
  const youngest = Math.min(...present.map((file) => clock.now() - modifiedAt(file)))
  if (youngest < YOUNG_MS) await sleep(YOUNG_MS - Math.max(0, youngest))
  const working = isShared
    ? processesIn(places, /./)?.filter((pid) => !isTerminalOrOurs(pid))
    : processesIn(places, /^git/)
  const isStale = (file: string) =>
    existsSync(file) &&
    !isOpen(file) &&
    (working === undefined ? clock.now() - modifiedAt(file) > SURELY_STALE_MS : working.length === 0)
  const stale = present.filter(isStale)
  if (!isDry) for (const file of stale) rmSync(file, { recursive: true, force: true })
  return stale
}

/** This process and shells at a terminal hold no locks. */
function isTerminalOrOurs(pid: number): boolean {
  const stat = readText(`/proc/${pid}/stat`)
  // After the name, which may contain anything: state, parent, group, session, terminal.
  const [, , , session, terminal] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return pid === process.pid || (session === String(pid) && terminal !== "0")
}

function modifiedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
