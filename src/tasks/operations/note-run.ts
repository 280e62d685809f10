import type { EventData, NewEvent } from "../../kernel/events.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { type CommittedWork, GIVEN_UP } from "../committed-work.ts"
import type { Task } from "../task.ts"
import { assertHolds } from "./assert-holds.ts"
import { getTeam, lockTask } from "./lookup.ts"

/** In these events `run` is the run of an agent; the run of the team is a separate argument. */
type OfTeam = Omit<TeamName, "run">

export function noteRunStarted(
  context: Context,
  { project, team, ...data }: OfTeam & EventData<"run.started">,
  teamRun?: number,
): Promise<void> {
  return append(context, { project, team, run: teamRun }, { type: "run.started", data })
}

export function noteRunProgress(
  context: Context,
  { project, team, ...data }: OfTeam & EventData<"run.progress">,
  teamRun?: number,
): Promise<void> {
  return append(context, { project, team, run: teamRun }, { type: "run.progress", data })
}

export function noteRunEnded(
  context: Context,
  { project, team, ...data }: OfTeam & EventData<"run.ended">,
  teamRun?: number,
): Promise<void> {
  return append(context, { project, team, run: teamRun }, { type: "run.ended", data })
}

async function append(
  { store }: Context,
  name: TeamName,
  event: Extract<NewEvent, { type: "run.started" | "run.progress" | "run.ended" }>,
): Promise<void> {
  await store.write(async (tx) => {
    await tx.events.append((await getTeam(tx, name)).key, event.data.worker, event)
  })
}

export type Committed = Pick<CommittedWork, "token" | "base" | "commit" | "place">

/**
 * Also shows that the worker is alive, and notes what it committed. Throws `claim.lost` if it no longer holds the
 * task.
 */
export async function noteStep(
  { store }: Context,
  { project, team, run, ...data }: TeamName & EventData<"task.step">,
  committed?: Committed,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    await tx.workers.heard(key, data.worker)
    await tx.events.append(key, data.worker, { type: "task.step", data })
    if (committed === undefined) return
    assertHolds(await lockTask(tx, key, data.task), data.worker, committed.token)
    await appendCommitted(tx, key, data, committed)
  })
}

/**
 * The worker no longer holds the task. If it was resolved under the same claim meanwhile, the worker's commits are
 * the work of that attempt.
 */
export async function noteGivenUp(
  { store }: Context,
  { project, team, run, ...data }: TeamName & Omit<EventData<"task.step">, "step">,
  committed: Committed | undefined,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    await tx.events.append(key, data.worker, { type: "task.step", data: { ...data, step: GIVEN_UP } })
    const task = committed && (await tx.tasks.lock(key, data.task))
    if (task?.attempt !== data.attempt || task.claimToken !== committed?.token || !isDone(task.status)) return
    await appendCommitted(tx, key, data, committed)
  })
}

async function appendCommitted(
  tx: Tx,
  key: number,
  { task, attempt, worker }: Omit<EventData<"task.step">, "step">,
  { token, base, commit, place }: Committed,
): Promise<void> {
  const data = { task, attempt, token, base, commit, ...place }
  await tx.events.append(key, worker, { type: "task.committed", data })
}

function isDone(status: Task["status"]): boolean {
  return status === "resolved" || status === "in_review"
}

/** No event: it may come every few seconds. */
export async function noteActivity({ store }: Context, { worker, ...name }: TeamName & { readonly worker: WorkerId }) {
  await store.write(async (tx) => tx.workers.heard((await getTeam(tx, name)).key, worker))
}
