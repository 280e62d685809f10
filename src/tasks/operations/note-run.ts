import type { EventData } from "../../kernel/events.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { type CommittedWork, GIVEN_UP } from "../committed-work.ts"
import type { Task } from "../task.ts"
import { assertHolds } from "./assert-holds.ts"
import { getTeam, lockTask } from "./lookup.ts"

/** In the data of these events `run` is the run of an agent; the run of the team is an argument of its own. */
type Whose = Omit<TeamName, "run">

/** One run of an agent begins: whoever counts money and time sees it from now on. */
export async function noteRunStarted(
  { store }: Context,
  { project, team, ...data }: Whose & EventData<"run.started">,
  teamRun?: number,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run: teamRun })
    await tx.events.append(key, data.worker, { type: "run.started", data })
  })
}

/** What it has used up so far. */
export async function noteRunProgress(
  { store }: Context,
  { project, team, ...data }: Whose & EventData<"run.progress">,
  teamRun?: number,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run: teamRun })
    await tx.events.append(key, data.worker, { type: "run.progress", data })
  })
}

export async function noteRunEnded(
  { store }: Context,
  { project, team, ...data }: Whose & EventData<"run.ended">,
  teamRun?: number,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run: teamRun })
    await tx.events.append(key, data.worker, { type: "run.ended", data })
  })
}

/** What a worker is about to deliver, and under which claim. */
export type Committed = Pick<CommittedWork, "token" | "base" | "commit" | "place">

/**
 * What a worker does with its task from now on. It is a sign of life too. What it committed is noted with the step, and
 * only by whoever holds the task: `claim.lost` otherwise.
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
    const { token, base, commit, place } = committed
    assertHolds(await lockTask(tx, key, data.task), data.worker, token)
    const work = { task: data.task, attempt: data.attempt, token, base, commit, ...place }
    await tx.events.append(key, data.worker, { type: "task.committed", data: work })
  })
}

/**
 * A worker lets go of a task that it holds no more. Where somebody resolved it meanwhile, under the same claim, what the
 * worker had committed is the work of that attempt.
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
    const { token, base, commit, place } = committed
    const work = { task: data.task, attempt: data.attempt, token, base, commit, ...place }
    await tx.events.append(key, data.worker, { type: "task.committed", data: work })
  })
}

function isDone(status: Task["status"]): boolean {
  return status === "resolved" || status === "in_review"
}

/** The agent of a worker did something. Not an event: it may come every few seconds. */
export async function noteActivity({ store }: Context, { worker, ...name }: TeamName & { readonly worker: WorkerId }) {
  await store.write(async (tx) => tx.workers.heard((await getTeam(tx, name)).key, worker))
}
