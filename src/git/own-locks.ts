import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { processesIn } from "../lib/process/processes-in.ts"

/** The locks that a git of ours was going to take. */
export interface ExpectedLocks {
  /** Just before that git started, by the clock of the file system. */
  readonly at: number
  /** By lock file: the text that git writes into it; empty if it writes none. */
  readonly locks: Readonly<Record<string, string>>
  /** Locks that other programs held before, with the stamp of the file. */
  readonly foreign: Readonly<Record<string, string>>
  /** Folders in which a git that holds one of them runs. */
  readonly places: readonly string[]
}

/** Git takes all locks of one move at once. */
const SAME_MOMENT_MS = 1000
/** Between the note and the first lock git only has to start. */
const START_MS = 2000
/** Only teamwork moves these refs, so this allows for a busy machine. */
const OWN_START_MS = 60_000
/** The resolution of file times. */
const TICK_MS = 20

/**
 * The locks that a killed git of ours left. Any program may hold a lock, so this takes only what must be ours: the lock
 * has the text that our git would write; or it is empty and was created together with such a lock, or just when our git
 * started. Never one that another program held before or has open.
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
  // An empty one may belong to another git that started at the same moment.
  const isBusy = empty.length > 0 && processesIn(expected.places, /^git/)?.length !== 0
  return [...proven, ...(isBusy ? [] : empty)]
}

/** Distinguishes a lock file from a later one of the same name; undefined if there is none. */
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

/** In milliseconds; zero if there is no such file. */
export function bornAt(lock: string): number {
  const stat = lstatSync(lock, { throwIfNoEntry: false })
  return stat === undefined ? 0 : stat.birthtimeMs || stat.ctimeMs
}

function readStart(lock: string): string {
  try {
    return lstatSync(lock).size > MOST_TEXT ? "\0" : readFileSync(lock, "utf8").trim()
  } catch {
    return "\0" // not readable, so not ours
  }
}

const MOST_TEXT = 4096

/** Whether a process has the file open; false if the system does not say. */
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
      return false // it ended, or belongs to another user
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
