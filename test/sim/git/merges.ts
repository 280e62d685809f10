import type { Branch, BranchHistory, Change, Merges, Targets } from "../../../src/git/port.ts"
import { AppError } from "../../../src/kernel/errors.ts"
import type { SimProcess } from "../world.ts"
import { mergeCommits } from "./merge-files.ts"
import { blobId, compareFiles, isSameFiles, type Objects } from "./objects.ts"
import type { SimRepository } from "./repository.ts"

/** How long a call of git takes at most. */
const MAX_GIT_MS = 25
export const SIM_PLACE = { machine: "sim", folder: "/sim/repository", repository: null }
export const NO_ID = "0".repeat(40)

/** Asks for one thing of git, which happens at one moment. */
export type AskGit = <T>(what: string, effect: () => T) => Promise<T>

export function askingGit(process: SimProcess): AskGit {
  return (what, effect) => process.call(`git.${what}`, effect, MAX_GIT_MS)
}

export function makeSimMerges(repository: SimRepository, process: SimProcess, folder = repository.folder): Merges {
  const { objects } = repository
  const git = askingGit(process)
  const filesOf = (name: string) => objects.files(repository.resolve(name, folder) ?? name)
  return {
    place: async () => SIM_PLACE,
    find: (name) => git("find", () => repository.resolve(name, folder)),
    tree: (commit) => git("tree", () => objects.commit(commit).tree),
    refs: (prefix) => git("refs", () => repository.listRefs(prefix)),
    mergeBase: (one, other) => git("merge-base", () => objects.mergeBases(one, other)[0]),
    contains: (commit, other) => git("contains", () => objects.contains(commit, other)),
    histories: (tip, branches) => git("histories", () => branches.map((each) => historyOf(objects, tip, each))),
    changes: (from, to) => git("changes", () => changesOf(filesOf(from), filesOf(to))),
    patch: (from, to) =>
      git("patch", () =>
        compareFiles(filesOf(from), filesOf(to))
          .map(({ path }) => `diff ${path}`)
          .join("\n"),
      ),
    paths: (tree) => git("paths", () => [...filesOf(tree).keys()].sort()),
    sizes: (ids) => git("sizes", () => sizesOf(objects, ids)),
    merge: (ours, theirs) => git("merge", () => mergeCommits(objects, ours, theirs)),
    commit: ({ tree, parents, message }) =>
      git("commit", () => objects.addCommit({ tree, parents, message, at: repository.now() })),
    replay: ({ commit, onto, and = [] }) =>
      git("replay", () => {
        const { tree, parents, message } = objects.commit(commit)
        const add = (of: string, on: readonly string[], text = "") =>
          objects.addCommit({ tree: of, parents: on, message: text, at: repository.now() })
        const base = add(objects.commit(parents[0] ?? commit).tree, [])
        const merged = mergeCommits(objects, add(objects.commit(onto).tree, [base]), add(tree, [base]))
        if (!merged.isClean) return { conflicts: merged.conflicts }
        const isNothing = and.length === 0 && merged.tree === objects.commit(onto).tree
        return { commit: isNothing ? onto : add(merged.tree, [onto, ...and], message) }
      }),
    read: (tree, path) => git("read", () => filesOf(tree).get(path)),
    write: (tree, texts) => git("write", () => objects.addTree(new Map([...filesOf(tree), ...texts]))),
    line: (since, tip) =>
      git("line", () =>
        firstParents(objects, since, tip).map(({ id, parents, message }) => ({
          commit: id,
          parents: parents.length === 0 ? [""] : parents,
          subject: subjectOf(message),
        })),
      ),
    mergedAttempts: (since, tip) => git("merged-attempts", () => mergedAttempts(objects, since, tip)),
    move: (moves) => git("move", () => repository.move(moves)),
    checkedOut: () => git("checked-out", () => repository.symbolic.get("HEAD")),
    findNamed: (ref) => git("find-named", () => repository.named.get(ref)),
    nameBranch: (ref, branch) => git("name-branch", () => void repository.named.set(ref, branch)),
    notes: async () => [],
    recover: () => git("recover", () => recoverMoves(repository)),
  }
}

function changesOf(from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>): Change[] {
  return compareFiles(from, to).map(({ path, before, after }) => ({
    path,
    oldPath: path,
    status: before === undefined ? "added" : after === undefined ? "deleted" : "modified",
    oldMode: before === undefined ? null : "100644",
    newMode: after === undefined ? null : "100644",
    oldId: before === undefined ? NO_ID : blobId(before),
    newId: after === undefined ? NO_ID : blobId(after),
    isBinary: false,
    addedLines: after === undefined ? 0 : 1,
    deletedLines: before === undefined ? 0 : 1,
  }))
}

function sizesOf(objects: Objects, ids: readonly string[]): Map<string, number> {
  const wanted = new Set(ids)
  const found = new Map<string, number>()
  for (const { id } of objects.all())
    for (const content of objects.files(id).values()) {
      if (wanted.has(blobId(content))) found.set(blobId(content), Buffer.byteLength(content))
      if (found.size === wanted.size) return found
    }
  return found
}

function historyOf(objects: Objects, tip: string, { base, head, mayContain, others }: Branch): BranchHistory {
  const there = objects.ancestors(tip)
  const missing = (from: readonly string[]) =>
    new Set(from.flatMap((id) => [...objects.ancestors(id)]).filter((id) => !there.has(id)))
  const commits = missing([head])
  const foundation = missing([base])
  const own = commits.difference(foundation)
  const line = firstParents(objects, tip, head)
    .map(({ id }) => id)
    .filter((id) => own.has(id))
  const merged = line.flatMap((id) => objects.commit(id).parents.slice(1))
  const passed = others.filter((other) => other !== head && own.has(other))
  // Only what the tip or one of the heads has is known of others, as to whoever looks at these commits alone.
  const known = missing(mayContain.filter((id) => commits.has(id)))
  const foreign = [...missing([...merged, ...passed])].filter(
    (id) => own.has(id) && !known.has(id) && (passed.length > 0 || !line.includes(id)),
  )
  return {
    commits: [...commits],
    foundation: [...foundation],
    hasBase: objects.contains(head, base),
    foreign,
  }
}

/** Newest first, as far as `since` does not have them. */
function firstParents(objects: Objects, since: string, tip: string) {
  const there = objects.ancestors(since)
  const line = []
  for (let at: string | undefined = tip; at !== undefined && !there.has(at); at = objects.commit(at).parents[0])
    line.push(objects.commit(at))
  return line
}

export function subjectOf(message: string): string {
  return (message.trimStart().split(/\n\s*\n/, 1)[0] ?? "").split("\n").join(" ").trimEnd()
}

function mergedAttempts(objects: Objects, since: string | null, tip: string): Map<string, string> {
  const line = []
  const there = since === null ? new Set<string>() : objects.ancestors(since)
  for (let at: string | undefined = tip; at !== undefined && !there.has(at); at = objects.commit(at).parents[0])
    line.push(objects.commit(at))
  const found = new Map<string, string>()
  for (const { id, parents, message } of line) {
    if (parents.length < 2) continue
    const trailers = message.trimEnd().split("\n\n").at(-1) ?? ""
    const valuesOf = (key: string) =>
      [...trailers.matchAll(new RegExp(`^${key}: (.*)$`, "gm"))].map(([, value]) => value)
    const attempts = valuesOf("Teamwork-Attempt")
    for (const [index, task] of valuesOf("Teamwork-Task").entries()) found.set(`${task}/${attempts[index] ?? ""}`, id)
  }
  return found
}

/** First the files, then the branch; one who is killed in between leaves a note for the next. */
export function makeSimTargets(repository: SimRepository, process: SimProcess): Targets {
  const { objects, main, folder } = repository
  const git = askingGit(process)
  return {
    findCheckout: (branch) =>
      git("find-checkout", () => {
        if (branch !== main.branch) return undefined
        const tracked = objects.files(repository.resolve("HEAD") ?? "")
        const changed = [...tracked].filter(([path, content]) => main.files.get(path) !== content)
        const [first] = changed
        const obstacle = `${folder} has uncommitted changes: ${JSON.stringify(first?.[0])}`
        return { folder, obstacle: first === undefined ? null : obstacle }
      }),
    async move({ branch, from, to, checkout }) {
      const ref = `refs/heads/${branch}`
      if (checkout === undefined) return git("move-target", () => repository.move([{ ref, from, to }]))
      const isThere = await git("move-files", () => {
        if (repository.refs.get(ref) !== from) return false
        repository.moving.set(process, { ref, from, to })
        moveFiles(repository, from, to)
        return true
      })
      if (!isThere) return false
      return git("move-target", () => {
        const isMoved = repository.move([{ ref, from, to }])
        if (!isMoved) moveFiles(repository, to, from)
        repository.moving.delete(process)
        return isMoved
      })
    },
    assertWritable: async () => undefined,
    findRemote: () => git("find-remote", () => undefined),
    push: async (remote) => {
      throw new AppError("deliver.failed", `there is no remote ${remote}`)
    },
  }
}

function moveFiles({ objects, main }: SimRepository, from: string, to: string): void {
  for (const { path, after } of compareFiles(objects.files(from), objects.files(to))) {
    if (after === undefined) main.files.delete(path)
    else main.files.set(path, after)
  }
}

function recoverMoves(repository: SimRepository): string[] {
  const mended: string[] = []
  for (const [process, { ref, from, to }] of repository.moving) {
    if (process.state === "running") continue
    repository.moving.delete(process)
    const at = repository.refs.get(ref)
    if (at === to || isSameFiles(repository.objects.files(from), repository.objects.files(to))) continue
    moveFiles(repository, to, from)
    mended.push(`took the files of ${repository.folder} back to ${from.slice(0, 10)}, where its branch is`)
  }
  return mended
}
