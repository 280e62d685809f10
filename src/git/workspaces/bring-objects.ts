import { lstatSync, readFileSync } from "node:fs"
import { inflateSync } from "node:zlib"
import { AppError } from "../../kernel/errors.ts"
import type { Git } from "../git.ts"
import { entriesOf, readText } from "../read-refs.ts"
import { mayWriteObjects, storeObject } from "../write-object.ts"
import { withObjectsOf } from "./private-repository.ts"

interface Bringing {
  /** In the user's repository. */
  readonly git: Git
  readonly commonDir: string
}

/**
 * Copies commits with all they consist of from a worker's repository into the user's, where nothing refers to them yet.
 * Every object is checked by its hash. Afterwards all of them can be read without the worker's repository. Throws
 * `git.failed` where one of them is missing or damaged.
 *
 * Git's own way, a fetch, starts five processes and reads the settings of the other repository. The few loose objects of
 * a task are copied here; for anything else git packs them, with the settings of the user's repository alone.
 */
export async function bringObjects(to: Bringing, gitDir: string, ids: readonly string[]): Promise<void> {
  const { git, commonDir } = to
  const answers = await git.answers()
  const missing: string[] = []
  for (const id of ids) if (!brought.has(`${commonDir} ${id}`) || (await answers.id(id)) === undefined) missing.push(id)
  if (missing.length === 0) return
  const copied = await copyLoose(to, gitDir, missing)
  if (!copied) await copyPacked(to, gitDir, missing)
  if (brought.size > MOST_KNOWN) brought.clear()
  for (const id of missing) brought.add(`${commonDir} ${id}`)
}

/** What this process brought. The user may have had it removed since, but then as a whole. */
const brought = new Set<string>()

/** Objects of the user's repository that a worker's borrows. */
const borrowed = new Map<string, Set<string>>()
const MOST_KNOWN = 200_000

/** Larger ones are for git, which does not read them as a whole. */
const LARGE_BYTES = 16_000_000
const MOST_INFLATED = 256_000_000

/** False where git has to do it. */
async function copyLoose({ git, commonDir }: Bringing, gitDir: string, ids: readonly string[]): Promise<boolean> {
  if (!isPlain(gitDir, commonDir) || !mayWriteObjects(commonDir)) return false
  const known = borrowed.get(commonDir) ?? new Set<string>()
  borrowed.set(commonDir, known)
  if (known.size > MOST_KNOWN) known.clear()
  const answers = await git.answers()
  const seen = new Set<string>()
  // What an object refers to is copied before it, so one that is there is there with everything.
  const next: Step[] = ids.map((id) => ({ id }))
  for (let step = next.pop(); step !== undefined; step = next.pop()) {
    const { id, content } = step
    if (content !== undefined) {
      storeObject(commonDir, id, content)
      continue
    }
    if (known.has(id) || seen.has(id)) continue
    seen.add(id)
    const file = `${gitDir}/objects/${id.slice(0, 2)}/${id.slice(2)}`
    const stat = lstatSync(file, { throwIfNoEntry: false })
    if (stat === undefined) {
      if ((await answers.id(id)) === undefined) return false
      known.add(id)
      continue
    }
    if (!stat.isFile() || stat.size > LARGE_BYTES) return false
    const packed = readFileSync(file)
    const object = open(packed, id)
    if (object === undefined) return false
    next.push({ id, content: packed }, ...childrenOf(object, id.length / 2).map((child) => ({ id: child })))
  }
  return true
}

interface Step {
  readonly id: string
  /** As it lies on the disk, once all that it refers to is there. */
  readonly content?: Buffer
}

/** All its objects are in files of their own, and the others come from the user's repository. */
function isPlain(gitDir: string, commonDir: string): boolean {
  if (lstatSync(`${gitDir}/objects`, { throwIfNoEntry: false })?.isDirectory() !== true) return false
  if (readText(`${gitDir}/objects/info/alternates`).trim() !== `${commonDir}/objects`) return false
  return !entriesOf(`${gitDir}/objects/pack`).some((entry) => entry.name.endsWith(".pack"))
}

interface OpenObject {
  readonly type: string
  readonly content: Buffer
}

/** Undefined where the content is not what the id stands for. */
function open(packed: Buffer, id: string): OpenObject | undefined {
  try {
    const whole = inflateSync(packed, { maxOutputLength: MOST_INFLATED })
    const hash = new Bun.CryptoHasher(id.length === 64 ? "sha256" : "sha1").update(whole).digest("hex")
    if (hash !== id) return undefined
    const end = whole.indexOf(0)
    const [type = ""] = whole.toString("latin1", 0, end).split(" ")
    return { type, content: whole.subarray(end + 1) }
  } catch {
    return undefined // git says what is wrong with it
  }
}

const REPOSITORY = "160000"

function childrenOf({ type, content }: OpenObject, idBytes: number): string[] {
  if (type === "commit") return linesOf(content, /^(?:tree|parent) ([0-9a-f]+)$/)
  if (type === "tag") return linesOf(content, /^object ([0-9a-f]+)$/)
  if (type !== "tree") return []
  const ids: string[] = []
  for (let at = 0; at < content.length; ) {
    const end = content.indexOf(0, at)
    if (end === -1) break
    // What stands for a commit of another repository is not in this one.
    if (!content.toString("latin1", at, end).startsWith(`${REPOSITORY} `))
      ids.push(content.toString("hex", end + 1, end + 1 + idBytes))
    at = end + 1 + idBytes
  }
  return ids
}

function linesOf(content: Buffer, pattern: RegExp): string[] {
  const end = content.indexOf("\n\n")
  const lines = content.toString("latin1", 0, end === -1 ? content.length : end).split("\n")
  return lines.flatMap((line) => pattern.exec(line)?.[1] ?? [])
}

/** What git packs is unpacked by hash again, so nothing comes under a wrong name. */
async function copyPacked({ git }: Bringing, gitDir: string, ids: readonly string[]): Promise<void> {
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
