import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { readText } from "../lib/read-files.ts"
import { copyIndex } from "./copy-index.ts"
import { lockedFor } from "./git.ts"

const PATIENCE_MS = 5000
const PAUSE_MS = 50

export interface IndexLock {
  readonly env: Readonly<Record<string, string>>
  /** Can be repeated. */
  apply(): void
  release(): void
}

interface Place {
  readonly gitDir: string
  /** Content of the lock file; identifies it as ours. */
  readonly text: string
  /** Ours, on the same file system. */
  readonly folder: string
  readonly name: string
  readonly sleep: (ms: number) => Promise<unknown>
}

/**
 * Locks an index as git does, with a text in the lock file that identifies it even after the process was killed.
 * Takes over a lock with the same text. Throws `git.locked` if another program keeps the lock.
 */
export async function lockIndex({ gitDir, text, folder, name, sleep }: Place): Promise<IndexLock> {
  const [index, lock] = [join(gitDir, "index"), join(gitDir, "index.lock")]
  const [mark, copy] = [join(folder, `${name}.mark`), join(folder, `${name}.index`)]
  for (let waited = 0; !take(mark, lock, text); waited += PAUSE_MS) {
    if (waited >= PATIENCE_MS) throw lockedFor(lock, gitDir)
    await sleep(PAUSE_MS)
  }
  const release = () => {
    for (const file of [copy, `${copy}.lock`, lock]) rmSync(file, { force: true })
  }
  const fill = () => {
    rmSync(`${copy}.lock`, { force: true })
    if (existsSync(index)) copyIndex(index, copy)
  }
  try {
    fill()
  } catch (error) {
    release()
    throw error
  }
  return {
    env: { GIT_INDEX_FILE: copy },
    apply() {
      renameSync(copy, index)
      fill()
    },
    release,
  }
}

/** A hard link creates the lock file together with its content. */
function take(mark: string, lock: string, text: string): boolean {
  try {
    writeFileSync(mark, `${text}\n`)
    try {
      linkSync(mark, lock)
    } finally {
      rmSync(mark, { force: true })
    }
    return true
  } catch (error) {
    if (hasCode(error, "EEXIST")) return readText(lock).trim() === text
    if (!hasCode(error, "EPERM") && !hasCode(error, "EXDEV") && !hasCode(error, "ENOTSUP")) throw error
    return create(lock, text)
  }
}

/** For file systems without hard links. */
function create(lock: string, text: string): boolean {
  try {
    const file = openSync(lock, "wx")
    writeSync(file, `${text}\n`)
    closeSync(file)
    return true
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false
    throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code
}
