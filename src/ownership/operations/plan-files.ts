import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { Words } from "../../kernel/remedy.ts"
import type { OnOverlap, Settings } from "../../store/operation.ts"
import type { GraphNode, StoredTeam, Tx } from "../../store/port.ts"
import type { TaskStatus } from "../../tasks/task.ts"
import { problemWithPattern } from "../file-pattern.ts"
import { jointPatterns } from "../joint-files.ts"
import { listClaims } from "../judge-path.ts"
import { findOverlaps, listOverlaps, makeConcurrency, type Overlap } from "../overlaps.ts"
import { cleanPattern } from "../plain-pattern.ts"
import { isCoordinated } from "./coordinator.ts"

interface FileRequest {
  readonly id: TaskId
  readonly status: TaskStatus
  readonly blockedBy: readonly TaskId[]
  readonly files: readonly string[]
  readonly onOverlap: OnOverlap
  /** The lead lets the task own the shared files that it names. */
  readonly grantShared: boolean
}

interface FilePlan {
  readonly files: string[]
  /** Tasks that this one has to wait for, because they own some of the same files. */
  readonly waitsFor: TaskId[]
  /** Tasks that have to wait for this one. */
  readonly waiting: TaskId[]
}

/**
 * What a task may own: valid patterns, no shared files without the lead's word, and nothing that a task which could run
 * at the same time owns as well, unless one of them waits for the other. The team must be locked.
 */
export async function planFiles(tx: Tx, team: StoredTeam, settings: Settings, task: FileRequest): Promise<FilePlan> {
  const files = checkFiles(task.files)
  const shared = sharedPatterns(settings)
  if (!(task.grantShared || (await isCoordinated(tx, team.key)))) assertNotShared(files, shared)
  const overlaps = await findConflicts(tx, team, shared, { ...task, files })
  if (overlaps.length === 0) return { files, waitsFor: [], waiting: [] }
  if (task.onOverlap === "refuse") throw overlapError(overlaps)
  const graph = new Map((await tx.tasks.graph(team.key)).map((node) => [node.id, node]))
  const others = overlaps.map((overlap) => overlap.other as TaskId)
  if (!hasStarted(task.status)) return { files, waitsFor: others, waiting: [] }
  const started = overlaps.filter(({ other }) => hasStarted(graph.get(other as TaskId)?.status ?? "open"))
  if (started.length > 0) throw overlapError(started, "both are being worked on; give one of them back first")
  return { files, waitsFor: [], waiting: others }
}

/** The same for a task that is there: before it is worked on again. */
export async function assertNoOverlap(
  tx: Tx,
  team: StoredTeam,
  settings: Settings,
  task: Pick<FileRequest, "id" | "blockedBy" | "files">,
): Promise<void> {
  if (task.files.length === 0) return
  const overlaps = await findConflicts(tx, team, sharedPatterns(settings), { ...task, status: "open" })
  if (overlaps.length > 0) throw overlapError(overlaps, "let the other end first, or change the files of one")
}

/**
 * How a task that must come in anyway, as a fix does, is kept apart from those that own some of the same files: it waits
 * for whoever is at work, and whoever is not waits for it.
 */
export async function keepApart(
  tx: Tx,
  team: StoredTeam,
  settings: Settings,
  task: Pick<FileRequest, "id" | "blockedBy" | "files">,
): Promise<Pick<FilePlan, "waitsFor" | "waiting">> {
  if (task.files.length === 0) return { waitsFor: [], waiting: [] }
  const overlaps = await findConflicts(tx, team, sharedPatterns(settings), { ...task, status: "open" })
  const others = overlaps.map((overlap) => overlap.other as TaskId)
  if (others.length === 0) return { waitsFor: [], waiting: [] }
  const graph = new Map((await tx.tasks.graph(team.key)).map((node) => [node.id, node]))
  const isAtWork = (id: TaskId) => hasStarted(graph.get(id)?.status ?? "open")
  return { waitsFor: others.filter(isAtWork), waiting: others.filter((id) => !isAtWork(id)) }
}

/** Refuses a change of needs after which two tasks with the same files could run at the same time. */
export async function assertStillApart(
  tx: Tx,
  team: StoredTeam,
  settings: Settings,
  { before, after }: { readonly before: readonly GraphNode[]; readonly after: readonly GraphNode[] },
): Promise<void> {
  const owning = await tx.tasks.owning(team.key)
  if (owning.length < 2) return
  const [couldMeet, canMeet] = [makeConcurrency(before), makeConcurrency(after)]
  const remaining = new Set<string>(after.map((node) => node.id))
  const tasks = owning.filter((task) => remaining.has(task.id))
  const shared = sharedPatterns(settings)
  const found = listOverlaps(tasks, shared, await readJoint(tx, team, shared)).filter(
    ({ task, other }) => canMeet(task, other) && !couldMeet(task, other),
  )
  if (found.length > 0) throw overlapError(found, "keep one waiting for the other, or change the files of one first")
}

/** What several tasks may own at once, as the engine merges it. */
async function readJoint(tx: Tx, team: StoredTeam, shared: readonly string[]): Promise<readonly string[]> {
  return (await isCoordinated(tx, team.key)) ? jointPatterns(shared) : []
}

/** Those of the configuration, which nobody has checked yet. */
export function sharedPatterns({ sharedFiles }: Settings): readonly string[] {
  for (const pattern of sharedFiles) {
    const problem = problemWithPattern(pattern)
    if (problem !== undefined) throw new AppError("config.bad_value", `ownership.shared: ${problem}`)
  }
  return sharedFiles
}

function checkFiles(given: readonly string[]): string[] {
  for (const pattern of given) {
    const problem = problemWithPattern(pattern)
    if (problem !== undefined)
      throw new AppError("input.invalid", (say) => `${say.field("files")} ${problem}`, { field: "files" })
  }
  return [...new Set(given.map(cleanPattern))]
}

function assertNotShared(files: readonly string[], shared: readonly string[]): void {
  for (const pattern of files) {
    const [claim] = listClaims(pattern, shared)
    if (claim === undefined) continue
    throw new AppError(
      "ownership.shared",
      (say) =>
        `${claim} is a shared file and belongs to the lead; leave it out, or grant it as the lead with ${say.field("grantShared")}`,
      { pattern, shared: claim },
    )
  }
}

/** Overlaps with tasks that could run at the same time. The graph is read only where files do overlap. */
async function findConflicts(
  tx: Tx,
  team: StoredTeam,
  shared: readonly string[],
  task: Pick<FileRequest, "id" | "status" | "blockedBy" | "files">,
): Promise<Overlap[]> {
  const others = (await tx.tasks.owning(team.key)).filter((other) => other.id !== task.id)
  if (findOverlaps(task, others, shared).length === 0) return []
  const overlaps = findOverlaps(task, others, shared, await readJoint(tx, team, shared))
  if (overlaps.length === 0) return []
  const graph = (await tx.tasks.graph(team.key)).filter((node) => node.id !== task.id)
  const canMeet = makeConcurrency([...graph, task])
  return overlaps.filter(({ other }) => canMeet(task.id, other))
}

function hasStarted(status: TaskStatus): boolean {
  return status !== "open"
}

export function overlapError(overlaps: readonly Overlap[], way?: string): AppError {
  const [first] = overlaps
  const { task, pattern, other, otherPattern, path } = first ?? {
    task: "",
    pattern: "",
    other: "",
    otherPattern: "",
    path: "",
  }
  const more = overlaps.length === 1 ? "" : ` (and ${overlaps.length - 1} more overlaps)`
  const hint = (say: Words) => way ?? `change the files, add a need, or use ${say.field("onOverlap")} serialise`
  return new AppError(
    "ownership.overlap",
    (say) =>
      `${pattern} of task ${task} and ${otherPattern} of task ${other} both match ${path}${more}, and the two could run at the same time; ${hint(say)}`,
    { overlaps: overlaps.slice(0, 20) },
  )
}
