import type {
  Attempt,
  CreatedWorkspace,
  Pin,
  PinKind,
  Place,
  SyncedWorkspace,
  WorkspaceProblem,
  WorkspaceRequest,
  WorkspaceState,
  Workspaces,
} from "../../../src/git/port.ts"
import { earlierKind, pinRef, placeRefs } from "../../../src/git/workspaces/pin-refs.ts"
import { workerBranch as branchOfWorker, integrationBranch } from "../../../src/kernel/branches.ts"
import { AppError } from "../../../src/kernel/errors.ts"
import type { TeamName } from "../../../src/kernel/team.ts"
import type { SimProcess } from "../world.ts"
import { mergeCommits } from "./merge-files.ts"
import { type AskGit, askingGit } from "./merges.ts"
import { compareFiles, isSameFiles } from "./objects.ts"
import { writePins } from "./pins.ts"
import { type SimRepository, type SimWorktree, WORKTREES_FOLDER } from "./repository.ts"

const PATIENCE_MS = 60_000
const LOOK_EVERY_MS = 50

/** Who works on the worktree of a worker right now; a lock ends with its process. */
export type WorktreeLocks = Map<string, SimProcess>

interface Scene {
  readonly repository: SimRepository
  readonly git: AskGit
}

export function makeSimWorkspaces(
  repository: SimRepository,
  process: SimProcess,
  locks: WorktreeLocks = new Map(),
): Workspaces {
  const { team } = repository
  const scene: Scene = { repository, git: askingGit(process) }
  const branchOf = (worker: string) => workerBranch(team, worker)
  const isFree = (worker: string) => locks.get(worker)?.state !== "running"
  async function alone<T>(worker: string, work: () => Promise<T>): Promise<T> {
    branchOf(worker)
    for (let waited = 0; !isFree(worker); waited += LOOK_EVERY_MS) {
      if (waited >= PATIENCE_MS)
        throw new AppError("workspace.busy", `another process works on the worktree of ${worker}; try again`)
      await process.sleep(LOOK_EVERY_MS)
    }
    locks.set(worker, process)
    try {
      return await work()
    } finally {
      locks.delete(worker)
    }
  }
  return {
    team,
    integrationBranch: integrationBranch(team),
    branchOf,
    pathOf,
    create: (request) => alone(request.worker, () => create(scene, request)),
    move: (request) => alone(request.worker, () => move(scene, request)),
    sync: (request) => alone(request.worker, () => sync(scene, request)),
    find: (worker) =>
      scene.git("find-worktree", () => {
        const found = repository.worktrees.get(worker)
        return found && stateOf(repository, found)
      }),
    list: () =>
      scene.git("list-worktrees", () =>
        [...repository.worktrees.values()]
          .sort((a, b) => (a.worker < b.worker ? -1 : 1))
          .map((found) => stateOf(repository, found)),
      ),
    remove: ({ worker, place }) =>
      alone(worker, async () => {
        const found = repository.worktrees.get(worker)
        if (found === undefined) return { worker, path: pathOf(worker), isRemoved: false, pinned: [] }
        return { worker, path: pathOf(worker), isRemoved: true, pinned: await removeFound(scene, found, place) }
      }),
    pin: ({ worker, place }) =>
      alone(worker, () =>
        scene.git("pin-worktree", () => {
          const found = repository.worktrees.get(worker)
          return found === undefined ? [] : pinWorktree(repository, found, { place })
        }),
      ),
    disown: ({ worker, attempt }) =>
      alone(worker, () =>
        scene.git("disown-worktree", () => {
          const found = repository.worktrees.get(worker)
          const held = found?.record?.attempt
          const isHeld = held?.task === attempt.task && held.attempt === attempt.attempt
          if (found?.record && isHeld) found.record = { ...found.record, attempt: null }
        }),
      ),
    follow: () =>
      scene.git("follow-worktrees", () => {
        for (const found of repository.worktrees.values()) if (isFinished(found)) follow(repository, found)
      }),
    async examine(fix) {
      const left: WorkspaceProblem[] = []
      for (const found of [...repository.worktrees.values()]) {
        if (!isFree(found.worker) || isFinished(found)) continue
        const detail = `worktree of ${found.worker} at ${found.path}: whoever made or moved it was interrupted`
        left.push({ what: "unfinished", detail, isFixed: fix })
        if (fix) await alone(found.worker, () => mend(scene, found))
      }
      return left
    },
  }
}

function pathOf(worker: string): string {
  return `${WORKTREES_FOLDER}/${worker}`
}

function workerBranch(team: TeamName, worker: string): string {
  if (worker === "integration") throw new AppError("input.invalid", "no worker can be called integration")
  return branchOfWorker(team, worker)
}

function isFinished({ record }: SimWorktree): boolean {
  return record !== null && record.pending === null
}

async function create(scene: Scene, request: WorkspaceRequest): Promise<CreatedWorkspace> {
  const { repository, git } = scene
  const { worker } = request
  const base = await git("resolve-base", () => resolveBase(repository, request.base).commit)
  const found = repository.worktrees.get(worker)
  if (found !== undefined && isFinished(found)) {
    return git("use-worktree", () => {
      try {
        const head = verify(repository, found, base)
        const attempt = request.attempt ?? found.record?.attempt ?? null
        found.record = { base: head, attempt, pending: null }
        const { path, branch } = found
        return { worker, path, branch, base: head, head, attempt, isNew: false, copied: [], setupLog: null }
      } catch (error) {
        if (!(error instanceof AppError && error.code === "workspace.unproven")) throw error
        throw new AppError("workspace.exists", `${error.message}; bring it up to date`, { ...error.details })
      }
    })
  }
  if (found !== undefined) await removeFound(scene, found)
  return makeFresh(scene, { worker, base, attempt: request.attempt ?? null })
}

async function makeFresh(
  { repository, git }: Scene,
  { worker, base, attempt }: { worker: string; base: string; attempt: Attempt | null },
): Promise<CreatedWorkspace> {
  const branch = workerBranch(repository.team, worker)
  const ref = `refs/heads/${branch}`
  await git("pin-branch", () => {
    const head = repository.refs.get(ref)
    if (head !== undefined) writePins(repository, { worker }, new Map<PinKind, string>([["head", head]]))
  })
  const made: SimWorktree = {
    worker,
    path: pathOf(worker),
    branch,
    head: null,
    record: null,
    files: new Map(),
    log: [],
  }
  await git("add-worktree", () => {
    repository.setRef(ref, base)
    repository.worktrees.set(worker, made)
  })
  await git("fill-worktree", () => {
    made.files = new Map(repository.objects.files(base))
    made.head = base
    made.log.push(base)
  })
  return git("finish-worktree", () => ({ ...finish(made, base, attempt), isNew: true }))
}

function finish(found: SimWorktree, base: string, attempt: Attempt | null) {
  found.record = { base, attempt, pending: null }
  const { worker, path, branch } = found
  return { worker, path, branch, base, head: base, attempt, copied: [], setupLog: null }
}

async function move(scene: Scene, request: WorkspaceRequest) {
  const { repository, git } = scene
  const { worker } = request
  const attempt = request.attempt ?? null
  const base = await git("resolve-base", () => resolveBase(repository, request.base).commit)
  const found = repository.worktrees.get(worker)
  if (found === undefined) return { ...(await makeFresh(scene, { worker, base, attempt })), pinned: [] }
  if (!isFinished(found)) {
    const pinned = await removeFound(scene, found)
    return { ...(await makeFresh(scene, { worker, base, attempt })), pinned }
  }
  const pinned = await git("pin-worktree", () => pinWorktree(repository, found, {}))
  await git("mark-worktree", () => {
    found.record = { base, attempt, pending: "move" }
  })
  await git("take-worktree", () => takeTo(repository, found, base))
  return git("finish-worktree", () => ({ ...finish(found, base, attempt), isNew: false, pinned }))
}

/** The branch in the user's repository shows where the worker is. */
function follow(repository: SimRepository, { branch, head }: SimWorktree): void {
  const ref = `refs/heads/${branch}`
  if (head !== null && repository.refs.get(ref) !== head) repository.setRef(ref, head)
}

function takeTo(repository: SimRepository, found: SimWorktree, commit: string): void {
  found.head = commit
  follow(repository, found)
  found.files = new Map(repository.objects.files(commit))
  found.log.push(commit)
}

async function removeFound({ repository, git }: Scene, found: SimWorktree, place?: Attempt): Promise<Pin[]> {
  const ref = `refs/heads/${found.branch}`
  const pins = await git("pin-and-drop", () => {
    const pinned = pinWorktree(repository, found, { place })
    if (repository.refs.has(ref)) repository.setRef(ref, null)
    return pinned
  })
  await git("delete-worktree", () => {
    for (const commit of found.log) repository.dropped.add(commit)
    repository.worktrees.delete(found.worker)
  })
  return pins
}

/** One that was being brought up to date goes back to its branch; any other is removed, as it holds nobody's work. */
async function mend(scene: Scene, found: SimWorktree): Promise<void> {
  const { repository, git } = scene
  const { record } = found
  if (record?.pending !== "sync") {
    await removeFound(scene, found)
    return
  }
  await git("mend-worktree", () => {
    pinWorktree(repository, found, {})
    takeTo(repository, found, repository.headOf(found))
    found.record = { ...record, pending: null }
  })
}

/** Pins everything that a worktree holds and nothing else keeps, at one moment. */
function pinWorktree(repository: SimRepository, found: SimWorktree, { place: given }: { place?: Attempt }): Pin[] {
  const { objects, refs } = repository
  const place: Place = given ?? found.record?.attempt ?? { worker: found.worker }
  const head = found.head ?? refs.get(`refs/heads/${found.branch}`)
  if (head === undefined) return []
  const wanted = new Map<PinKind, string>([["head", head]])
  if ("task" in place && found.record !== null) wanted.set("base", found.record.base)
  const leftovers = commitLeftovers(repository, found, { head, place })
  if (leftovers !== undefined) wanted.set("leftovers", leftovers)
  for (const commit of earlierHeads(repository, found, head)) wanted.set(earlierKind(commit), commit)
  const pins = writePins(repository, place, wanted)
  for (const { commit } of pins) objects.commit(commit)
  follow(repository, found)
  return pins
}

function commitLeftovers(
  repository: SimRepository,
  found: SimWorktree,
  { head, place }: { head: string; place: Place },
): string | undefined {
  const { objects } = repository
  // A checkout that was never finished lacks files that nobody deleted.
  const isWhole = isFinished(found)
  const seen = repository.visible(found.files)
  const files = isWhole ? seen : new Map([...objects.files(head), ...seen])
  if (isSameFiles(files, objects.files(head))) return undefined
  const known = knownLeftovers(repository, place)
  const tree = objects.addTree(files)
  if (known !== undefined) {
    const old = objects.commit(known)
    if (old.tree === tree && old.parents[0] === head) return known
  }
  return repository.commitFiles({ files, parents: [head], message: "Leftovers: what was not committed\n" })
}

function knownLeftovers({ refs, team, listRefs }: SimRepository, place: Place): string | undefined {
  if ("task" in place) return refs.get(pinRef(team, { place, number: place.attempt, kind: "leftovers" }))
  const numbers = [...listRefs(placeRefs(team, place)).keys()].map((ref) =>
    Number(/\/(\d+)\/leftovers$/.exec(ref)?.[1] ?? 0),
  )
  return refs.get(pinRef(team, { place, number: Math.max(0, ...numbers), kind: "leftovers" }))
}

/** Commits that it was at and that nothing else keeps; of a row of them the last. */
function earlierHeads({ objects, refs }: SimRepository, found: SimWorktree, head: string): string[] {
  const own = `refs/heads/${found.branch}`
  const kept = new Set(objects.ancestors(head))
  for (const [ref, commit] of refs) if (ref !== own) for (const each of objects.ancestors(commit)) kept.add(each)
  const lost = new Set(found.log.flatMap((commit) => [...objects.ancestors(commit)]).filter((id) => !kept.has(id)))
  const parents = new Set([...lost].flatMap((id) => objects.commit(id).parents))
  return [...lost].filter((id) => found.log.includes(id) && !parents.has(id))
}

function verify(repository: SimRepository, found: SimWorktree, base: string): string {
  const refuse = (reason: string, why: string): never => {
    const message = `the worktree of ${found.worker} at ${found.path} ${why}`
    throw new AppError("workspace.unproven", message, { worker: found.worker, path: found.path, reason })
  }
  if (!isFinished(found)) refuse("unfinished", "was never finished, as somebody was interrupted")
  const head = repository.headOf(found)
  const [first] = changedPaths(repository, found)
  if (first !== undefined) refuse("changes", `is not clean: ${first} differs from its commit`)
  if (head === base) return head
  return refuse("base", `is at ${head.slice(0, 10)} and not at its base ${base.slice(0, 10)}`)
}

export function changedPaths(repository: SimRepository, found: SimWorktree): string[] {
  const head = repository.objects.files(repository.headOf(found))
  const changed = compareFiles(head, repository.visible(found.files)).map(({ path }) => path)
  // Git names those that it does not know last.
  return [...changed.filter((path) => head.has(path)), ...changed.filter((path) => !head.has(path))]
}

async function sync(
  { repository, git }: Scene,
  { worker, onto: named }: { worker: string; onto?: string },
): Promise<SyncedWorkspace> {
  await git("resolve-base", () => resolveBase(repository, named))
  const found = repository.worktrees.get(worker)
  if (found === undefined) throw new AppError("workspace.not_found", `${worker} has no worktree`, { worker })
  const { record, path, branch } = found
  if (record === null || record.pending !== null)
    throw new AppError("workspace.unproven", `the worktree of ${worker} at ${path} was never finished`)
  const { head, onto, result, commit } = await git("combine", () => combine(repository, found, named))
  const synced = { worker, path, branch, base: record.base, head: commit, attempt: record.attempt, result }
  if (result === "up-to-date") return { ...synced, onto: onto.name }
  const { objects } = repository
  await git("sync-files", () => {
    const changed = new Set(changedPaths(repository, found))
    const moved = compareFiles(objects.files(head), objects.files(commit))
    if (moved.some((change) => changed.has(change.path)))
      throw new AppError("workspace.changed", `${path} has changes that are not committed`, { path })
    found.record = { ...record, pending: "sync" }
    for (const change of moved) {
      if (change.after === undefined) found.files.delete(change.path)
      else found.files.set(change.path, change.after)
    }
  })
  await git("sync-branch", () => {
    found.head = commit
    follow(repository, found)
    found.log.push(commit)
    found.record = record
  })
  return { ...synced, onto: onto.name }
}

function combine(repository: SimRepository, found: SimWorktree, named: string | undefined) {
  const { objects } = repository
  const onto = resolveBase(repository, named)
  const head = repository.headOf(found)
  if (objects.contains(head, onto.commit)) return { head, onto, result: "up-to-date", commit: head } as const
  if (objects.contains(onto.commit, head)) return { head, onto, result: "fast-forward", commit: onto.commit } as const
  if (objects.mergeBases(head, onto.commit).length === 0)
    throw new AppError("workspace.conflict", `${found.branch} and ${onto.name} cannot be merged: unrelated histories`)
  const merged = mergeCommits(objects, head, onto.commit)
  if (!merged.isClean) {
    const files = merged.conflicts.map((conflict) => conflict.path)
    const message = `${found.branch} and ${onto.name} both changed ${files.join(", ")}`
    throw new AppError("workspace.conflict", message, { files, onto: onto.commit, head })
  }
  const message = `Merge ${onto.name} into ${found.branch}\n`
  const commit = objects.addCommit({
    ...{ tree: merged.tree, parents: [head, onto.commit], message, at: repository.now() },
  })
  return { head, onto, result: "merged", commit } as const
}

function resolveBase(repository: SimRepository, named: string | undefined): { name: string; commit: string } {
  const integration = integrationBranch(repository.team)
  const name = named ?? (repository.refs.has(`refs/heads/${integration}`) ? integration : repository.main.branch)
  const commit = repository.resolve(name)
  if (commit !== undefined) return { name: name.replace(/^refs\/heads\//, ""), commit }
  throw new AppError("workspace.base_not_found", `"${name}" is no branch, tag or commit of this repository`, {
    base: name,
  })
}

function stateOf(repository: SimRepository, found: SimWorktree): WorkspaceState {
  const { worker, path, branch, record } = found
  const known = { worker, path, branch, base: record?.base ?? null, attempt: record?.attempt ?? null }
  const { head } = found
  if (head === null) return { ...known, branch: null, head, state: "broken", changes: [] }
  const changes = changedPaths(repository, found)
  return {
    ...known,
    head,
    state: !isFinished(found) ? "unfinished" : changes.length === 0 ? "clean" : "changed",
    changes,
  }
}
