import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"

// The lock of the system we replace: a folder next to the file, made by whoever gets it (R044-R048).

interface Holder {
  readonly owner: string
  readonly pid: number
  readonly timestamp: string
}

const RETRY_MS = 50
const STALE_AFTER_MS = 60_000

/** Runs `work` while nobody else holds the lock of `file`. Who holds it already goes straight on. */
export async function withLock<T>(file: string, owner: string, work: () => T): Promise<T> {
  const lock = `${file}.lock`
  const isMine = await acquire(lock, owner)
  try {
    return work()
  } finally {
    if (isMine) rmSync(lock, { recursive: true, force: true })
  }
}

/** True when it was made, false when the owner had it before. */
async function acquire(lock: string, owner: string): Promise<boolean> {
  for (;;) {
    if (makeFolder(lock)) {
      const holder: Holder = { owner, pid: process.pid, timestamp: new Date().toISOString() }
      writeFileSync(`${lock}/holder.json`, JSON.stringify(holder))
      return true
    }
    const holder = readHolder(lock)
    if (holder?.owner === owner) return false
    if (holder !== undefined && isStale(holder)) rmSync(lock, { recursive: true, force: true })
    else await Bun.sleep(RETRY_MS)
  }
}

function makeFolder(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  }
}

function readHolder(lock: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(`${lock}/holder.json`, "utf8"))
  } catch {
    return undefined // released just now, or not written yet
  }
}

function isStale({ pid, timestamp }: Holder): boolean {
  return Date.now() - Date.parse(timestamp) > STALE_AFTER_MS && !isAlive(pid)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
