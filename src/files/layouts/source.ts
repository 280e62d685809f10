import { AppError } from "../../kernel/errors.ts"
import { isId, MAX_ID_LENGTH, quoteInput } from "../../kernel/ids.ts"
import type { Folder } from "../own/folder.ts"
import { type Fields, isRecord, type Json, parseJson } from "./foreign-json.ts"
import type { FileNote } from "./found-team.ts"

/**
 * The folder of one team. Each file is taken over whole, left out with a reason, or kept as a document when it says
 * more than was taken over.
 */
export class Source {
  /** Relative to the team's folder, without locks and temporary files. */
  readonly files: readonly string[]
  readonly skipped: FileNote[] = []
  readonly changed: FileNote[] = []
  readonly #folder: Folder
  readonly #base: string
  readonly #takenOver = new Set<string>()

  /** `isPart` selects the team's files in a shared folder. */
  constructor(folder: Folder, base: string, isPart: (path: string) => boolean = () => true) {
    this.#folder = folder
    this.#base = base
    this.files = relativeTo(folder, base).filter((path) => !isLeftover(path) && isPart(path))
  }

  /** Names of the folders around it, nearest first. */
  get folders(): string[] {
    return this.#base.split("/").filter(Boolean).reverse()
  }

  list(pattern: RegExp): string[] {
    return this.files.filter((path) => pattern.test(path))
  }

  /** JSON files of folders with this name, in the team's folder and those around it. */
  listAround(name: string): string[] {
    const found: string[] = []
    for (let up = ""; up.length / 3 <= this.folders.length; up += "../") {
      const folder = this.#resolve(`${up}${name}/`)
      const files = this.#folder.paths.filter((path) => path.startsWith(folder) && /[^/]\.json$/.test(path))
      found.push(
        ...files.filter((path) => !isLeftover(path)).map((path) => `${up}${name}/${path.slice(folder.length)}`),
      )
    }
    return found
  }

  /** Undefined, and noted, when it cannot be read. */
  bytes(path: string): Uint8Array | undefined {
    try {
      return this.#folder.read(this.#resolve(path))
    } catch (error) {
      this.skip(path, `cannot be read: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }

  /** Undefined, and noted, when it is not JSON. */
  json(path: string): unknown {
    const bytes = this.bytes(path)
    if (bytes === undefined) return undefined
    const parsed = parseJson(bytes)
    if (parsed.ok) return parsed.value
    this.skip(path, parsed.why)
    return undefined
  }

  record(path: string): Json | undefined {
    const value = this.json(path)
    if (value === undefined || isRecord(value)) return value
    this.skip(path, "does not hold an object")
    return undefined
  }

  /** Throws when the file cannot be used: without it there is no team. */
  main(path: string): Json {
    const record = this.record(path)
    if (record !== undefined) return record
    const why = this.skipped.at(-1)?.what ?? "is missing"
    const file = this.#resolve(path)
    throw new AppError("input.invalid", `${file} ${why}; nothing of this team can be imported without it`, { file })
  }

  skip(file: string, what: string): void {
    this.skipped.push({ file, what })
  }

  change(file: string, what: string): void {
    this.changed.push({ file, what })
  }

  /** The nearest valid id. Notes a name that is not an id. */
  nameOf(file: string, given: string, { what, fallback }: { what: string; fallback: string }): string {
    const id = makeId(given, fallback)
    if (id !== given) this.change(file, `${badId(given, what)}; it is ${id} now`)
    return id
  }

  /** Marks a file as taken over whole, if all fields were understood. */
  takeOver(file: string, ...parts: Fields[]): void {
    for (const part of parts) this.noteWrong(file, part)
    if (parts.every((part) => Object.keys(part.rest()).length === 0)) this.#takenOver.add(file)
  }

  noteWrong(file: string, fields: Fields, of = ""): void {
    for (const wrong of fields.wrong) this.change(file, `${of}${wrong}`)
  }

  listKept(): string[] {
    const skipped = new Set(this.skipped.map((note) => note.file))
    const changed = new Set(this.changed.map((note) => note.file))
    return this.files.filter((file) => !skipped.has(file) && (changed.has(file) || !this.#takenOver.has(file)))
  }

  #resolve(path: string): string {
    if (!path.startsWith("../")) return this.#base === "" ? path : `${this.#base}/${path}`
    const parts = this.#base.split("/").filter(Boolean)
    let rest = path
    for (; rest.startsWith("../"); rest = rest.slice(3)) parts.pop()
    return [...parts, rest].join("/")
  }
}

function relativeTo(folder: Folder, base: string): string[] {
  if (base === "") return [...folder.paths]
  return folder.paths.filter((path) => path.startsWith(`${base}/`)).map((path) => path.slice(base.length + 1))
}

const UNTOUCHED = /(?:^|\/)(?:node_modules|\.git|worktrees|[^/]*\.lock)\//
const TEMPORARY = /(?:^|\/)(?:\.DS_Store|\.#[^/]*|[^/]*~|[^/]*\.(?:tmp|temp|swp)(?:[.-][^/]*)?)$/

/** Locks, temporary files, working copies: useless without the programs that made them. */
export function isLeftover(path: string): boolean {
  return UNTOUCHED.test(path) || TEMPORARY.test(path)
}

export function makeId(name: string, fallback: string): string {
  const id = name
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replaceAll(/\.{2,}/g, ".")
    .replace(/^[._-]+/, "")
    .slice(0, MAX_ID_LENGTH)
    .replace(/(?:\.lock|[.-])+$/, "")
  return isId(id) ? id : fallback
}

export function badId(id: string, what = "id"): string {
  return `has the ${what} ${quoteInput(id)}, which is not allowed`
}
