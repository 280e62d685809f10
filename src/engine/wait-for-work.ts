import { AppError } from "../domain/errors.ts"
import type { Role, Task } from "../domain/task.ts"
import { describeTeam, type TeamName } from "../domain/team.ts"
import type { Worker } from "../domain/worker.ts"
import { listTasks } from "../operations/list-tasks.ts"
import { getTeam } from "../operations/lookup.ts"
import type { Context } from "../operations/operation.ts"
import { setupWorker } from "../operations/setup-worker.ts"

export interface WorkSearch extends TeamName {
  readonly role?: Role
  readonly workerId?: Worker["id"]
  readonly sessionId?: string
  readonly freshStartInterval?: number
  /** Wait until there is work, instead of saying that there is none. */
  readonly loop: boolean
  readonly pollIntervalSeconds: number
  /** Wait on even when the project is complete. */
  readonly keepPolling: boolean
}

export interface WorkFound {
  readonly project: string
  readonly team: string
  readonly worker: Worker | null
  readonly released: readonly string[]
  readonly available: number
  /** The task to claim; null when the wait ended without one. */
  readonly next: Task | null
  readonly reason: "found" | "none" | "complete" | "shutdown" | "interrupted"
}

export interface WorkWatcher {
  readonly say: (line: string) => void
  readonly signal: AbortSignal
}

/**
 * Looks for a task this worker may claim. In a loop it looks again whenever something was committed, and tells every
 * `pollIntervalSeconds` that it still waits; the project itself may come later. The worker is registered once.
 */
export async function waitForWork(
  context: Context,
  search: WorkSearch,
  { say, signal }: WorkWatcher,
): Promise<WorkFound> {
  await using watch = await context.store.watch()
  let setup: Awaited<ReturnType<typeof setupWorker.run>> | undefined
  let saidAt = Number.NEGATIVE_INFINITY
  let isProjectAnnounced = !search.loop
  const sayNow = (line: string) => {
    saidAt = performance.now()
    say(line)
  }
  for (;;) {
    setup ??= await register(context, search)
    const found = setup === undefined ? undefined : await look(context, search, setup)
    if (found !== undefined && !isProjectAnnounced) {
      say(`Project found: ${describeTeam(search)}`)
      isProjectAnnounced = true
      // Whether it has work is news as well.
      saidAt = Number.NEGATIVE_INFINITY
    }
    if (found !== undefined && found.reason !== "none") {
      if (found.next !== null) announce(sayNow, search, found)
      return found
    }
    if (!search.loop) return found ?? (await missingProject(context, search))
    if (signal.aborted)
      return {
        ...(found ?? {
          project: search.project,
          team: search.team,
          worker: null,
          released: [],
          available: 0,
          next: null,
        }),
        reason: "interrupted",
      }
    const sinceSaid = performance.now() - saidAt
    const interval = search.pollIntervalSeconds * 1000
    if (sinceSaid >= interval) {
      sayNow(
        found === undefined
          ? `Waiting for project ${describeTeam(search)}...`
          : `No available tasks (role: ${found.worker?.role ?? "any"}). Waiting ${search.pollIntervalSeconds}s...`,
      )
      await watch.next(interval, signal)
    } else await watch.next(interval - sinceSaid, signal)
  }
}

async function register(context: Context, search: WorkSearch) {
  try {
    return await setupWorker.run(context, search)
  } catch (error) {
    if (search.loop && error instanceof AppError && error.code === "team.not_found") return undefined
    throw error
  }
}

async function look(
  context: Context,
  search: WorkSearch,
  setup: { worker: Worker; released: readonly string[] },
): Promise<WorkFound> {
  const tasks = await listTasks.run(context, {
    project: search.project,
    team: search.team,
    available: true,
    role: setup.worker.role ?? search.role,
  })
  const mine = tasks.filter((task) => task.assignee === null || task.assignee === setup.worker.id)
  const facts = {
    project: search.project,
    team: search.team,
    worker: setup.worker,
    released: setup.released,
    available: mine.length,
  }
  const next = mine[0] ?? null
  if (next !== null) return { ...facts, next, reason: "found" }
  const { phase, shutdown } = await context.store.read(async (tx) => {
    const team = await getTeam(tx, search)
    const requests = await tx.messages.list(team.key, setup.worker.id, {
      unreadOnly: true,
      type: "shutdown_request",
      limit: 1,
    })
    return { phase: team.phase, shutdown: requests.length > 0 }
  })
  if (shutdown) return { ...facts, next, reason: "shutdown" }
  return { ...facts, next, reason: phase === "COMPLETE" && !search.keepPolling ? "complete" : "none" }
}

function announce(say: (line: string) => void, search: WorkSearch, found: WorkFound): void {
  if (!search.loop || found.next === null) return
  say(`Found ${found.available} open tasks. Starting worker...`)
  say(`Found task ${found.next.id}: "${found.next.title}"`)
}

/** Without a loop a missing project is an error; asking for it again words it. */
async function missingProject(context: Context, search: WorkSearch): Promise<never> {
  await context.store.read((tx) => getTeam(tx, search))
  throw new Error("the project appeared while it was reported missing")
}
