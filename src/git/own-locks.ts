import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { processesIn } from "../lib/process/processes-in.ts"

/** What is known of the locks that a git of ours was going to take. */
export interface ExpectedLocks {
  /** When that git was about to be started, in milliseconds of the clock that files have. */
  readonly at: number
  /** The text that git writes into each while it holds it; empty where it writes none. */
  readonly locks: Readonly<Record<string, string>>
  /** Locks that others held then, each with the sign it is known by. */
  readonly foreign: Readonly<Record<string, string>>
  /** Folders that a git which holds one of them works in. */
  readonly places: readonly string[]
}

/** Git takes all locks of a move at once. */
const SAME_MOMENT_MS = 1000
/** From the note to the first lock: git only has to start. */
const START_MS = 2000
/** Nobody but teamwork moves these refs, so a busy machine is allowed for. */
const OWN_START_MS = 60_000
/** Times of files come in steps. */
const TICK_MS = 20

/**
 * Those of the locks that a killed git of ours left. A lock says nothing of its holder, which may be any program, so only
 * what can be nobody else's counts: the text in it is what our git was to write, or it is empty and was made together with
 * such a one, or just when our git started. Never one that another held before, or that somebody has open.
 */
export function findOwnLocks(expected: ExpectedLocks): string[] {
  const present = Object.keys(expected.locks).filter((lock) => existsSync(lock))
  const proven = present.filter((lock) => isProven(lock, expected))
  const isBeside = (born: number) => proven.some((other) => Math.abs(bornAt(other) - born) < SAME_MOMENT_MS)
  const empty = present.filter((lock) => {
    if (proven.includes(lock) || isForeign(lock, expected) || readStart(lock) !== "" || isOpen(lock)) return false
    const born = bornAt(lock)
    if (isBeside(born)) return true
    const since = born - expected.at
    return since >= -TICK_MS && since < (isOwnRef(lock) ? OWN_START_MS : START_MS)
  })
  // An empty one may be that of a git which came in the same moment.
  const isBusy = empty.length > 0 && processesIn(expected.places, /^git/)?.length !== 0
  return [...proven, ...(isBusy ? [] : empty)]
}

/** By which one lock file is told from a later one of the same name; undefined where there is none. */
export function stampOf(lock: string): string | undefined {
  const stat = lstatSync(lock, { throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.ino} ${bornAt(lock)}`
}

function isProven(lock: string, { locks, foreign }: ExpectedLocks): boolean {
  const [text, start] = [locks[lock] ?? "", readStart(lock)]
  return foreign[lock] !== stampOf(lock) && start !== "" && text.startsWith(start)
}

function isForeign(lock: string, { foreign }: ExpectedLocks): boolean {
  return foreign[lock] !== undefined && foreign[lock] === stampOf(lock)
}

function isOwnRef(lock: string): boolean {
  return /\/refs\/(?:heads\/)?teamwork\//.test(lock)
}

/** In milliseconds; zero where there is no such file. */
export function bornAt(lock: string): number {
  const stat = lstatSync(lock, { throwIfNoEntry: false })
  return stat === undefined ? 0 : stat.birthtimeMs || stat.ctimeMs
}

function readStart(lock: string): string {
  try {
    return lstatSync(lock).size > MOST_TEXT ? "\0" : readFileSync(lock, "utf8").trim()
  } catch {
    return "\0" // not to be read, so not ours
  }
}

const MOST_TEXT = 4096

/** Whether a process has the file open; false also where the system does not tell. */
export function isOpen(file: string): boolean {
  let pids: string[]
  try {
    pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  } catch {
    return false
  }
  return pids.some((pid) => {
    try {
      return readdirSync(`/proc/${pid}/fd`).some((fd) => isLinkTo(`/proc/${pid}/fd/${fd}`, file))
    } catch {
      return false // it ended meanwhile, or is another user's
    }
  })
}

function isLinkTo(link: string, file: string): boolean {
  try {
    return readlinkSync(link) === file
  } catch {
    return false
  }
}
