import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { Words } from "../../kernel/remedy.ts"
import type { OnOverlap, Settings } from "../../store/operation.ts"
import type { GraphNode, StoredTeam, Tx } from "../../store/port.ts"
import type { TaskStatus } from "../../tasks/task.ts"
import { problemWithPattern } from "../file-pattern.ts"
import { jointPatterns } from "../joint-files.ts"
import { listSharedParts } from "../judge-path.ts"
import { findOverlaps, listOverlaps, makeConcurrency, type Overlap } from "../overlaps.ts"
import { cleanPattern } from "../plain-pattern.ts"
import { isCoordinated } from "./coordinator.ts"

interface FileRequest {
  readonly id: TaskId
  readonly status: TaskStatus
  readonly blockedBy: readonly TaskId[]
  readonly files: readonly string[]
  readonly onOverlap: OnOverlap
  /** Lets the task own the shared files that it names. */
  readonly grantShared: boolean
}

interface FilePlan {
  readonly files: string[]
  /** Earlier tasks with common files. */
  readonly waitsFor: TaskId[]
  /** Later tasks with common files. */
  readonly waiting: TaskId[]
}

/**
 * Throws for an invalid pattern, a shared file without a grant, or an overlap with a task that could run at the
 * same time. The team must be locked.
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
  if (started.length > 0) throw overlapError(started, "both are in progress; release one of them first")
  return { files, waitsFor: [], waiting: others }
}

/** Before work on an existing task continues. */
export async function assertNoOverlap(
  tx: Tx,
  team: StoredTeam,
  settings: Settings,
  task: Pick<FileRequest, "id" | "blockedBy" | "files">,
): Promise<void> {
  if (task.files.length === 0) return
  const overlaps = await findConflicts(tx, team, sharedPatterns(settings), { ...task, status: "open" })
  if (overlaps.length > 0) throw overlapError(overlaps, "wait for the other task to end, or change the files of one")
}

/**
 * For a task that must be added in any case, such as a fix: it waits for tasks in progress with common files, and
 * the others wait for it.
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
  const isStarted = (id: TaskId) => hasStarted(graph.get(id)?.status ?? "open")
  return { waitsFor: others.filter(isStarted), waiting: others.filter((id) => !isStarted(id)) }
}

/** Refuses a change of needs that would let tasks with common files run at the same time. */
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
  const found = listOverlaps(tasks, shared, await readJoint(tx, team.key, shared)).filter(
    ({ task, other }) => canMeet(task, other) && !couldMeet(task, other),
  )
  if (found.length > 0) throw overlapError(found, "keep the need between them, or change the files of one first")
}

/** Several tasks may own these at once, because the engine merges them. */
export async function readJoint(tx: Tx, key: number, shared: readonly string[]): Promise<readonly string[]> {
  return (await isCoordinated(tx, key)) ? jointPatterns(shared) : []
}

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
    const [claim] = listSharedParts(pattern, shared)
    if (claim === undefined) continue
    throw new AppError(
      "ownership.shared",
      (say) =>
        `${claim} is a shared file and belongs to the lead; leave it out, or grant it as the lead with ${say.field("grantShared")}`,
      { pattern, shared: claim },
    )
  }
}

/** Only tasks that could run at the same time. Reads the graph of tasks only if files overlap. */
async function findConflicts(
  tx: Tx,
  team: StoredTeam,
  shared: readonly string[],
  task: Pick<FileRequest, "id" | "status" | "blockedBy" | "files">,
): Promise<Overlap[]> {
  const others = (await tx.tasks.owning(team.key)).filter((other) => other.id !== task.id)
  if (findOverlaps(task, others, shared).length === 0) return []
  const overlaps = findOverlaps(task, others, shared, await readJoint(tx, team.key, shared))
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
  if (first === undefined) throw new Error("there is no overlap")
  const { task, pattern, other, otherPattern, path } = first
  const more = overlaps.length === 1 ? "" : ` (and ${overlaps.length - 1} more overlaps)`
  const hint = (say: Words) => way ?? `change the files, add a need, or use ${say.field("onOverlap")} serialise`
  return new AppError(
    "ownership.overlap",
    (say) =>
      `${pattern} of task ${task} and ${otherPattern} of task ${other} both match ${path}${more}, and the two could run at the same time; ${hint(say)}`,
    { overlaps: overlaps.slice(0, 20) },
  )
}
