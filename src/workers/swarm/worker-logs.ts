import { join } from "node:path"
import { RECORDING_FILES, runFolder } from "../../agents/jobs/record-run.ts"
import { isOver, type LogEntry, parseLogLine } from "../../agents/run-log.ts"
import { AppError } from "../../kernel/errors.ts"
import { quoteInput, type TaskId } from "../../kernel/ids.ts"
import { describeTeam, type TeamName } from "../../kernel/team.ts"
import { type TailLines, tailLines } from "../../lib/text/tail-lines.ts"
import type { RunFact } from "../../reporting/history-facts.ts"
import { type HistoryReader, readHistory } from "../../reporting/operations/read-history.ts"
import type { Context } from "../../store/operation.ts"
import { getTask } from "../../tasks/operations/get-task.ts"
import { hasEnded } from "../../tasks/task.ts"
import { swarmStatus } from "../operations/swarm-status.ts"
import { logFileOf } from "./places.ts"
import { listKnownWorkers } from "./worker-processes.ts"

export interface LogRequest extends TeamName {
  readonly home: string
  readonly machine: string
  readonly of: string
  /** Of each attempt. */
  readonly turn: number | null
}

export interface LogTarget {
  readonly kind: "run" | "task" | "worker"
  readonly id: string
}

export type LogItem =
  | { readonly type: "run"; readonly run: RunFact }
  | { readonly type: "entry"; readonly run: string; readonly entry: LogEntry }
  /** The run is over, and its recording has no end. */
  | { readonly type: "cut-off"; readonly run: string; readonly isEmpty: boolean }
  | { readonly type: "line"; readonly line: string }

export interface Logs extends Disposable {
  readonly target: LogTarget
  read(): Promise<LogItem[]>
  isOver(): Promise<boolean>
  readonly files: readonly string[]
}

export const RUN_EVENTS = ["run.started", "run.ended", "worker.started", "worker.exited"] as const

/** The recording of a run, of all runs of a task, or the log of a worker. */
export async function openLogs(context: Context, request: LogRequest): Promise<Logs> {
  const part = await readHistory(context, request, RUN_EVENTS)
  const target = await findTarget(context, request, part)
  if (target.kind === "worker") return workerLogs(context, request, target)
  return runLogs(context, request, { target, part })
}

async function findTarget(context: Context, { of, ...name }: LogRequest, part: HistoryReader): Promise<LogTarget> {
  if (part.history.runs.has(of)) return { kind: "run", id: of }
  try {
    return { kind: "task", id: (await getTask.run(context, { ...name, id: of as TaskId })).id }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "task.not_found") throw error
  }
  const { workers } = await swarmStatus.run(context, name)
  const worker = workers.find(({ id }) => id === of)
  if (worker !== undefined) return { kind: "worker", id: worker.id }
  throw new AppError(
    "log.not_found",
    `${quoteInput(of)} is not a task, worker or run of ${describeTeam(name)}`,
    {},
    {
      remedy: [{ operation: "task list", to: "see" }, { operation: "swarm status" }],
    },
  )
}

interface OpenRun {
  readonly lines: TailLines
  hasEntries: boolean
  isFinished: boolean
}

function runLogs(
  context: Context,
  request: LogRequest,
  { target, part }: { readonly target: LogTarget; readonly part: HistoryReader },
): Logs {
  const open = new Map<string, OpenRun>()
  const isWanted = ({ id, task, turn }: RunFact) =>
    (target.kind === "run" ? id === target.id : task === target.id) && (request.turn ?? turn) === turn
  const runs = () => [...part.history.runs.values()].filter(isWanted)
  const fileOf = (run: string) => join(runFolder(request.home, request, run), RECORDING_FILES.events)
  const readRun = (run: RunFact): LogItem[] => {
    const items: LogItem[] = []
    let reading = open.get(run.id)
    if (reading === undefined) {
      reading = { lines: tailLines(fileOf(run.id)), hasEntries: false, isFinished: false }
      open.set(run.id, reading)
      items.push({ type: "run", run })
    }
    if (reading.isFinished) return items
    const isOverNow = isOver(part.history, run)
    for (const line of reading.lines.read()) {
      const entry = parseLogLine(line)
      if (entry === undefined) continue
      reading.hasEntries = true
      if (entry.kind === "finished") reading.isFinished = true
      items.push({ type: "entry", run: run.id, entry })
    }
    if (isOverNow && !reading.isFinished) {
      reading.isFinished = true
      items.push({ type: "cut-off", run: run.id, isEmpty: !reading.hasEntries })
    }
    return items
  }
  return {
    target,
    async read() {
      await part.read()
      return runs().flatMap(readRun)
    },
    async isOver() {
      await part.read()
      const isQuiet = runs().every((run) => isOver(part.history, run))
      if (target.kind === "run" || !isQuiet) return isQuiet
      const { status } = await getTask.run(context, { ...request, id: target.id as TaskId })
      return hasEnded(status) || status === "in_review" || status === "paused"
    },
    get files() {
      return runs().map((run) => fileOf(run.id))
    },
    [Symbol.dispose]() {
      for (const { lines } of open.values()) lines[Symbol.dispose]()
    },
  }
}

function workerLogs(context: Context, request: LogRequest, target: LogTarget): Logs {
  if (request.turn !== null)
    throw new AppError(
      "usage",
      (say) => `${say.field("turn")} is for a task or a run, and ${target.id} is a worker; leave it out`,
    )
  const file = logFileOf(request.home, request, target.id)
  const lines = tailLines(file)
  return {
    target,
    read: async () => lines.read().map((line) => ({ type: "line", line })),
    async isOver() {
      const known = await listKnownWorkers(context, request, request.machine)
      const state = known.find(({ id }) => id === target.id)?.state
      return state !== "running" && state !== "spawning"
    },
    files: [file],
    [Symbol.dispose]: () => lines[Symbol.dispose](),
  }
}

export async function listRunsOf(context: Context, name: TeamName, worker: string): Promise<RunFact[]> {
  const { history } = await readHistory(context, name, ["run.started", "run.ended"])
  return [...history.runs.values()].filter((run) => run.worker === worker)
}
