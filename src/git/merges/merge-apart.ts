import { isShortLine } from "../ancestry.ts"
import type { Git } from "../git.ts"
import type { Answers } from "../kept-processes.ts"
import { type GitChange, listChanges } from "../list-changes.ts"
import { mayWriteObjects, writeObject } from "../write-object.ts"

/**
 * The tree of both commits where `theirs` is a line of commits from `base`, which only added and changed files, and
 * `ours` has all of those as `base` had them: then there is nothing to decide, and git need not be started, which would
 * look for what they have in common through all of their history. Undefined where git has to look.
 */
export async function mergeApart(git: Git, { ours, theirs, base }: Sides): Promise<string | undefined> {
  const { commonDir } = await git.places()
  if (base.length !== 40 || !mayWriteObjects(commonDir) || !(await isShortLine(git, base, theirs))) return undefined
  const changes = await listChanges(git, base, theirs)
  if (changes.length === 0 || !changes.every(isPlain)) return undefined
  const answers = await git.answers()
  const [from, onto] = [await answers.commit(base), await answers.commit(ours)]
  if (from === undefined || onto === undefined) return undefined
  const edits = changes.map(({ path, mode, oid }) => ({ names: bytesOf(path).split("/"), mode, id: oid }))
  return editTree({ answers, commonDir }, { base: from.tree, onto: onto.tree, edits })
}

interface Sides {
  readonly ours: string
  readonly theirs: string
  /** Where both part. */
  readonly base: string
}

/** What is removed may have been renamed, and a repository within is nothing to write. */
function isPlain({ change, type, path }: GitChange): boolean {
  return change !== "deleted" && type !== "repository" && !path.includes("\ufffd")
}

interface Edit {
  /** The way from this tree to the file, its name last. */
  readonly names: readonly string[]
  readonly mode: string
  readonly id: string
}

interface Entry {
  readonly mode: string
  readonly id: string
}

interface Places {
  readonly answers: Answers
  readonly commonDir: string
}

const FOLDER = "40000"

/** `onto` with the edits made, if everything they touch is in it as in `base`. */
async function editTree(
  places: Places,
  { base, onto, edits }: { base: string | undefined; onto: string | undefined; edits: readonly Edit[] },
): Promise<string | undefined> {
  const before = base === undefined ? new Map<string, Entry>() : await readTree(places, base)
  const entries = onto === undefined ? new Map<string, Entry>() : await readTree(places, onto)
  if (before === undefined || entries === undefined) return undefined
  for (const [name, group] of Map.groupBy(edits, (edit) => edit.names[0] ?? "")) {
    const [was, is] = [before.get(name), entries.get(name)]
    const [edit] = group
    if (edit === undefined) return undefined
    if (edit.names.length === 1) {
      if (was?.id !== is?.id || was?.mode !== is?.mode || was?.mode === FOLDER) return undefined
      entries.set(name, { mode: edit.mode.replace(/^0/, ""), id: edit.id })
      continue
    }
    // A folder that is gone may have been renamed, and what is new in it has to follow.
    if ([was, is].some((each) => each !== undefined && each.mode !== FOLDER) || (was && !is)) return undefined
    const inner = group.map((each) => ({ ...each, names: each.names.slice(1) }))
    const id = await editTree(places, { base: was?.id, onto: is?.id, edits: inner })
    if (id === undefined) return undefined
    entries.set(name, { mode: FOLDER, id })
  }
  return writeObject(places.commonDir, "tree", formatTree(entries))
}

/** The entries by the bytes of their names, each `<mode> <name>`, a zero and an id in bytes. */
async function readTree({ answers }: Places, id: string): Promise<Map<string, Entry> | undefined> {
  const object = await answers.read(id)
  if (object?.type !== "tree") return undefined
  const { content } = object
  const entries = new Map<string, Entry>()
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(32, at)
    const end = content.indexOf(0, space)
    entries.set(content.toString("latin1", space + 1, end), {
      mode: content.toString("latin1", at, space),
      id: content.toString("hex", end + 1, end + 21),
    })
    at = end + 21
  }
  return entries
}

/** In git's order: by bytes, folders as if a slash stood behind them. */
function formatTree(entries: ReadonlyMap<string, Entry>): Buffer {
  const key = (name: string, { mode }: Entry) => (mode === FOLDER ? `${name}/` : name)
  const sorted = [...entries].sort(([a, one], [b, other]) => (key(a, one) < key(b, other) ? -1 : 1))
  return Buffer.concat(
    sorted.flatMap(([name, { mode, id }]) => [Buffer.from(`${mode} ${name}\0`, "latin1"), Buffer.from(id, "hex")]),
  )
}

function bytesOf(path: string): string {
  return Buffer.from(path, "utf8").toString("latin1")
}
