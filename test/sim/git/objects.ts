// What a git repository holds, in memory: commits, files, refs. Files and folders have git's own names (hashes), commits
// names of their own. Every file is one line of text, so that two changes of a file never fit together, as in git.

/** Content by path. Never changed once it is part of a commit. */
export type Files = ReadonlyMap<string, string>

export interface Commit {
  readonly id: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  /** Seconds since 1970: as exact as git is. */
  readonly at: number
}

export interface Objects {
  /** Undefined for what is no commit. */
  findCommit(id: string): Commit | undefined
  commit(id: string): Commit
  /** The files of a commit or a tree. */
  files(id: string): Files
  addTree(files: Files): string
  addCommit(commit: Omit<Commit, "id">): string
  /** The commit itself and all that it contains. */
  ancestors(id: string): ReadonlySet<string>
  contains(commit: string, other: string): boolean
  /** The best common ancestors of all of them, newest first. */
  mergeBases(...commits: readonly string[]): string[]
  /** All that was ever made, in the order it was made. */
  all(): Iterable<Commit>
}

export function makeObjects(): Objects {
  const commits = new Map<string, Commit>()
  const trees = new Map<string, Files>()
  const reach = new Map<string, ReadonlySet<string>>()
  const commit = (id: string): Commit => {
    const found = commits.get(id)
    if (found === undefined) throw new Error(`there is no commit ${id}`)
    return found
  }
  const ancestors = (id: string): ReadonlySet<string> => {
    const known = reach.get(id)
    if (known !== undefined) return known
    const found = new Set([id])
    for (const parent of commit(id).parents) for (const each of ancestors(parent)) found.add(each)
    reach.set(id, found)
    return found
  }
  return {
    findCommit: (id) => commits.get(id),
    commit,
    files(id) {
      const found = trees.get(commits.get(id)?.tree ?? id)
      if (found === undefined) throw new Error(`there is no tree ${id}`)
      return found
    },
    addTree(files) {
      const id = treeId(files)
      if (!trees.has(id)) trees.set(id, new Map(files))
      return id
    },
    addCommit(body) {
      const { tree, message, at } = body
      const parents = [...new Set(body.parents)]
      const id = sha1(`commit ${tree}\0${parents.join(" ")}\0${at}\0${message}`)
      if (!commits.has(id)) commits.set(id, { id, tree, parents, message, at })
      return id
    },
    ancestors,
    contains: (one, other) => ancestors(one).has(other),
    mergeBases(first, ...others) {
      if (first === undefined) return []
      const common = [...ancestors(first)].filter((id) => others.every((other) => ancestors(other).has(id)))
      const best = common.filter((id) => !common.some((other) => other !== id && ancestors(other).has(id)))
      return best.sort((a, b) => commit(b).at - commit(a).at)
    },
    all: () => commits.values(),
  }
}

export function blobId(content: string): string {
  const known = blobs.get(content)
  if (known !== undefined) return known
  const id = sha1(`blob ${Buffer.byteLength(content)}\0${content}`)
  blobs.set(content, id)
  return id
}

const blobs = new Map<string, string>()

/** As git names it: folders within folders. */
export function treeId(files: Files): string {
  const entries = new Map<string, string>()
  const folders = new Map<string, Map<string, string>>()
  for (const [path, content] of files) {
    const slash = path.indexOf("/")
    if (slash === -1) {
      entries.set(path, content)
      continue
    }
    const name = path.slice(0, slash)
    const inner = folders.get(name) ?? new Map<string, string>()
    inner.set(path.slice(slash + 1), content)
    folders.set(name, inner)
  }
  const rows = [
    ...[...entries].map(([name, content]) => ({ order: name, head: `100644 ${name}\0`, id: blobId(content) })),
    ...[...folders].map(([name, inner]) => ({ order: `${name}/`, head: `40000 ${name}\0`, id: treeId(inner) })),
  ].sort((a, b) => (a.order < b.order ? -1 : 1))
  const body = Buffer.concat(rows.flatMap(({ head, id }) => [Buffer.from(head), Buffer.from(id, "hex")]))
  return sha1(Buffer.concat([Buffer.from(`tree ${body.length}\0`), body]))
}

function sha1(data: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha1").update(data).digest("hex")
}

export interface PathChange {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** In the order of the paths. */
export function compareFiles(before: Files, after: Files): PathChange[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths]
    .filter((path) => before.get(path) !== after.get(path))
    .sort()
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }))
}

export function isSameFiles(one: Files, other: Files): boolean {
  if (one.size !== other.size) return false
  for (const [path, content] of one) if (other.get(path) !== content) return false
  return true
}
