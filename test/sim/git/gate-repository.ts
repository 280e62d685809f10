import type { GateRepository } from "../../../src/quality/gates/port.ts"
import type { SimProcess } from "../world.ts"
import { askingGit, NO_ID } from "./merges.ts"
import { blobId, compareFiles, type Files, treeId } from "./objects.ts"
import type { SimRepository } from "./repository.ts"
import { changedPaths } from "./worktrees.ts"

export interface SimCheckouts {
  /** What is lent right now: the commit by folder. */
  readonly lent: Map<string, { readonly commit: string; readonly process: SimProcess }>
}

/** The repository as gates read it in a folder: the user's checkout, or the worktree of a worker. */
export function makeSimGateRepository(
  repository: SimRepository,
  process: SimProcess,
  { lent }: SimCheckouts,
  folder = repository.folder,
): GateRepository {
  const { objects } = repository
  const git = askingGit(process)
  const worktree = repository.worktreeAt(folder)
  let count = 0
  return {
    folder: worktree?.path ?? repository.folder,
    find: (revision) =>
      git("gate.find", () => {
        const commit = repository.resolve(revision, folder)
        return commit === undefined ? undefined : { commit, tree: objects.commit(commit).tree }
      }),
    times: async () => ({ committedSeconds: 0, movedMs: undefined }),
    contains: (later, earlier) => git("gate.contains", () => objects.contains(later, earlier)),
    isNextTo: (base, commit) =>
      git("gate.next", () => {
        const { parents } = objects.commit(commit)
        return base === commit || (parents.length === 1 && parents[0] === base)
      }),
    findBase: (...commits) => git("gate.base", () => objects.mergeBases(...commits)[0]),
    findStart: () => git("gate.start", () => repository.worktreeAt(folder)?.record?.base),
    listUncommitted: () =>
      git("gate.status", () => {
        const found = repository.worktreeAt(folder)
        if (found !== undefined) return changedPaths(repository, found)
        const head = objects.files(repository.resolve("HEAD") ?? "")
        return compareFiles(head, repository.main.files).map(({ path }) => path)
      }),
    hasIgnored: () =>
      git("gate.ignored", () => {
        const files = repository.worktreeAt(folder)?.files ?? repository.main.files
        return repository.visible(files).size < files.size
      }),
    listMerges: (base, commit) =>
      git("gate.merges", () =>
        [...objects.ancestors(commit)].filter(
          (id) => !objects.contains(base, id) && objects.commit(id).parents.length > 1,
        ),
      ),
    readDiff: (base, commit) => git("gate.diff", () => renderDiff(objects.files(base), objects.files(commit))),
    openTree: (tree) => ({
      list: (inside) => git("gate.list", () => listFolder(objects.files(tree), inside)),
      read: (path) => git("gate.read", () => objects.files(tree).get(path) ?? ""),
      id: (path) => git("gate.id", () => idOf(objects.files(tree), path)),
      bytes: (path) =>
        git("gate.bytes", () => {
          const text = objects.files(tree).get(path)
          return text === undefined ? undefined : new TextEncoder().encode(text)
        }),
    }),
    describeSetup: async () => "",
    compareSetup: async () => "unknown",
    async checkedOut(commit, use) {
      const path = `/sim/checkouts/${process.pid}-${++count}`
      await git("gate.checkout", () => {
        objects.commit(commit)
        // Whoever comes next removes what the dead left.
        for (const [place, { process: user }] of lent) if (user.state !== "running") lent.delete(place)
        lent.set(path, { commit, process })
      })
      try {
        return await use(path)
      } finally {
        await git("gate.give-back", () => void lent.delete(path))
      }
    },
  }
}

function idOf(files: Files, path: string): string | undefined {
  const content = files.get(path)
  if (content !== undefined) return blobId(content)
  const prefix = path === "" ? "" : `${path}/`
  const inside = [...files].filter(([each]) => each.startsWith(prefix))
  const within = inside.map(([each, text]) => [each.slice(prefix.length), text] as const)
  return inside.length === 0 && path !== "" ? undefined : treeId(new Map(within))
}

function listFolder(files: Files, folder: string): string[] {
  const prefix = folder === "" ? "" : `${folder}/`
  const names = [...files.keys()]
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length).replace(/\/.*$/, "/"))
  return [...new Set(names)].sort()
}

/** As `git diff --unified=0 --no-renames --full-index` prints it, of files of one line. */
function renderDiff(before: Files, after: Files): string {
  return compareFiles(before, after)
    .map(({ path, before: old, after: now }) => {
      const head = [`diff --git a/${path} b/${path}`]
      if (old === undefined) head.push("new file mode 100644")
      if (now === undefined) head.push("deleted file mode 100644")
      const ids = [old, now].map((content) => (content === undefined ? NO_ID : blobId(content)))
      head.push(`index ${ids.join("..")}${old === undefined || now === undefined ? "" : " 100644"}`)
      head.push(
        `--- ${old === undefined ? "/dev/null" : `a/${path}`}`,
        `+++ ${now === undefined ? "/dev/null" : `b/${path}`}`,
      )
      head.push(`@@ -${old === undefined ? "0,0" : "1"} +${now === undefined ? "0,0" : "1"} @@`)
      if (old !== undefined) head.push(`-${old.trimEnd()}`)
      if (now !== undefined) head.push(`+${now.trimEnd()}`)
      return head.join("\n")
    })
    .join("\n")
}
