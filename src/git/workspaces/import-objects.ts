import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { inflateSync } from "node:zlib"
import { AppError } from "../../kernel/errors.ts"
import { codeOf } from "../../lib/error-code.ts"
import { systemIds } from "../../lib/make-ids.ts"
import { dirname } from "../../lib/paths.ts"
import { entriesOf, readText } from "../../lib/read-files.ts"
import type { Git } from "../git.ts"
import { withObjectsOf } from "./private-repository.ts"

interface Target {
  readonly git: Git
  readonly commonDir: string
}

/**
 * Copies commits with everything they refer to from a worker's repository into the user's, without a ref. Checks
 * every object by its hash. Throws `git.failed` if one is missing or damaged. `git fetch` would read the settings
 * of the worker's repository. A task has a few loose objects, which are copied here: packing them takes five git
 * processes and 12 ms of CPU for each task, beyond the limit of the benchmark `engine`, and leaves a pack for each
 * task. Git packs anything else, with the user's settings only.
 */
export async function importObjects(target: Target, gitDir: string, ids: readonly string[]): Promise<void> {
  const { git, commonDir } = target
  const objects = await git.objects()
  const missing: string[] = []
  for (const id of ids)
    if (!imported.has(`${commonDir} ${id}`) || (await objects.id(id)) === undefined) missing.push(id)
  if (missing.length === 0) return
  const copied = await copyLoose(target, gitDir, missing)
  if (!copied) await copyPacked(target, gitDir, missing)
  if (imported.size > MOST_KNOWN) imported.clear()
  for (const id of missing) imported.add(`${commonDir} ${id}`)
}

/** By this process. If the user pruned a commit since, then with everything it refers to. */
const imported = new Set<string>()

/** User's repository -> objects that workers' repositories borrow. */
const borrowed = new Map<string, Set<string>>()
const MOST_KNOWN = 200_000

/** Git copies larger ones without reading them into memory. */
const LARGE_BYTES = 16_000_000
const MOST_INFLATED = 256_000_000

/** False if git has to do it. */
async function copyLoose({ git, commonDir }: Target, gitDir: string, ids: readonly string[]): Promise<boolean> {
  if (!hasOnlyLooseObjects(gitDir, commonDir) || isShared(commonDir)) return false
  const known = borrowed.get(commonDir) ?? new Set<string>()
  borrowed.set(commonDir, known)
  if (known.size > MOST_KNOWN) known.clear()
  const objects = await git.objects()
  const seen = new Set<string>()
  // Copy an object after everything it refers to, so that an existing object is complete.
  const next: Step[] = ids.map((id) => ({ id }))
  for (let step = next.pop(); step !== undefined; step = next.pop()) {
    const { id, content } = step
    if (content !== undefined) {
      storeObject(commonDir, id, content)
      continue
    }
    if (known.has(id) || seen.has(id)) continue
    seen.add(id)
    const file = objectFile(gitDir, id)
    const stat = lstatSync(file, { throwIfNoEntry: false })
    if (stat === undefined) {
      if ((await objects.id(id)) === undefined) return false
      known.add(id)
      continue
    }
    if (!stat.isFile() || stat.size > LARGE_BYTES) return false
    const packed = readFileSync(file)
    const object = parseObject(packed, id)
    if (object === undefined) return false
    next.push({ id, content: packed }, ...childrenOf(object, id.length / 2).map((child) => ({ id: child })))
  }
  return true
}

interface Step {
  readonly id: string
  /** Bytes of the file, once everything it refers to is copied. */
  readonly content?: Buffer
}

/** Borrows all others from the user's repository. */
function hasOnlyLooseObjects(gitDir: string, commonDir: string): boolean {
  if (lstatSync(`${gitDir}/objects`, { throwIfNoEntry: false })?.isDirectory() !== true) return false
  if (readText(`${gitDir}/objects/info/alternates`).trim() !== `${commonDir}/objects`) return false
  return !entriesOf(`${gitDir}/objects/pack`).some((entry) => entry.name.endsWith(".pack"))
}

const SET_GROUP_ID = 0o2000

/** Git sets the special permissions that files need in a repository shared by several users. */
function isShared(commonDir: string): boolean {
  const stat = statSync(`${commonDir}/objects`, { throwIfNoEntry: false })
  return stat === undefined || (stat.mode & SET_GROUP_ID) !== 0
}

function objectFile(gitDir: string, id: string): string {
  return `${gitDir}/objects/${id.slice(0, 2)}/${id.slice(2)}`
}

/** A `git gc` of the user may remove the temporary file. */
const TRIES = 5

/** Atomic. A killed process leaves a temporary file whose name `git gc` recognises. */
function storeObject(commonDir: string, id: string, content: Uint8Array): void {
  const file = objectFile(commonDir, id)
  for (let left = TRIES; !existsSync(file); left--) {
    mkdirSync(dirname(file), { recursive: true })
    const temporary = `${dirname(file)}/tmp_obj_${systemIds.uuid()}`
    try {
      writeFileSync(temporary, content, { flag: "wx" })
      chmodSync(temporary, 0o444)
      linkSync(temporary, file)
    } catch (error) {
      // Another process may have written the same object.
      if (!existsSync(file) && (left === 1 || codeOf(error) !== "ENOENT")) throw error
    } finally {
      rmSync(temporary, { force: true })
    }
  }
}

interface ParsedObject {
  readonly type: string
  readonly content: Buffer
}

/** Undefined if the content does not match the id. */
function parseObject(packed: Buffer, id: string): ParsedObject | undefined {
  try {
    const whole = inflateSync(packed, { maxOutputLength: MOST_INFLATED })
    const hash = new Bun.CryptoHasher(id.length === 64 ? "sha256" : "sha1").update(whole).digest("hex")
    if (hash !== id) return undefined
    const end = whole.indexOf(0)
    const [type = ""] = whole.toString("latin1", 0, end).split(" ")
    return { type, content: whole.subarray(end + 1) }
  } catch {
    return undefined // git reports what is wrong with it
  }
}

const REPOSITORY = "160000"

function childrenOf({ type, content }: ParsedObject, idBytes: number): string[] {
  if (type === "commit") return valuesIn(content, /^(?:tree|parent) ([0-9a-f]+)$/)
  if (type === "tag") return valuesIn(content, /^object ([0-9a-f]+)$/)
  if (type !== "tree") return []
  const ids: string[] = []
  for (let at = 0; at < content.length; ) {
    const end = content.indexOf(0, at)
    if (end === -1) break
    // The commit of a submodule is in another repository.
    if (!content.toString("latin1", at, end).startsWith(`${REPOSITORY} `))
      ids.push(content.toString("hex", end + 1, end + 1 + idBytes))
    at = end + 1 + idBytes
  }
  return ids
}

function valuesIn(content: Buffer, pattern: RegExp): string[] {
  const end = content.indexOf("\n\n")
  const lines = content.toString("latin1", 0, end === -1 ? content.length : end).split("\n")
  return lines.flatMap((line) => pattern.exec(line)?.[1] ?? [])
}

/** `index-pack` computes all ids again, so no object gets a wrong one. */
async function copyPacked({ git }: Target, gitDir: string, ids: readonly string[]): Promise<void> {
  const both = withObjectsOf(gitDir)
  const list = ["rev-list", "--objects", "--no-object-names", "--stdin", "--not", "--all"]
  const input = `${ids.join("\n")}\n`
  const needed = await git.run(list, { env: both, input })
  if (needed.exitCode !== 0) throw damaged(gitDir, needed.stderr)
  if (needed.stdout !== "")
    await git.pipe(["pack-objects", "--quiet", "--stdout"], ["index-pack", "--stdin", "--fix-thin"], {
      input: needed.stdout,
      fromEnv: both,
    })
  const check = await git.run([...list, "--quiet"], { input })
  if (check.exitCode !== 0) throw damaged(gitDir, check.stderr)
}

function damaged(gitDir: string, stderr: string): AppError {
  const why = (stderr.split("\n", 1)[0] ?? "").replace(/^(?:fatal|error): /, "")
  return new AppError("git.failed", `the repository of the worktree, ${gitDir}, is damaged: ${why}`, { gitDir })
}
