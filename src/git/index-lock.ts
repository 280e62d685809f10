import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { copyIndex } from "./copy-index.ts"
import { lockedFor } from "./git.ts"
import { readText } from "./read-refs.ts"

/** As long as git itself is waited for. */
const PATIENCE_MS = 5000
const PAUSE_MS = 50

export interface IndexLock {
  /** The variables that make git use a copy of the index. */
  readonly env: Readonly<Record<string, string>>
  /** Makes the copy the index. May be called again after more was done with the copy. */
  apply(): void
  release(): void
}

interface Place {
  /** Of the checkout. */
  readonly gitDir: string
  /** Tells our lock from that of any other program: the lock holds it. */
  readonly text: string
  /** A folder of ours on the same file system. */
  readonly folder: string
  readonly name: string
  readonly sleep: (ms: number) => Promise<unknown>
}

/**
 * Locks the index of a checkout the way git does, but with a text that proves whose lock it is, however the process ends.
 * One that was left with the same text is taken over. Throws `git.locked` when another program holds it for long.
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

/** The file gets its name together with what is in it, so that it is never seen without. */
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

/** Where the file system has no such links. */
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
