import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { processesIn } from "../lib/process/processes-in.ts"

export interface ExpectedLocks {
  /** File system time just before that git started. */
  readonly at: number
  /** Lock file -> text that git writes into it, empty for none. */
  readonly locks: Readonly<Record<string, string>>
  /** Locks that other programs held before -> stamp of the file. */
  readonly foreign: Readonly<Record<string, string>>
  readonly places: readonly string[]
}

/** Git takes all locks of one move at once. */
const SAME_MOMENT_MS = 1000
/** Between the note and the first lock git only has to start. */
const START_MS = 2000
/** Only teamwork moves these refs, so allow for a busy machine. */
const OWN_START_MS = 60_000
const TICK_MS = 20

/**
 * Locks that a killed git of ours left. Any program may hold a lock, so this returns only certain ones: the lock
 * has the text that our git writes; or it is empty and as old as such a lock, or as the start of our git. Never one
 * that another program held before or has open.
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
  // An empty lock may belong to another git that started at the same moment.
  const isBusy = empty.length > 0 && processesIn(expected.places, /^git/)?.length !== 0
  return [...proven, ...(isBusy ? [] : empty)]
}

/** Distinguishes a lock file from a later one of the same name. */
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

/** In milliseconds; zero without a file. */
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

/** False also if the system does not say. */
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
