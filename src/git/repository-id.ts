import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { parseRepositoryId, REPOSITORY_ID_FILE, type RepositoryId } from "../kernel/repository.ts"
import { codeOf } from "../lib/error-code.ts"
import { holdLock } from "../lib/file-lock.ts"
import { dirname } from "../lib/paths.ts"
import { writeInto } from "./write-into.ts"

interface IdRequest {
  readonly gitDir: string
  readonly uuid: () => string
}

/** The first call creates the id. Concurrent calls get the same one. */
export function ensureRepositoryId({ gitDir, uuid }: IdRequest): RepositoryId {
  const file = `${gitDir}/${REPOSITORY_ID_FILE}`
  const known = readId(file)
  if (known !== undefined) return known
  return writing(gitDir, () => {
    const own = draft(file, uuid)
    try {
      // Atomic; fails if another process was faster.
      linkSync(own.path, file)
      return own.id
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error
      const theirs = readId(file)
      if (theirs !== undefined) return theirs
      // Damaged, so it was never used.
      renameSync(own.path, file)
      return own.id
    } finally {
      rmSync(own.path, { force: true })
    }
  })
}

/** Gives a copied repository its own id, unless another process just did. */
export async function renewRepositoryId({
  sleep,
  from,
  ...request
}: IdRequest & {
  readonly sleep: (ms: number) => Promise<unknown>
  readonly from: RepositoryId
}): Promise<RepositoryId> {
  const { gitDir, uuid } = request
  const file = `${gitDir}/${REPOSITORY_ID_FILE}`
  // Throws if the folder is not writable.
  writing(gitDir, () => {
    rmSync(draft(file, uuid).path)
    return from
  })
  using _lock = await holdLock(`${file}.lock`, { patienceMs: PATIENCE_MS, sleep })
  if (readId(file) !== from) return ensureRepositoryId(request)
  const own = draft(file, uuid)
  renameSync(own.path, file)
  return own.id
}

/** The lock is held only while one line is written. */
const PATIENCE_MS = 5000

function draft(file: string, uuid: () => string): { readonly path: string; readonly id: RepositoryId } {
  const id = uuid().replaceAll("-", "") as RepositoryId
  const path = `${file}.${id}.new`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(path, `${id}\n`)
  return { path, id }
}

function readId(file: string): RepositoryId | undefined {
  try {
    return parseRepositoryId(readFileSync(file, "utf8"))
  } catch {
    return undefined // it does not exist; if it is not readable, writing fails and says why
  }
}

function writing(gitDir: string, work: () => RepositoryId): RepositoryId {
  return writeInto(gitDir, `${gitDir}/${REPOSITORY_ID_FILE}`, work)
}
