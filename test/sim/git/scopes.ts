import type { Aside, AsideRequest, AsideResult, Scopes } from "../../../src/git/port.ts"
import { pinRef } from "../../../src/kernel/branches.ts"
import { AppError } from "../../../src/kernel/errors.ts"
import type { FileChange, JudgedChange } from "../../../src/ownership/scope.ts"
import type { SimProcess } from "../world.ts"
import { askingGit, subjectOf } from "./merges.ts"
import { compareFiles, type Files, isSameFiles } from "./objects.ts"
import type { SimRepository, SimWorktree } from "./repository.ts"

export function makeSimScopes(repository: SimRepository, process: SimProcess): Scopes {
  const { objects } = repository
  const git = askingGit(process)
  const filesOf = (name: string) => objects.files(repository.resolve(name) ?? name)
  return {
    changes: (from, to) => git("list-changes", () => listChanges(filesOf(from), filesOf(to))),
    /** In the three moments of the real one: what is set aside is pinned, the branch moves, the files follow. */
    async setAside(request) {
      const found = getWorktree(repository, request.folder)
      const plan = await git("pin-aside", () => pinAside(repository, found, request))
      await git("move-head", () => {
        const { head, kept } = plan
        if (kept === head) return
        if (repository.headOf(found) !== head) throw new AppError("git.failed", `${found.branch} was moved meanwhile`)
        found.head = kept
        found.log.push(kept)
      })
      return git("move-kept-files", (): AsideResult => {
        const ignored = [...found.files].filter(([path]) => !repository.visible(found.files).has(path))
        found.files = new Map([...objects.files(plan.kept), ...ignored])
        return { base: plan.base, head: plan.kept, kept: plan.judged.kept, aside: plan.aside }
      })
    },
  }
}

function getWorktree(repository: SimRepository, folder: string): SimWorktree {
  const found = repository.worktreeAt(folder)
  if (found === undefined) throw new AppError("git.failed", `${folder} is no worktree`)
  return found
}

function listChanges(from: Files, to: Files): FileChange[] {
  return compareFiles(from, to).map(({ path, before, after }) => ({
    ...{ path, type: "file" },
    change: before === undefined ? "added" : after === undefined ? "deleted" : "modified",
  }))
}

function pinAside(repository: SimRepository, found: SimWorktree, request: AsideRequest) {
  const { objects } = repository
  const base = findBase(repository, found, request)
  const head = repository.headOf(found)
  const full = repository.visible(found.files)
  const judged = request.judge(listChanges(objects.files(base), full))
  const rewritten = rewriteCommits(repository, request, { base, head })
  const files = applied(objects.files(base), full, judged.kept)
  const isCommitted = isSameFiles(files, objects.files(rewritten.head))
  const kept = isCommitted
    ? rewritten.head
    : repository.commitFiles({ files, parents: [rewritten.head], message: `${request.message}\n` })
  const lost = union([...judged.aside, ...rewritten.aside])
  const aside =
    lost.length === 0 && !rewritten.isChanged ? null : keepAside(repository, request, { full, kept, head, lost })
  return { base, head, kept, judged, aside }
}

function findBase(repository: SimRepository, found: SimWorktree, request: AsideRequest): string {
  const { project, team, run, task, attempt } = request
  const name = request.base ?? pinRef({ project, team, run }, { taskId: task, attempt }, "base")
  const base = repository.resolve(name) ?? (request.base === undefined ? found.record?.base : undefined)
  if (base !== undefined) return base
  throw new AppError("input.invalid", `no base is pinned for task ${task}; say with --base where its work began`)
}

/** The base with these of the changes that lead to `all`. */
function applied(base: Files, all: Files, kept: readonly FileChange[]): Files {
  const files = new Map(base)
  for (const { path } of kept) {
    const content = all.get(path)
    if (content === undefined) files.delete(path)
    else files.set(path, content)
  }
  return files
}

function rewriteCommits(
  repository: SimRepository,
  request: AsideRequest,
  range: { base: string; head: string },
): Rewritten {
  const { objects } = repository
  const rewritten = keepInScope(repository, request, range)
  const brings = request.brings === undefined ? undefined : repository.resolve(request.brings)
  if (brings === undefined || !rewritten.isChanged || !objects.contains(range.head, brings)) return rewritten
  if (objects.contains(rewritten.head, brings)) return rewritten
  const [files, parents] = [objects.files(rewritten.head), [rewritten.head, brings]]
  const message = "Merge the work that this fixes, with what is in scope\n"
  return { ...rewritten, head: repository.commitFiles({ files, parents, message }) }
}

interface Rewritten {
  readonly head: string
  readonly isChanged: boolean
  readonly aside: readonly JudgedChange[]
}

function keepInScope(
  repository: SimRepository,
  { judge }: AsideRequest,
  { base, head }: { base: string; head: string },
): Rewritten {
  const { objects } = repository
  if (base === head) return { head, isChanged: false, aside: [] }
  const start = objects.files(base)
  const commits = [...objects.ancestors(head)].filter((id) => !objects.contains(base, id))
  const line: string[] = []
  for (let at: string | undefined = head; at !== undefined && commits.includes(at); at = objects.commit(at).parents[0])
    line.unshift(at)
  const isLine = line.every((id, index) => objects.commit(id).parents.join() === (line[index - 1] ?? base))
  if (!isLine || line.length !== commits.length || commits.length === 0) {
    const all = objects.files(head)
    const { kept, aside } = judge(listChanges(start, all))
    if (aside.length === 0 && objects.contains(head, base)) return { head, isChanged: false, aside }
    const subjects = commits.map((id) => `- ${subjectOf(objects.commit(id).message)}`).join("\n")
    const message = `Changes that are in scope, from a history that is no line\n\n${subjects}\n`
    const squashed = repository.commitFiles({ files: applied(start, all, kept), parents: [base], message })
    return { head: squashed, isChanged: true, aside }
  }
  const aside: JudgedChange[] = []
  let parent = base
  let isChanged = false
  for (const id of line) {
    const all = objects.files(id)
    const judged = judge(listChanges(start, all))
    if (judged.aside.length > 0) isChanged = true
    aside.push(...judged.aside)
    if (!isChanged) parent = id
    else {
      const files = applied(start, all, judged.kept)
      const { message, at } = objects.commit(id)
      if (!isSameFiles(files, objects.files(parent)))
        parent = objects.addCommit({ tree: objects.addTree(files), parents: [parent], message, at })
    }
  }
  return { head: parent, isChanged, aside }
}

function union(changes: readonly JudgedChange[]): JudgedChange[] {
  return [...new Map(changes.toReversed().map((change) => [change.path, change])).values()].reverse()
}

function keepAside(
  repository: SimRepository,
  { project, team, run, task, attempt }: AsideRequest,
  { full, kept, head, lost }: { full: Files; kept: string; head: string; lost: readonly JudgedChange[] },
): Aside {
  const { objects } = repository
  const ref = pinRef({ project, team, run }, { taskId: task, attempt }, "aside")
  const before = repository.refs.get(ref)
  if (before !== undefined) {
    const { tree, parents } = objects.commit(before)
    if (parents[0] === kept && tree === objects.addTree(full))
      return { commit: before, ref, isNew: false, changes: lost }
  }
  const others = [head, before].filter((id) => id !== undefined && !objects.contains(kept, id)) as string[]
  const lines = lost.map(({ path, change, message }) => `- ${change} ${JSON.stringify(path)}: ${message}`)
  const message = `Set aside: outside of the files of task ${task}\n\n${lines.join("\n")}\n`
  const commit = repository.commitFiles({ files: full, parents: [kept, ...new Set(others)], message })
  repository.setRef(ref, commit)
  return { commit, ref, isNew: true, changes: lost }
}
