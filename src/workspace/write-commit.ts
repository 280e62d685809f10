import { chmodSync, existsSync, linkSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { deflateSync } from "node:zlib"
import { systemClock } from "../lib/clock.ts"
import { systemIds } from "../lib/ids.ts"
import { dirname } from "../lib/paths.ts"
import type { Git } from "./git.ts"

export interface NewCommit {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  /** `name <address>` */
  readonly author: string
  readonly committer: string
}

const SET_GROUP_ID = 0o2000

/**
 * Writes a commit as git would, without starting it; its id, or undefined where git has to do it: with other hashes, and
 * where several users share the repository and files need other rights.
 */
export async function writeCommit(git: Git, commit: NewCommit): Promise<string | undefined> {
  const { commonDir } = await git.places()
  const objects = `${commonDir}/objects`
  if (commit.tree.length !== 40 || commit.message.includes("\0") || !mayWrite(objects)) return undefined
  const bytes = Buffer.from(textOf(commit, systemClock.now()))
  const object = Buffer.concat([Buffer.from(`commit ${bytes.length}\0`), bytes])
  const id = new Bun.CryptoHasher("sha1").update(object).digest("hex")
  const file = `${objects}/${id.slice(0, 2)}/${id.slice(2)}`
  if (!existsSync(file)) store(file, deflateSync(object, { level: 1 }))
  return id
}

function mayWrite(objects: string): boolean {
  const stat = statSync(objects, { throwIfNoEntry: false })
  return stat !== undefined && (stat.mode & SET_GROUP_ID) === 0
}

function textOf({ tree, parents, message, author, committer }: NewCommit, now: number): string {
  const time = `${Math.floor(now / 1000)} ${zone(new Date(now).getTimezoneOffset())}`
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${author} ${time}`,
    `committer ${committer} ${time}`,
  ]
  return `${lines.join("\n")}\n\n${message}`
}

/** Minutes that the clock is behind, as git writes them. */
function zone(behind: number): string {
  const [hours, minutes] = [Math.floor(Math.abs(behind) / 60), Math.abs(behind) % 60]
  return `${behind > 0 ? "-" : "+"}${String(hours).padStart(2, "0")}${String(minutes).padStart(2, "0")}`
}

/** Whole or not at all. What is left of somebody who was killed has a name by which git's own tidying knows it. */
function store(file: string, content: Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true })
  const temporary = `${dirname(file)}/tmp_obj_${systemIds.uuid()}`
  try {
    writeFileSync(temporary, content, { flag: "wx" })
    chmodSync(temporary, 0o444)
    linkSync(temporary, file)
  } catch (error) {
    // Somebody else wrote the same.
    if (!existsSync(file)) throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}
