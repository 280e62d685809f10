import { chmodSync, existsSync, linkSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { deflateSync } from "node:zlib"
import { codeOf } from "../lib/error-code.ts"
import { systemIds } from "../lib/make-ids.ts"
import { dirname } from "../lib/paths.ts"

const SET_GROUP_ID = 0o2000

/** Not where several users share the repository, and files need other rights. */
export function mayWriteObjects(commonDir: string): boolean {
  const stat = statSync(`${commonDir}/objects`, { throwIfNoEntry: false })
  return stat !== undefined && (stat.mode & SET_GROUP_ID) === 0
}

/** Writes an object as git would, without starting it; its id. Only for repositories with ids of 40 letters. */
export function writeObject(commonDir: string, type: "commit" | "tree", content: Buffer): string {
  const object = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
  const id = new Bun.CryptoHasher("sha1").update(object).digest("hex")
  const file = objectFile(commonDir, id)
  if (!existsSync(file)) store(file, deflateSync(object, { level: 1 }))
  return id
}

/** Stores an object as it lies in another repository. */
export function storeObject(commonDir: string, id: string, content: Uint8Array): void {
  const file = objectFile(commonDir, id)
  if (!existsSync(file)) store(file, content)
}

function objectFile(commonDir: string, id: string): string {
  return `${commonDir}/objects/${id.slice(0, 2)}/${id.slice(2)}`
}

/** The user's own tidying may take away a file that is just being written. */
const TRIES = 5

/** Whole or not at all. What is left of somebody who was killed has a name by which git's own tidying knows it. */
function store(file: string, content: Uint8Array): void {
  for (let left = TRIES; ; left--) {
    mkdirSync(dirname(file), { recursive: true })
    const temporary = `${dirname(file)}/tmp_obj_${systemIds.uuid()}`
    try {
      writeFileSync(temporary, content, { flag: "wx" })
      chmodSync(temporary, 0o444)
      linkSync(temporary, file)
      return
    } catch (error) {
      // Somebody else wrote the same.
      if (existsSync(file)) return
      if (left === 1 || codeOf(error) !== "ENOENT") throw error
    } finally {
      rmSync(temporary, { force: true })
    }
  }
}
