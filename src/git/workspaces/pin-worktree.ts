import { chmodSync, lstatSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { type Git, withVariables } from "../git.ts"
import type { Attempt, Pin, PinKind, Place } from "../port.ts"
import { readRefs } from "../read-refs.ts"
import { readCleanStatus, readStatus, type Status } from "../read-status.ts"
import { earlierHeads } from "./earlier-heads.ts"
import type { Ground } from "./ground.ts"
import { commitLeftovers } from "./leftovers.ts"
import { listNested, pinNested } from "./nested.ts"
import { earlierKind, pinRef, placeRefs } from "./pin-refs.ts"
import { writePins } from "./pins.ts"
import { type Found, findCheckout, gitIn, type Past } from "./workspace-record.ts"

export interface Pinned {
  readonly head: string | null
  /** Null where git cannot tell. */
  readonly status: Status | null
  readonly pins: readonly Pin[]
  readonly past?: Past
}

interface PinWorktree {
  readonly branch: string
  readonly place?: Attempt
  /** Deletes the branch, in the same transaction as the pins where that can be. */
  readonly dropsBranch?: boolean
}

/** Pins everything that a worktree holds and nothing else keeps, in whatever state it is. The worktree stays as it is. */
export async function pinWorktree(
  ground: Ground,
  found: Found,
  { branch, place: given, dropsBranch = false }: PinWorktree,
): Promise<Pinned> {
  const { worker, adminDir, record } = found
  const git = record === null ? unfinishedGit(ground, found) : gitIn(ground, found)
  const place: Place = given ?? record?.attempt ?? { worker }
  const own = `refs/heads/${branch}`
  const isUnfinished = record === null
  const [status, tips] = await Promise.all([
    isUnfinished ? null : openStatusOf(ground, found),
    readRefs(git, ground.commonDir, own),
  ])
  const tip = tips.get(own)
  const head = status?.commit ?? (isUnfinished ? tip : await headOf(ground, found)) ?? tip ?? null
  if (head === null) return { head, status, pins: [] }
  const earlier = await earlierHeads(ground, git, { adminDir, branch, head, tip, past: record?.past })
  const known = await knownLeftovers(ground, place)
  const leftovers = await commitLeftovers({
    ...{ git, path: found.folder === "gone" ? null : found.path, adminDir, head, status },
    ...{ ignoreMissing: record === null || (record.pending !== null && record.pending !== "remove"), known },
  })
  const wanted = new Map<PinKind, string>([["head", head]])
  if ("task" in place && record !== null) wanted.set("base", record.base)
  if (leftovers !== undefined) wanted.set("leftovers", leftovers)
  for (const commit of earlier.commits) wanted.set(earlierKind(commit), commit)
  const drop =
    dropsBranch && tip !== undefined && findCheckout(ground, branch, adminDir) === undefined
      ? [`delete ${own} ${tip}`]
      : []
  const nested = found.folder === "gone" ? [] : listNested(found.path, status)
  const pins = await writePins(ground, { place, wanted, also: nested.length === 0 ? drop : [] })
  if (nested.length > 0) {
    await pinNested(ground, nested, `${placeRefs(ground.team, place)}${pins[0]?.number ?? 1}/`)
    if (drop.length > 0) await ground.git.read(["update-ref", "--stdin"], { input: `${drop.join("")}\n` })
  }
  return { head, status, pins, past: { logs: earlier.logs, pinned: [...wanted.values()] } }
}

/** Of a worktree that git was still making, not even its own files need be complete. */
function unfinishedGit({ source, commonDir }: Ground, { path, folder }: Found): Git {
  const places = { GIT_DIR: commonDir, ...(folder === "gone" ? {} : { GIT_WORK_TREE: path }) }
  return withVariables(source.in(folder === "gone" ? commonDir : path), places)
}

/** Null when the folder is gone or the index is unreadable: then what is there is compared with the head alone. */
export async function statusOf(ground: Ground, found: Found): Promise<Status | null> {
  if (found.folder === "gone") return null
  try {
    const git = gitIn(ground, found)
    return (await readCleanStatus(git, found.path)) ?? (await readStatus(git, found.adminDir))
  } catch (error) {
    if (error instanceof AppError && error.code === "git.failed") return null
    throw error
  }
}

/** The same with every folder opened: what git cannot look into, it would leave out without a word. */
async function openStatusOf(ground: Ground, found: Found): Promise<Status | null> {
  const opened = new Set<string>()
  for (;;) {
    const status = await statusOf(ground, found)
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
    // Not ours to change: the next look tells.
  }
}

async function headOf(ground: Ground, found: Found): Promise<string | undefined> {
  const { exitCode, stdout } = await gitIn(ground, found).run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
  return exitCode === 0 ? stdout.trim() : undefined
}

/** The last ones of the same place, by whatever number. */
async function knownLeftovers({ git, commonDir, team }: Ground, place: Place): Promise<string | undefined> {
  const refs = await readRefs(git, commonDir, placeRefs(team, place))
  if ("task" in place) return refs.get(pinRef(team, { place, number: place.attempt, kind: "leftovers" }))
  const numbers = [...refs.keys()].map((ref) => Number(/\/(\d+)\/leftovers$/.exec(ref)?.[1] ?? 0))
  return refs.get(pinRef(team, { place, number: Math.max(0, ...numbers), kind: "leftovers" }))
}
