import { chmodSync, lstatSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { isAncestor } from "../ancestry.ts"
import { type Git, isGitFailure } from "../git.ts"
import type { Attempt, Pin, PinKind, Place } from "../port.ts"
import { readRefs } from "../read-refs.ts"
import { readStatus, type Status } from "../read-status.ts"
import { type CheckedOut, importEarlier, importHead } from "./import-work.ts"
import { commitLeftovers } from "./leftovers.ts"
import { hasChanges, listNested, pinNested } from "./nested.ts"
import { earlierKind, pinRef, placeRefs } from "./pin-refs.ts"
import { writePins } from "./pins.ts"
import { keepStaged } from "./staged.ts"
import { listSubmodules, type Submodule } from "./submodules.ts"
import type { WorkspaceContext } from "./workspace-context.ts"
import { type FoundWorkspace, findCheckout, gitIn } from "./workspace-record.ts"

export interface Pinned extends CheckedOut {
  readonly head: string | null
  /** Null if git could not compare. */
  readonly status: Status | null
  readonly pins: readonly Pin[]
}

interface PinRequest {
  readonly branch: string
  readonly place?: Attempt
  /** Deletes the branch in the user's repository, if possible in the same transaction. */
  readonly dropsBranch?: boolean
}

/** Works in any condition and changes no files. Also moves the branch in the user's repository. */
export async function pinWorktree(
  context: WorkspaceContext,
  found: FoundWorkspace,
  request: PinRequest,
): Promise<Pinned> {
  const { branch, place: given, dropsBranch = false } = request
  const { worker, record } = found
  const git = gitIn(context, found)
  const place: Place = given ?? record?.attempt ?? { worker }
  const own = `refs/heads/${branch}`
  const tip = (await readRefs(context.git, context.commonDir, own)).get(own)
  const out = await importHead(context, found)
  const head = out.commit ?? tip ?? record?.base ?? null
  if (head === null) return { ...out, head, status: null, pins: [] }
  const status = record === null ? null : await openStatusOf(context, found, head)
  const base = record?.base ?? head
  const known = [base, tip ?? base]
  const earlier = await importEarlier(context, found, { branch, head, known })
  // A rebase or another process moved the branch away from its old tip.
  if (tip !== undefined && tip !== base && !(await isAncestor(context.git, tip, head))) earlier.push(tip)
  const moved = await touchedSubmodules(context, git, found, head)
  const leftovers = await commitLeftovers({
    git,
    path: found.folder === "gone" ? null : found.path,
    view: found.view,
    head,
    status,
    submodules: moved,
    known: await knownLeftovers(context, place),
    isForeign: found.isLinked,
    staged: await keepStaged(context, git, { found, head }),
    ignoreMissing: record === null || (record.pending !== null && record.pending !== "remove"),
  })
  const wanted = new Map<PinKind, string>([["head", head]])
  if ("task" in place && record !== null) wanted.set("base", record.base)
  if (leftovers !== undefined) wanted.set("leftovers", leftovers)
  for (const commit of earlier) wanted.set(earlierKind(commit), commit)
  const follow = branchLines(context, found, { branch, tip, head: dropsBranch ? null : head })
  const nested = found.folder === "gone" ? [] : listNested(found.path, status, moved)
  const pins = await writePins(context, { place, wanted, also: nested.length === 0 ? follow : [] })
  if (nested.length > 0) {
    await pinNested(context, nested, `${placeRefs(context.team, place)}${pins[0]?.number ?? 1}/`)
    if (follow.length > 0) await context.git.read(["update-ref", "--stdin"], { input: `${follow.join("\n")}\n` })
  }
  return { ...out, head, status, pins }
}

export async function moveBranch(context: WorkspaceContext, found: FoundWorkspace, move: BranchMove): Promise<void> {
  const lines = branchLines(context, found, move)
  if (lines.length > 0) await context.git.read(["update-ref", "--stdin"], { input: `${lines.join("\n")}\n` })
}

interface BranchMove {
  readonly branch: string
  readonly tip: string | undefined
  readonly head: string | null
}

/** Moves a worker's branch in the user's repository, unless a person has it checked out. */
export function branchLines(
  context: WorkspaceContext,
  found: FoundWorkspace,
  { branch, tip, head }: BranchMove,
): string[] {
  if (tip === (head ?? undefined) || findCheckout(context, branch, found.isLinked ? found.gitDir : "") !== undefined)
    return []
  // A linked worktree has the branch checked out.
  if (found.isLinked && head !== null) return []
  const ref = `refs/heads/${branch}`
  if (head === null) return tip === undefined ? [] : [`delete ${ref} ${tip}`]
  return [tip === undefined ? `create ${ref} ${head}` : `update ${ref} ${head} ${tip}`]
}

/** Null if the folder is gone or unreadable. */
export async function statusOf(context: WorkspaceContext, found: FoundWorkspace, head: string): Promise<Status | null> {
  if (found.folder === "gone") return null
  try {
    return await readStatus(gitIn(context, found), found.view, head, { isForeign: found.isLinked })
  } catch (error) {
    if (isGitFailure(error)) return null
    throw error
  }
}

/** Makes all folders readable first, because git silently skips unreadable ones. */
async function openStatusOf(context: WorkspaceContext, found: FoundWorkspace, head: string): Promise<Status | null> {
  const opened = new Set<string>()
  for (;;) {
    const status = await statusOf(context, found, head)
    const closed = status?.closed ?? []
    const stuck = closed.find((folder) => opened.has(folder))
    if (stuck !== undefined) {
      const message = `${found.path}/${stuck} cannot be read; nothing was removed: make it readable, or move it away`
      throw new AppError("workspace.unsaved", message, { folder: stuck })
    }
    if (closed.length === 0) return status
    for (const folder of closed) {
      opened.add(folder)
      openFolder(`${found.path}/${folder}`)
    }
  }
}

function openFolder(folder: string): void {
  try {
    chmodSync(folder, (lstatSync(folder).mode & 0o777) | 0o700)
  } catch {
    // Not permitted: the next comparison reports it.
  }
}

async function touchedSubmodules(
  context: WorkspaceContext,
  git: Git,
  found: FoundWorkspace,
  head: string,
): Promise<Submodule[]> {
  if (found.folder === "gone") return []
  const touched: Submodule[] = []
  for (const each of await listSubmodules(git, `${found.view}/index`)) {
    const [entry = ""] = await git.list(["ls-tree", "-z", "--full-tree", head, "--", each.path])
    const isMoved = /^160000 commit ([0-9a-f]+)\t/.exec(entry)?.[1] !== each.head
    if (isMoved || (await hasChanges(context, `${found.path}/${each.path}`, each.head))) touched.push(each)
  }
  return touched
}

async function knownLeftovers({ git, commonDir, team }: WorkspaceContext, place: Place): Promise<string | undefined> {
  const refs = await readRefs(git, commonDir, placeRefs(team, place))
  if ("task" in place) return refs.get(pinRef(team, { place, number: place.attempt, kind: "leftovers" }))
  const numbers = [...refs.keys()].map((ref) => Number(/\/(\d+)\/leftovers$/.exec(ref)?.[1] ?? 0))
  return refs.get(pinRef(team, { place, number: Math.max(0, ...numbers), kind: "leftovers" }))
}
