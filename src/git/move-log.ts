import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Ids } from "../lib/make-ids.ts"
import { identityOf, isRunning, type ProcessIdentity } from "../lib/process/process-identity.ts"
import { processesMarked } from "../lib/process/process-tree.ts"
import type { Git } from "./git.ts"
import { restoreCheckout } from "./merges/restore-checkout.ts"

/**
 * Git locks a ref or an index by a file beside it, and one that is killed leaves that file behind: from then on nobody can
 * move the ref. A lock does not say whose it is, so whoever moves something for us notes beforehand what it will lock,
 * and in a folder that all worktrees share. A note whose process is gone tells which locks may go, and which files of a
 * checkout were being replaced.
 */
export interface MoveLog {
  readonly ids: Ids
  readonly env: Readonly<Record<string, string | undefined>>
  readonly sleep: (ms: number) => Promise<unknown>
}

export interface Move {
  readonly refs: readonly string[]
  /** A checkout that goes from one commit to another, seen to be clean before. */
  readonly checkout?: { readonly folder: string; readonly from: string; readonly to: string }
}

interface Note extends Move {
  readonly process: ProcessIdentity
  readonly locks: readonly string[]
}

const FOLDER = "teamwork-moves"
const MARK = "TEAMWORK_MOVE"
/** A git that lost its parent ends within moments. */
const ORPHAN_PATIENCE_MS = 3000
const PAUSE_MS = 20

/** Does `work` with a note of what it locks; the mark in its environment tells the git processes it starts. */
export async function logged<T>(
  git: Git,
  log: MoveLog,
  move: Move,
  work: (env: Record<string, string>) => Promise<T>,
): Promise<T> {
  const { commonDir: common } = await git.places()
  const id = log.ids.uuid()
  const note: Note = { ...move, process: identityOf(process.pid), locks: await locksOf(git, move) }
  mkdirSync(join(common, FOLDER), { recursive: true })
  const file = join(common, FOLDER, id)
  writeFileSync(file, JSON.stringify(note))
  try {
    const result = await work({ [MARK]: id })
    rmSync(file, { force: true })
    return result
  } catch (error) {
    // Somebody may have killed git and left us alive.
    await mend(git, log, { common, id, note })
    throw error
  }
}

/** Ends what killed processes left half done; what it mended, in words. */
export async function recoverMoves(git: Git, log: MoveLog): Promise<string[]> {
  const { commonDir: common } = await git.places()
  const folder = join(common, FOLDER)
  const mended: string[] = []
  for (const id of existsSync(folder) ? readdirSync(folder) : []) {
    const note = readNote(join(folder, id))
    // Killed before it was written, so git was not started.
    if (note === undefined) rmSync(join(folder, id), { force: true })
    else if (!isRunning(note.process)) mended.push(...(await mend(git, log, { common, id, note })))
  }
  return mended
}

async function mend(
  git: Git,
  log: MoveLog,
  { common, id, note }: { common: string; id: string; note: Note },
): Promise<string[]> {
  for (let waited = 0; processesMarked(`${MARK}=${id}`, log.env).length > 0; waited += PAUSE_MS) {
    if (waited > ORPHAN_PATIENCE_MS) return []
    await log.sleep(PAUSE_MS)
  }
  const left = note.locks.filter((lock) => existsSync(lock))
  // Somebody else may hold one of them by now; then the next start looks again.
  if (left.length > 0 && isGitAtWork([common, note.checkout?.folder ?? common])) return []
  for (const lock of left) rmSync(lock, { force: true })
  const mended = left.map((lock) => `removed ${lock}, which a killed git process had left`)
  if (note.checkout !== undefined) mended.push(...(await restoreCheckout(git, note.checkout)))
  rmSync(join(common, FOLDER, id), { force: true })
  return mended
}

function readNote(file: string): Note | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Note
  } catch {
    return undefined
  }
}

async function locksOf(git: Git, { refs, checkout }: Move): Promise<string[]> {
  const here = checkout === undefined ? git : git.in(checkout.folder)
  const [{ commonDir: common }, { gitDir: own }] = [await git.places(), await here.places()]
  const names = checkout === undefined ? ["HEAD"] : ["HEAD", "ORIG_HEAD", "index"]
  return [
    ...[...refs, "packed-refs"].map((name) => join(common, `${name}.lock`)),
    join(common, "packed-refs.new"),
    ...names.map((name) => join(own, `${name}.lock`)),
  ]
}

/** Whether a git process works in one of the folders; where the system does not tell folders, whether any does. */
function isGitAtWork(folders: readonly string[]): boolean {
  const roots = folders.flatMap((folder) => [folder, folder.replace(/\/\.git(?:\/.*)?$/, "")])
  let pids: string[]
  try {
    pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  } catch {
    const { stdout } = Bun.spawnSync(["ps", "-A", "-o", "comm="], { stderr: "ignore" })
    return /(?:^|\/)git$/m.test(stdout.toString())
  }
  return pids.some((pid) => {
    try {
      if (readFileSync(`/proc/${pid}/comm`, "utf8").trim() !== "git") return false
      const cwd = readlinkSync(`/proc/${pid}/cwd`)
      return roots.some((root) => cwd === root || cwd.startsWith(`${root}/`))
    } catch {
      // It ended meanwhile.
      return false
    }
  })
}
