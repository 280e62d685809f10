import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readSync, renameSync, rmSync } from "node:fs"
import { systemIds } from "../../lib/make-ids.ts"
import { dirname } from "../../lib/paths.ts"
import { entriesOf } from "../../lib/read-files.ts"

/** Imported commits refer to files that git-lfs keeps beside the objects. Each is named by the hash of its content. */
export function importLargeFiles(gitDir: string, commonDir: string): void {
  const from = `${gitDir}/lfs/objects`
  if (!existsSync(from)) return
  for (const name of filesIn(from, 2)) {
    const [file, copy] = [`${from}/${name}`, `${commonDir}/lfs/objects/${name}`]
    if (existsSync(copy) || hashOf(file) !== name.slice(name.lastIndexOf("/") + 1)) continue
    mkdirSync(dirname(copy), { recursive: true })
    const draft = `${copy}.${systemIds.uuid()}`
    try {
      copyFileSync(file, draft)
      renameSync(draft, copy)
    } finally {
      rmSync(draft, { force: true })
    }
  }
}

function filesIn(folder: string, depth: number): string[] {
  return entriesOf(folder).flatMap((entry) => {
    if (depth === 0) return entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name) ? [entry.name] : []
    if (!entry.isDirectory()) return []
    return filesIn(`${folder}/${entry.name}`, depth - 1).map((name) => `${entry.name}/${name}`)
  })
}

const CHUNK_BYTES = 1_000_000

function hashOf(file: string): string {
  const hasher = new Bun.CryptoHasher("sha256")
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const handle = openSync(file, "r")
  try {
    for (let count = readSync(handle, chunk); count > 0; count = readSync(handle, chunk))
      hasher.update(chunk.subarray(0, count))
  } finally {
    closeSync(handle)
  }
  return hasher.digest("hex")
}
