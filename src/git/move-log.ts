import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as v from "valibot"
import { AppError } from "../kernel/errors.ts"
import type { Ids } from "../lib/make-ids.ts"
import { identityOf, isRunning } from "../lib/process/process-identity.ts"
import { processesMarked } from "../lib/process/process-tree.ts"
import { entriesOf, readText } from "../lib/read-files.ts"
import { type Git, type GitOptions, withVariables } from "./git.ts"
import { type IndexLock, lockIndex } from "./index-lock.ts"
import { restoreCheckout } from "./merges/restore-checkout.ts"
import { bornAt, type ExpectedLocks, findOwnLocks, stampOf } from "./own-locks.ts"
import { writeInto } from "./write-into.ts"

/**
 * Git locks a ref or an index with a file beside it. A killed git leaves that file, and the ref cannot move any
 * more. A lock file does not name its owner, so before each move we write a note: the locks that git will take and
 * their content. If the process of a note is gone, the note says which locks to remove and which files of a
 * checkout were being replaced. Locks of other programs always stay.
 */
export interface MoveLog {
  readonly ids: Ids
  readonly env: Readonly<Record<string, string | undefined>>
  readonly sleep: (ms: number) => Promise<unknown>
}

export interface Move {
  /** `to` is an id, or null to delete the ref. */
  readonly refs: readonly { readonly ref: string; readonly to: string | null }[]
  readonly checkout?: { readonly folder: string; readonly from: string; readonly to: string }
}

const Texts = v.record(v.string(), v.string())
/** Earlier versions wrote less: of locks only the names. */
const Note = v.object({
  process: v.object({ pid: v.number(), start: v.string() }),
  checkout: v.optional(v.object({ folder: v.string(), from: v.string(), to: v.string() })),
  at: v.optional(v.number(), 0),
  locks: v.optional(
    v.union([
      v.pipe(
        v.array(v.string()),
        v.transform((names): v.InferOutput<typeof Texts> => Object.fromEntries(names.map((name) => [name, ""]))),
      ),
      Texts,
    ]),
    {},
  ),
  foreign: v.optional(Texts, {}),
  places: v.optional(v.array(v.string()), []),
})
type Note = ExpectedLocks & Readonly<v.InferOutput<typeof Note>>

const FOLDER = "teamwork-moves"
const MARK = "TEAMWORK_MOVE"
const ORPHAN_PATIENCE_MS = 3000
const PAUSE_MS = 20

interface MoveOptions extends GitOptions {
  readonly env: Readonly<Record<string, string>>
}

/** Writes a note of what `work` locks. `env` marks the git processes that it starts. */
export async function runLogged<T>(
  git: Git,
  log: MoveLog,
  move: Move,
  work: (options: MoveOptions, index: IndexLock | undefined) => Promise<T>,
): Promise<T> {
  const { commonDir: common } = await git.places()
  const id = log.ids.uuid()
  const { gitDir } = await (move.checkout === undefined ? git : git.in(move.checkout.folder)).places()
  const locks = locksOf(move, { common, gitDir, id })
  const file = join(common, FOLDER, id)
  const at = writeInto(common, file, () => {
    mkdirSync(join(common, FOLDER), { recursive: true })
    return timeOfFiles(file)
  })
  let note: Note = {
    ...(move.checkout !== undefined && { checkout: move.checkout }),
    process: identityOf(process.pid),
    at,
    locks,
    foreign: heldBefore(locks),
    places: [common, gitDir, move.checkout?.folder ?? common].flatMap((place) => [place, withoutGit(place)]),
  }
  writeNote(file, note)
  const onLocked = (lock: string) => {
    const stamp = stampOf(lock)
    if (stamp === undefined || note.foreign[lock] === stamp) return
    note = { ...note, foreign: { ...note.foreign, [lock]: stamp } }
    writeNote(file, note)
  }
  const index = await lockOrForget()
  try {
    const result = await work({ env: { [MARK]: id }, onLocked }, index)
    index?.release()
    rmSync(file, { force: true })
    return result
  } catch (error) {
    // Perhaps only git was killed, not this process.
    await repair(git, log, { common, id, note })
    throw error
  }

  /** If another program holds the index, there is nothing to repair. */
  async function lockOrForget(): Promise<IndexLock | undefined> {
    if (move.checkout === undefined) return undefined
    try {
      return await lockIndex(indexPlace(log, { common, gitDir, id }))
    } catch (error) {
      removeNote(common, id, [])
      throw error
    }
  }
}

/** Returns descriptions of the repairs for people. */
export async function recoverMoves(git: Git, log: MoveLog): Promise<string[]> {
  const { commonDir: common } = await git.places()
  const folder = join(common, FOLDER)
  const repaired: string[] = []
  for (const { name: id } of entriesOf(folder)) {
    if (id.includes(".")) {
      if (isLeft(folder, id)) rmSync(join(folder, id), { recursive: true, force: true })
      continue
    }
    const note = readNote(join(folder, id))
    // Killed before it wrote the note, so git did not start.
    if (note === undefined) rmSync(join(folder, id), { force: true })
    else if (!isRunning(note.process)) repaired.push(...(await repair(git, log, { common, id, note })))
  }
  return repaired
}

interface Noted {
  readonly common: string
  readonly id: string
  readonly note: Note
}

async function repair(git: Git, log: MoveLog, { common, id, note }: Noted): Promise<string[]> {
  for (let waited = 0; processesMarked(`${MARK}=${id}`, log.env).length > 0; waited += PAUSE_MS) {
    if (waited > ORPHAN_PATIENCE_MS) {
      if (note.checkout === undefined) return []
      throw stillAtWork(note.checkout.folder)
    }
    await log.sleep(PAUSE_MS)
  }
  const left = findOwnLocks(note)
  const { checkout } = note
  if (checkout !== undefined && existsSync(checkout.folder)) {
    // Marked too: if this process is killed, the next repair must wait for its git.
    const marked = withVariables(git, { [MARK]: id })
    const { gitDir } = await git.in(checkout.folder).places()
    const scratch = join(common, FOLDER, `${id}.${log.ids.uuid()}`)
    // Takes over an old lock until everything is restored.
    const index = await lockIndex(indexPlace(log, { common, gitDir, id }))
    let restored: string[]
    try {
      restored = await restoreCheckout(marked, { ...checkout, scratch, index })
    } finally {
      index.release()
    }
    removeNote(common, id, left)
    return [...left.map(removed), ...restored]
  }
  removeNote(common, id, left)
  return left.map(removed)
}

function stillAtWork(folder: string): AppError {
  const message = `a git process of an earlier delivery still replaces files in ${folder}; wait for it to end, then try again`
  return new AppError("git.locked", message, { folder })
}

function removed(lock: string): string {
  return `removed ${lock}, which a killed git process had left`
}

function removeNote(common: string, id: string, locks: readonly string[]): void {
  for (const lock of locks) rmSync(lock, { force: true })
  for (const { name } of entriesOf(join(common, FOLDER)))
    if (name === id || name.startsWith(`${id}.`)) rmSync(join(common, FOLDER, name), { recursive: true, force: true })
}

function indexPlace({ sleep }: MoveLog, { common, gitDir, id }: { common: string; gitDir: string; id: string }) {
  return { gitDir, text: lockText(id), folder: join(common, FOLDER), name: id, sleep }
}

function lockText(id: string): string {
  return `teamwork-move ${id}`
}

function timeOfFiles(file: string): number {
  writeFileSync(draftOf(file), "")
  return bornAt(draftOf(file))
}

/** Atomic: an unreadable note counts as written before git started. */
function writeNote(file: string, note: Note): void {
  writeFileSync(draftOf(file), JSON.stringify(note))
  renameSync(draftOf(file), file)
}

function draftOf(file: string): string {
  return `${file}.${process.pid}.new`
}

/** Whether a file has no note and its process is gone: killed before it wrote the note. */
function isLeft(folder: string, name: string): boolean {
  if (existsSync(join(folder, name.slice(0, name.indexOf("."))))) return false
  const pid = Number(/\.(\d+)\.\w+$/.exec(name)?.[1] ?? 0)
  return pid === 0 || identityOf(pid).start === ""
}

function readNote(file: string): Note | undefined {
  const { output, success } = v.safeParse(v.pipe(v.string(), v.parseJson(), Note), readText(file))
  return success ? output : undefined
}

function locksOf(
  { refs, checkout }: Move,
  { common, gitDir, id }: { readonly common: string; readonly gitDir: string; readonly id: string },
): Record<string, string> {
  const own = refs.map(({ ref, to }) => [join(common, `${ref}.lock`), to ?? ""] as const)
  const shared = refs.length === 0 ? [] : ["packed-refs.lock", "packed-refs.new"].map((name) => join(common, name))
  // Git locks HEAD too if it points to the branch.
  const heads = refs.length === 0 ? [] : [join(gitDir, "HEAD.lock"), join(common, "HEAD.lock")]
  const index = checkout === undefined ? [] : [[join(gitDir, "index.lock"), lockText(id)] as const]
  return Object.fromEntries([...own, ...[...shared, ...heads].map((lock) => [lock, ""] as const), ...index])
}

function heldBefore(locks: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.keys(locks).flatMap((lock) => {
      const stamp = stampOf(lock)
      return stamp === undefined ? [] : [[lock, stamp] as const]
    }),
  )
}

function withoutGit(folder: string): string {
  return folder.replace(/\/\.git(?:\/.*)?$/, "")
}
