// The state of one simulated repository: objects, refs, the user's checkout and the worktrees.

import type { Attempt, RefMove } from "../../../src/git/port.ts"
import { AppError } from "../../../src/kernel/errors.ts"
import type { RunName } from "../../../src/kernel/team.ts"
import type { SimProcess, World } from "../world.ts"
import { type Files, makeObjects, type Objects } from "./objects.ts"

export interface SimWorktree {
  readonly worker: string
  readonly path: string
  readonly branch: string
  /** Where the branch is in the worker's own repository; the user's follows at every pin. */
  head: string | null
  /** Without one, or with something pending, whoever made or changed it was interrupted. */
  record: {
    readonly base: string
    readonly attempt: Attempt | null
    readonly pending: "move" | "sync" | "remove" | null
  } | null
  /** As they lie in the folder. Git ignores what is below `.ignored/`. */
  files: Map<string, string>
  /** Every commit it was at. */
  readonly log: string[]
}

export interface SimRepository {
  readonly objects: Objects
  readonly team: RunName
  /** The user's own checkout. */
  readonly folder: string
  readonly main: { readonly branch: string; files: Map<string, string> }
  readonly worktrees: Map<string, SimWorktree>
  readonly refs: ReadonlyMap<string, string>
  readonly symbolic: Map<string, string>
  /** Commits that somebody moved the integration branch to past teamwork. */
  readonly foreign: Set<string>
  /** Refs of ours that name a branch, with its full name. */
  readonly named: Map<string, string>
  /** A move of the user's files that goes on, or was interrupted. */
  readonly moving: Map<SimProcess, { readonly ref: string; readonly from: string; readonly to: string }>
  /** Goes up with every change of a ref. */
  readonly changes: number
  /** Commits that a ref or a worktree kept and keeps no longer; whoever has looked at them empties it. */
  readonly dropped: Set<string>
  now(): number
  /** What a name means in the folder: a ref, a branch, `HEAD`, a commit. */
  resolve(name: string, folder?: string): string | undefined
  setRef(ref: string, commit: string | null): void
  /** All of them or none. */
  move(moves: readonly RefMove[]): boolean
  /** Refs below a prefix, symbolic ones included, in order. */
  listRefs(prefix: string): Map<string, string>
  headOf(worktree: SimWorktree): string
  worktreeAt(folder: string): SimWorktree | undefined
  /** The files as git sees them: what it ignores is not there. */
  visible(files: Files): Files
  commitFiles(commit: { files: Files; parents: readonly string[]; message: string }): string
}

export interface RepositoryRequest {
  readonly team: RunName
  readonly files: Readonly<Record<string, string>>
}

const REPOSITORY_FOLDER = "/sim/repository"
export const WORKTREES_FOLDER = "/sim/worktrees"
const IGNORED = ".ignored/"

export function makeSimRepository(world: World, { team, files }: RepositoryRequest): SimRepository {
  const objects = makeObjects()
  const refs = new Map<string, string>()
  const symbolic = new Map([["HEAD", "refs/heads/main"]])
  const named = new Map<string, string>()
  const foreign = new Set<string>()
  const worktrees = new Map<string, SimWorktree>()
  const main = { branch: "main", files: new Map(Object.entries(files)) }
  const dropped = new Set<string>()
  let changes = 0
  const now = () => Math.floor(world.clock.now() / 1000)
  const worktreeAt = (folder: string) =>
    [...worktrees.values()].find(({ path }) => folder === path || folder.startsWith(`${path}/`))
  const deref = (ref: string): string => {
    const target = symbolic.get(ref) ?? named.get(ref)
    return target === undefined ? ref : deref(target)
  }
  const repository: SimRepository = {
    ...{
      objects,
      team,
      folder: REPOSITORY_FOLDER,
      main,
      worktrees,
      refs,
      symbolic,
      named,
      foreign,
      moving: new Map(),
      dropped,
      now,
      worktreeAt,
    },
    get changes() {
      return changes
    },
    resolve(name, folder = REPOSITORY_FOLDER) {
      const here = worktreeAt(folder)
      if (name === "HEAD" && here !== undefined) return here.head ?? undefined
      for (const ref of [name, `refs/heads/${name}`]) {
        const found = refs.get(deref(ref))
        if (found !== undefined) return found
      }
      return objects.findCommit(name)?.id
    },
    setRef(ref, commit) {
      const old = refs.get(ref)
      if (old !== undefined && (commit === null || !objects.contains(commit, old))) dropped.add(old)
      if (commit === null) refs.delete(ref)
      else if (objects.findCommit(commit) === undefined) throw new AppError("git.failed", `no commit ${commit}`)
      else refs.set(ref, commit)
      changes++
    },
    move(moves) {
      if (moves.some(({ ref, from }) => (refs.get(ref) ?? null) !== from)) return false
      for (const { ref, to } of moves) repository.setRef(ref, to)
      return true
    },
    listRefs(prefix) {
      const all = [...refs, ...[...symbolic].map(([ref]) => [ref, refs.get(deref(ref))] as const)]
      const isBelow = (ref: string) => ref === prefix || ref.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`)
      const found = all.flatMap(([ref, commit]) =>
        commit !== undefined && isBelow(ref) ? [[ref, commit] as const] : [],
      )
      return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)))
    },
    headOf(worktree) {
      if (worktree.head === null) throw new AppError("git.failed", `branch ${worktree.branch} is gone`)
      return worktree.head
    },
    visible: (all) => new Map([...all].filter(([path]) => !path.startsWith(IGNORED))),
    commitFiles: ({ files: content, parents, message }) =>
      objects.addCommit({ tree: objects.addTree(content), parents, message, at: now() }),
  }
  repository.setRef("refs/heads/main", repository.commitFiles({ files: main.files, parents: [], message: "Start" }))
  return repository
}
