import type { Event, EventType } from "../../kernel/events.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import type { Message } from "../../messages/message.ts"
import type { Context } from "../../store/operation.ts"
import type { StoredTeam, Tx, WorkerNow } from "../../store/port.ts"
import { listHeld, renewHeld } from "../../tasks/operations/held-tasks.ts"
import { availableTasks } from "../../tasks/operations/list-tasks.ts"
import { hasEnded, rolesMatch, type Task } from "../../tasks/task.ts"
import { noteSeen, type Seat } from "../seat.ts"
import { answerShutdowns, takeInbox } from "./seat-duties.ts"

export interface Stop {
  readonly terminalId: string
  /** A repeated report of the same stop has the same id. */
  readonly id: string
  /** A hook kept the session from ending before this stop; null if the program does not report it. */
  readonly isHeldBack: boolean | null
}

export interface StopAnswer {
  readonly decision: StopDecision
  readonly messages: readonly Message[]
}

export type StopDecision =
  | { readonly kind: "end" }
  | { readonly kind: "finish"; readonly task: Task }
  | { readonly kind: "next"; readonly task: Task; readonly available: number; readonly role: Task["role"] | null }
  | { readonly kind: "wait" }

const END = { kind: "end" } as const
const ENDED: StopAnswer = { decision: END, messages: [] }

/**
 * A worker in a loop goes on while it has work, but must claim or resolve a task between two stops: a session that
 * only talks may end. The loop ends when there is nothing left to wait for. A loop has no prompts, so messages come
 * with the reason to go on.
 */
export function decideStop({ store, ids }: Pick<Context, "store" | "ids">, stop: Stop): Promise<StopAnswer> {
  return store.write(async (tx) => {
    const found = await findLoop(tx, stop.terminalId)
    if (found === undefined) return ENDED
    const { seat, team, worker } = found
    const isAsked = (await answerShutdowns(tx, team, { ids, worker: worker.id })).length > 0
    const decision = isAsked ? END : await findWork(tx, team, worker)
    if (decision.kind === "end") {
      await tx.loops.remove(stop.terminalId)
      return ENDED
    }
    const { memory } = seat
    const isTold = stop.isHeldBack !== true && memory.seen.includes(stop.id)
    if (isTold) return { decision, messages: [] }
    await renewHeld(tx, team.key, worker.id)
    const isHeldBack = stop.isHeldBack ?? memory.stops > 0
    const hasMoved = await movedSince(tx, team, { worker: worker.id, seq: memory.stoppedAt ?? 0 })
    if (isHeldBack && !hasMoved) return ENDED
    await tx.seats.remember(seat.terminalId, {
      ...(noteSeen(memory, stop.id) ?? memory),
      stops: hasMoved ? 1 : memory.stops + 1,
      stoppedAt: await newestEvent(tx, team),
    })
    return { decision, messages: await takeInbox(tx, team, worker.id) }
  })
}

interface Loop {
  readonly seat: Seat
  readonly team: StoredTeam
  readonly worker: WorkerNow
}

/** A loop without its team or worker does not count. */
async function findLoop(tx: Tx, terminalId: string): Promise<Loop | undefined> {
  const seat = await tx.seats.find(terminalId)
  const loop = await tx.loops.find(terminalId)
  if (seat?.worker == null || loop?.active !== true) return undefined
  if (loop.project !== seat.project || loop.team !== seat.team) return undefined
  const team = await tx.teams.find(seat)
  const worker = team && (await tx.workers.find(team.key, seat.worker))
  return team === undefined || worker === undefined ? undefined : { seat, team, worker }
}

async function findWork(tx: Tx, team: StoredTeam, worker: WorkerNow): Promise<StopDecision> {
  const isOver = team.phase === "COMPLETE" || !["active", "paused", "completing"].includes(team.status)
  if (isOver || worker.status === "stopped" || worker.status === "dead") return END
  const held = (await listHeld(tx, team.key, worker.id)).find(({ status }) => status === "in_progress")
  if (held !== undefined) return { kind: "finish", task: held }
  const isFree = worker.status !== "paused" && worker.status !== "quarantined"
  const ready = isFree ? await availableTasks(tx, team, { role: worker.role ?? undefined }) : []
  const mine = ready.filter((task) => isFor(task, worker))
  const [task] = mine
  if (task !== undefined) return { kind: "next", task, available: mine.length, role: worker.role }
  const left = (await tx.tasks.list(team.key)).filter(({ status }) => !hasEnded(status))
  return left.some((each) => each.workerId !== worker.id && isFor(each, worker)) ? { kind: "wait" } : END
}

function isFor({ assignee, role }: Task, worker: WorkerNow): boolean {
  return (assignee === null || assignee === worker.id) && rolesMatch(role, worker.role)
}

const MOVES = ["task.claimed", "task.resolved"] as const satisfies readonly EventType[]
/** Far more than other workers make between two stops. */
const MOST_MOVES = 500

async function movedSince(
  tx: Tx,
  team: StoredTeam,
  { worker, seq }: { readonly worker: WorkerId; readonly seq: number },
): Promise<boolean> {
  for (const type of MOVES) {
    const after = await tx.events.tailCursor(team.key, { count: MOST_MOVES, type })
    const { events } = await tx.events.list(team.key, { after, type, limit: MOST_MOVES })
    if (events.some((event: Event) => event.seq > seq && event.by === worker)) return true
  }
  return false
}

async function newestEvent(tx: Tx, team: StoredTeam): Promise<number> {
  const after = await tx.events.tailCursor(team.key, { count: 1 })
  return (await tx.events.list(team.key, { after, limit: 1 })).events.at(-1)?.seq ?? 0
}
