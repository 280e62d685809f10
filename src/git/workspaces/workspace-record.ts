import { existsSync, lstatSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import type { SetupRecord } from "../../checkouts/port.ts"
import { basename, resolvePath } from "../../lib/paths.ts"
import { type Git, withVariables } from "../git.ts"
import type { Attempt } from "../port.ts"
import { entriesOf, readText } from "../read-refs.ts"
import { type Ground, readWorktreePath } from "./ground.ts"

/**
 * What we know of a worktree, kept among git's own files of it, so that it goes with them. It is written when the
 * worktree is complete: without it, or with something pending, whoever worked on it was interrupted.
 */
export interface WorktreeRecord {
  readonly base: string
  readonly attempt: Attempt | null
  readonly pending: "move" | "sync" | "remove" | null
  /** What was pinned when the attempt before ended; absent when there was none. */
  readonly past?: Past
  /** What was installed in it; absent where nothing was by ourselves. */
  readonly setup?: SetupRecord
}

/** Up to where the logs of a worktree and its branch were read, and what was pinned then. */
export interface Past {
  readonly logs: readonly LogPlace[]
  readonly pinned: readonly string[]
}

export interface LogPlace {
  readonly length: number
  /** What stands before it: in a log that somebody rewrote, another. */
  readonly end: string
}

/** A worktree of ours that git knows of. */
export interface Found {
  readonly worker: string
  readonly path: string
  /** Git's own files of this worktree: `.git/worktrees/<name>`. */
  readonly adminDir: string
  readonly record: WorktreeRecord | null
  /** Whether the folder is there, and is what git takes it for. */
  readonly folder: "there" | "gone" | "other"
  readonly locked: string | null
}

/** Nobody was interrupted while making or changing it. */
export function isFinished({ record }: Found): boolean {
  return record !== null && record.pending === null
}

export function findWorktree(ground: Ground, worker: string): Found | undefined {
  return listWorktrees(ground).find((found) => found.worker === worker)
}

export function listWorktrees({ commonDir, folder }: Ground): Found[] {
  return entriesOf(`${commonDir}/worktrees`)
    .map((entry) => `${commonDir}/worktrees/${entry.name}`)
    .map((adminDir) => ({ adminDir, path: readWorktreePath(adminDir) }))
    .filter(({ path }) => path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes("/"))
    .map(({ adminDir, path }) => ({
      worker: basename(path),
      path,
      adminDir,
      record: readRecord(adminDir),
      folder: folderState(path, adminDir),
      locked: lockOf(adminDir),
    }))
    .sort((a, b) => (a.worker < b.worker ? -1 : 1))
}

/** Where the work in a worktree of ours started; undefined in any other checkout. */
export async function startOfWork(git: Git): Promise<string | undefined> {
  return readRecord((await git.places()).gitDir)?.base
}

/** What was installed in a worktree of ours; undefined in any other checkout. */
export async function setupOfWork(git: Git): Promise<SetupRecord | undefined> {
  return readRecord((await git.places()).gitDir)?.setup
}

/** Git itself locks a worktree while it makes one; a git that was killed then left that behind. */
function lockOf(adminDir: string): string | null {
  if (!existsSync(`${adminDir}/locked`)) return null
  const reason = readText(`${adminDir}/locked`).trim()
  return reason === "initializing" && readRecord(adminDir) === null ? null : reason
}

function folderState(path: string, adminDir: string): Found["folder"] {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return "gone"
  if (!stat.isDirectory()) return "other"
  const link = /^gitdir: (.+)$/m.exec(readText(`${path}/.git`))?.[1]
  return link !== undefined && resolvePath(link, path) === adminDir ? "there" : "other"
}

const RECORD = "teamwork.json"

function readRecord(adminDir: string): WorktreeRecord | null {
  try {
    return JSON.parse(readFileSync(`${adminDir}/${RECORD}`, "utf8"))
  } catch {
    return null
  }
}

export function writeRecord(adminDir: string, record: WorktreeRecord): void {
  const file = `${adminDir}/${RECORD}`
  writeFileSync(`${file}.new`, JSON.stringify(record))
  renameSync(`${file}.new`, file)
}

/** The git folder of whoever has a branch checked out, the worktree in `except` aside. */
export function findCheckout({ commonDir }: Ground, branch: string, except = ""): string | undefined {
  const linked = entriesOf(`${commonDir}/worktrees`).map((entry) => `${commonDir}/worktrees/${entry.name}`)
  const isOn = (gitDir: string) => readText(`${gitDir}/HEAD`).trim() === `ref: refs/heads/${branch}`
  return [commonDir, ...linked].find((gitDir) => gitDir !== except && isOn(gitDir))
}

/** Git in a worktree, told where everything is: what somebody wrote into `.git` of the folder leads nowhere. */
export function gitIn(ground: Ground, { path, adminDir, folder }: Pick<Found, "path" | "adminDir" | "folder">): Git {
  if (folder === "gone") return withVariables(ground.source.in(ground.commonDir), { GIT_DIR: adminDir })
  return withVariables(ground.source.in(path), { GIT_DIR: adminDir, GIT_WORK_TREE: path })
}
