import { AppError } from "../../kernel/errors.ts"
import { describeTeam, type TeamName, type TeamStatus } from "../../kernel/team.ts"
import type { Clock } from "../../lib/clock.ts"
import type { Context } from "../../store/operation.ts"
import { setupWorker } from "../../workers/operations/setup-worker.ts"
import { UNAVAILABLE, type Worker } from "../../workers/worker.ts"
import { listTasks } from "../operations/list-tasks.ts"
import { getTeam } from "../operations/lookup.ts"
import type { Role, Task } from "../task.ts"

export interface WorkSearch extends TeamName {
  readonly role?: Role
  readonly workerId?: Worker["id"]
  readonly sessionId?: string
  readonly freshStartInterval?: number
  readonly loop: boolean
  readonly pollIntervalSeconds: number
  readonly keepPolling: boolean
  /** Stops waiting when the team has ended. */
  readonly isManaged?: boolean
}

export interface WorkFound {
  readonly project: string
  readonly team: string
  readonly worker: Worker | null
  readonly released: readonly string[]
  readonly available: number
  /** Null: the wait ended without a task. */
  readonly next: Task | null
  readonly reason: "found" | "none" | "complete" | "over" | "shutdown" | "interrupted"
}

export interface WorkWatcher {
  readonly say: (line: string) => void
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * Looks for a task to claim. In a loop it looks again after every commit, and reports every `pollIntervalSeconds`
 * that it waits. The project may not exist yet. Registers the worker once.
 */
export async function waitForWork(
  context: Context,
  search: WorkSearch,
  { say, clock, signal }: WorkWatcher,
): Promise<WorkFound> {
  await using watch = await context.store.watch()
  const interval = search.pollIntervalSeconds * 1000
  let setup: Awaited<ReturnType<typeof setupWorker.run>> | undefined
  let hasFoundProject = false
  let saidAt = Number.NEGATIVE_INFINITY
  for (;;) {
    setup ??= await register(context, search)
    const seen = setup === undefined ? undefined : await look(context, search, setup)
    if (search.loop && seen !== undefined && !hasFoundProject) {
      say(`Project found: ${describeTeam(search)}`)
      hasFoundProject = true
      saidAt = Number.NEGATIVE_INFINITY // whether it has work is news as well
    }
    if (seen !== undefined && seen.found.reason !== "none") return announced(say, search, seen.found)
    if (!search.loop) return seen?.found ?? nothing(search)
    if (signal.aborted) return { ...(seen?.found ?? nothing(search)), reason: "interrupted" }
    if (clock.now() - saidAt >= interval) {
      const role = seen?.found.worker?.role ?? "any"
      const idle = `No available tasks (role: ${role}). Waiting ${search.pollIntervalSeconds}s...`
      say(seen === undefined ? `Waiting for project ${describeTeam(search)}...` : idle)
      saidAt = clock.now()
    }
    // An expired lease makes a task available without a commit.
    const untilLine = saidAt + interval - clock.now()
    await watch.next(Math.min(untilLine, seen?.msToLeaseEnd ?? untilLine), signal)
  }
}

function nothing({ project, team }: WorkSearch): WorkFound {
  return { project, team, worker: null, released: [], available: 0, next: null, reason: "none" }
}

async function register(context: Context, search: WorkSearch) {
  try {
    return await setupWorker.run(context, search)
  } catch (error) {
    if (search.loop && error instanceof AppError && error.code === "team.not_found") return undefined
    throw error
  }
}

interface Look {
  readonly found: WorkFound
  readonly msToLeaseEnd?: number
}

async function look(
  context: Context,
  { project, team, run, role, keepPolling, isManaged }: WorkSearch,
  { worker, released }: { worker: Worker; released: readonly string[] },
): Promise<Look> {
  const tasks = await listTasks.run(context, { project, team, run, available: true, role: worker.role ?? role })
  const isPaused = await isUnavailable(context, { project, team, run }, worker.id)
  const mine = isPaused ? [] : tasks.filter((task) => task.assignee === null || task.assignee === worker.id)
  const next = mine[0] ?? null
  const facts = { project, team, worker, released, available: mine.length, next }
  if (next !== null) return { found: { ...facts, reason: "found" } }
  return context.store.read(async (tx) => {
    const { key, phase, status } = await getTeam(tx, { project, team, run })
    const asked = { unreadOnly: true, type: "shutdown_request", limit: 1 } as const
    if ((await tx.messages.list(key, worker.id, asked)).length > 0) return { found: { ...facts, reason: "shutdown" } }
    if (phase === "COMPLETE" && !keepPolling) return { found: { ...facts, reason: "complete" } }
    if (isManaged === true && OVER.includes(status)) return { found: { ...facts, reason: "over" } }
    const ends = await tx.tasks.nextLeaseEnd(key)
    const msToLeaseEnd = ends === null ? undefined : ends - (await tx.now()) + 1
    return { found: { ...facts, reason: "none" }, msToLeaseEnd }
  })
}

const OVER: readonly TeamStatus[] = ["completed", "failed", "cancelled"]

async function isUnavailable({ store }: Context, name: TeamName, id: Worker["id"]): Promise<boolean> {
  const worker = await store.read(async (tx) => tx.workers.find((await getTeam(tx, name)).key, id))
  return worker !== undefined && (UNAVAILABLE as readonly string[]).includes(worker.status)
}

function announced(say: (line: string) => void, search: WorkSearch, found: WorkFound): WorkFound {
  if (search.loop && found.next !== null) {
    say(`Found ${found.available} open tasks. Starting worker...`)
    say(`Found task ${found.next.id}: "${found.next.title}"`)
  }
  return found
}
