import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Role } from "../../tasks/task.ts"
import { swarmStatus } from "../operations/swarm-status.ts"
import { forgetPane, noteWorkerExited, noteWorkerSpawned, spawnWorker } from "../operations/worker-life.ts"
import type { Runtime, WorkerExit, WorkerLaunch } from "../runtimes/port.ts"
import { listKnownWorkers } from "./worker-processes.ts"
import { createWorktree, type WorkspaceTools } from "./worktrees.ts"

export interface SpawnRequest extends TeamName {
  /** One worker for each; null takes any task. */
  readonly roles: readonly (Role | null)[]
  readonly launch: (worker: WorkerId, role: Role | null) => WorkerLaunch
  /** Prepares each worktree at once, instead of with the first task. */
  readonly worktrees: WorkspaceTools | null
  readonly maxAgents: number
  readonly machine: string
}

export interface SpawnedWorker {
  readonly id: WorkerId
  readonly role: Role | null
  readonly pid: number
  readonly pane: string | null
  readonly worktree: string | null
  readonly branch: string | null
  readonly log: string
  /** `spawning`: it has not reported yet. */
  readonly status: "running" | "spawning" | "ended"
  /** If it ended, the last line of its log. */
  readonly detail: string | null
}

/** Without an orchestrator. When one worker cannot start, the earlier ones continue. */
export async function spawnWorkers(
  context: Context,
  runtime: Runtime,
  request: SpawnRequest,
): Promise<SpawnedWorker[]> {
  const why = await runtime.unavailable()
  if (why !== null) throw new AppError("runtime.unavailable", why)
  await assertRoom(context, request)
  const exits = new Map<string, WorkerExit>()
  const exited = new AbortController()
  runtime.onExit((exit) => {
    exits.set(exit.worker, exit)
    exited.abort()
  })
  const started: Started[] = []
  for (const role of request.roles) started.push(await startOne(context, runtime, { ...request, role }))
  await untilUp(context, request, { started, exits, exited: exited.signal })
  for (const each of started.filter(({ id }) => exits.has(id))) await noteEnd(context, request, each)
  const { workers } = await swarmStatus.run(context, request)
  return started.map(({ launch, ...rest }) => {
    const known = workers.find(({ id }) => id === rest.id)
    const hasEnded = exits.has(rest.id)
    return {
      ...rest,
      worktree: known?.worktree ?? null,
      branch: known?.branch ?? null,
      log: launch.logFile,
      status: hasEnded ? "ended" : known?.status === "spawning" ? "spawning" : "running",
      detail: hasEnded ? readLastLine(launch.logFile) : null,
    }
  })
}

async function noteEnd(
  context: Context,
  { project, team, run }: TeamName,
  { id, pane, launch }: Started,
): Promise<void> {
  const detail = readLastLine(launch.logFile)
  if (pane !== null) await forgetPane(context, { project, team, run, worker: id })
  await noteWorkerExited(context, { project, team, run, by: PERSON, worker: id, reason: "crashed", detail })
}

interface Started {
  readonly id: WorkerId
  readonly role: Role | null
  readonly pid: number
  readonly pane: string | null
  readonly launch: WorkerLaunch
}

async function assertRoom(context: Context, { roles, maxAgents, machine, ...name }: SpawnRequest): Promise<void> {
  const known = await listKnownWorkers(context, name, machine)
  const running = known.filter(({ state }) => state === "spawning" || state === "running").length
  if (running + roles.length <= maxAgents) return
  const are = running === 1 ? "1 worker runs" : `${running} workers run`
  throw new AppError(
    "input.invalid",
    `${are}, and team.maxAgents is ${maxAgents}: no room for ${roles.length} more`,
    { running, maxAgents },
    {
      remedy: {
        operation: "config set",
        fields: { key: "team.maxAgents", value: String(running + roles.length) },
        to: "raise it with",
      },
    },
  )
}

async function startOne(
  context: Context,
  runtime: Runtime,
  { project, team, run, role, worktrees, ...request }: SpawnRequest & { readonly role: Role | null },
): Promise<Started> {
  const name = { project, team, run }
  const id = await spawnWorker(context, { ...name, id: null, role })
  try {
    if (worktrees !== null) await createWorktree(context, worktrees, { ...name, workerId: id })
    const launch = request.launch(id, role)
    const { pid, processStart, pane } = await runtime.start(launch)
    const process = { runtime: runtime.name, machine: request.machine, pid, process_start: processStart }
    await noteWorkerSpawned(context, { ...name, by: PERSON, worker: id, pane, ...process })
    return { id, role, pid, pane, launch }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    await noteWorkerExited(context, { ...name, by: PERSON, worker: id, reason: "crashed", detail })
    throw error
  }
}

/** Our program is up within a second; on a busy machine it may take longer than this. */
const MAX_WAITING_MS = 10_000

async function untilUp(
  context: Context,
  name: TeamName,
  { started, exits, exited }: { started: readonly Started[]; exits: Map<string, unknown>; exited: AbortSignal },
): Promise<void> {
  await using watch = await context.store.watch()
  const deadline = performance.now() + MAX_WAITING_MS
  for (let left = MAX_WAITING_MS; left > 0; left = deadline - performance.now()) {
    const { workers } = await swarmStatus.run(context, name)
    const isComing = ({ id }: Started) =>
      !exits.has(id) && workers.some((worker) => worker.id === id && worker.status === "spawning")
    if (!started.some(isComing)) return
    await watch.next(Math.min(left, exited.aborted ? 200 : left), exited.aborted ? undefined : exited)
  }
}

const MAX_BYTES = 4096

/** Null for a missing or empty file. */
function readLastLine(file: string): string | null {
  let handle: number
  try {
    handle = openSync(file, "r")
  } catch {
    return null
  }
  try {
    const { size } = fstatSync(handle)
    const block = Buffer.alloc(Math.min(size, MAX_BYTES))
    const read = readSync(handle, block, 0, block.length, size - block.length)
    return block.toString("utf8", 0, read).trimEnd().split("\n").at(-1)?.trim() || null
  } finally {
    closeSync(handle)
  }
}
