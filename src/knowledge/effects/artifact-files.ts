import { mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { quoteInput, type TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { codeOf } from "../../lib/error-code.ts"
import type { GateRepository } from "../../quality/gates/port.ts"
import type { Context } from "../../store/operation.ts"
import { type Artifact, type ArtifactKind, fileNameOf, kindOfFile, MOST_BYTES_IN_STORE } from "../artifact.ts"
import { addArtifact, getArtifact, listArtifacts } from "../operations/artifacts.ts"

/** Undefined outside of a repository. */
type FindRepository = () => Promise<GateRepository | undefined>

export interface FileToKeep extends TeamName {
  /** Absolute. */
  readonly file: string
  readonly name?: string
  readonly kind?: ArtifactKind
  readonly task?: TaskId
  readonly by?: string
}

/** Uses the store, unless the last commit has the same content. */
export async function keepFile(context: Context, find: FindRepository, given: FileToKeep): Promise<Artifact> {
  const { file, kind = kindOfFile(file), name = basename(file), ...rest } = given
  const bytes = readFile(file)
  const repository = await find()
  const head = await repository?.find("HEAD")
  const commit = head?.commit
  const path = repository && pathIn(repository.folder, file)
  const what = { ...rest, name, kind, path, commit, encoding: "utf8" as const }
  if (repository !== undefined && head !== undefined && path !== undefined) {
    const id = await repository.openTree(head.tree).id(path)
    if (id !== undefined && id === blobId(bytes, id.length))
      return addArtifact.run(context, { ...what, sha256: sha256(bytes), size: bytes.length })
  }
  if (bytes.length > MOST_BYTES_IN_STORE)
    throw new AppError(
      "artifact.too_large",
      `${quoteInput(file)} has ${bytes.length} bytes, and the store keeps at most ${MOST_BYTES_IN_STORE}; commit it and add it again`,
      { file, size: bytes.length, most: MOST_BYTES_IN_STORE },
    )
  const text = asText(bytes)
  const content = text ?? Buffer.from(bytes).toString("base64")
  return addArtifact.run(context, { ...what, content, encoding: text === undefined ? "base64" : "utf8" })
}

/** Git uses real names of folders. */
function pathIn(root: string, file: string): string | undefined {
  const real = realpathSync(file)
  return real.startsWith(`${root}/`) ? real.slice(root.length + 1) : undefined
}

export interface ArtifactBytes {
  readonly artifact: Artifact
  readonly bytes: Uint8Array
  /** Undefined if not text. */
  readonly text: string | undefined
}

/** Throws if the content changed since it was added. */
export async function readArtifact(
  context: Context,
  find: FindRepository,
  which: TeamName & { readonly number: number },
): Promise<ArtifactBytes> {
  const { artifact, document } = await getArtifact.run(context, which)
  const bytes =
    document === null ? await readCommitted(find, artifact) : Buffer.from(document.content, document.encoding)
  if (bytes === undefined) {
    const where = artifact.keptIn === "commit" ? `commit ${artifact.commit} of this repository` : "the store"
    throw new AppError("artifact.unreadable", `artifact ${artifact.number} is not in ${where}`, {
      number: artifact.number,
    })
  }
  if (sha256(bytes) !== artifact.sha256)
    throw new AppError(
      "artifact.changed",
      `artifact ${artifact.number} was changed after it was added: its hash differs`,
      {
        number: artifact.number,
      },
    )
  return { artifact, bytes, text: asText(bytes) }
}

async function readCommitted(find: FindRepository, { commit, path }: Artifact): Promise<Uint8Array | undefined> {
  const repository = await find()
  const found = commit === null ? undefined : await repository?.find(commit)
  if (repository === undefined || found === undefined || path === null) return undefined
  return repository.openTree(found.tree).bytes(path)
}

export interface ArtifactExport extends TeamName {
  /** Absolute. */
  readonly folder: string
  readonly task?: TaskId
  readonly kind?: ArtifactKind
}

/** Returns the file names. Checks all before writing one; never replaces a file with other content. */
export async function exportArtifacts(
  context: Context,
  find: FindRepository,
  { folder, ...which }: ArtifactExport,
): Promise<string[]> {
  const artifacts = await listArtifacts.run(context, which)
  const files: { name: string; bytes: Uint8Array }[] = []
  for (const { number } of artifacts) {
    const { artifact, bytes } = await readArtifact(context, find, { ...which, number })
    files.push({ name: fileNameOf(artifact), bytes })
  }
  const index = artifacts.map((each) => ({ file: fileNameOf(each), ...each }))
  files.push({ name: "artifacts.json", bytes: Buffer.from(`${JSON.stringify(index, null, 2)}\n`) })
  const foreign = files.find(({ name, bytes }) => isForeign(join(folder, name), bytes))
  if (foreign !== undefined)
    throw new AppError(
      "export.foreign_files",
      `${quoteInput(join(folder, foreign.name))} exists with other content; name an empty folder`,
      { file: foreign.name },
    )
  for (const { name, bytes } of files) writeNew(folder, name, bytes)
  return files.map(({ name }) => name)
}

function isForeign(file: string, bytes: Uint8Array): boolean {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat !== undefined && !(stat.isFile() && Buffer.compare(readFileSync(file), bytes) === 0)
}

function writeNew(folder: string, name: string, bytes: Uint8Array): void {
  const file = join(folder, name)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (statSync(file, { throwIfNoEntry: false }) === undefined) writeFileSync(file, bytes, { flag: "wx", mode: 0o600 })
  } catch (error) {
    const why = codeOf(error) ?? String(error)
    throw new AppError("export.failed", `${quoteInput(file)} cannot be written (${why})`, {}, { cause: error })
  }
}

function readFile(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    const why = codeOf(error) ?? String(error)
    throw new AppError("artifact.unreadable", `${quoteInput(file)} cannot be read (${why})`, { file }, { cause: error })
  }
}

/** Git's id of the file. `length` selects the repository's hash. */
function blobId(bytes: Uint8Array, length: number): string {
  const hasher = new Bun.CryptoHasher(length === 64 ? "sha256" : "sha1")
  return hasher.update(`blob ${bytes.length}\0`).update(bytes).digest("hex")
}

function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
}

/** Undefined if the store cannot keep it as text. */
function asText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined // not UTF-8
  }
}
