import { ENGINE, PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import { describeTeam, type TeamName, type TeamStatus } from "../../kernel/team.ts"
import { LEAD } from "../../messages/message.ts"
import { type Option, type Trigger, toEscalation } from "../../requests/escalation.ts"
import { withdrawEscalation } from "../../requests/operations/escalation-holds.ts"
import { raiseEscalation } from "../../requests/operations/raise-escalation.ts"
import type { Context } from "../../store/operation.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"

interface PauseReason {
  readonly trigger: Trigger
  readonly reason: string
  /** What a person may decide, where that does not follow from the trigger. */
  readonly options?: readonly Option[]
  readonly about?: string
}

/** The engine stops giving out tasks, and tells the lead why: a person has to decide how it goes on. */
export async function pauseByEngine(
  { store, ids }: Context,
  name: TeamName,
  { trigger, reason, options, about }: PauseReason,
): Promise<void> {
  await store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    if (team.status !== "active" && team.status !== "completed") return
    // Of a team that has done everything, only the delivery waits for the answer.
    if (team.status === "active") {
      await tx.teams.update(team.key, { status: "paused", pauseReason: reason })
      await tx.events.append(team.key, ENGINE, { type: "team.paused", data: { reason, trigger } })
    }
    const summary = trigger === "budget" ? `${reason}. ${AFTER_BUDGET}` : reason
    const more = { ...(options && { options }), ...(about && { about }) }
    const { isNew } = await raiseEscalation(tx, team, { trigger, summary, task: null, by: ENGINE, ...more })
    if (!isNew) return
    const message = `ALERT: the team ${team.status === "active" ? "is paused" : "waits"}: ${reason}`
    await tx.messages.send(team.key, ENGINE, {
      id: ids.uuid(),
      from: ENGINE,
      to: LEAD,
      type: "text",
      payload: { message },
    })
  })
}

const AFTER_BUDGET =
  "go-on lets the team use up the same amount once more; teamwork run --resume --budget AMOUNT sets another one"

/** A run that was given another budget need not wait for an answer about the old one. */
export async function resumeAfterBudget({ store }: Context, name: TeamName): Promise<void> {
  await store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    const open = await tx.records.list(team.key, { kind: "escalation", status: "open" })
    const [ours, others] = [open.filter(isAboutBudget), open.filter((record) => !isAboutBudget(record))]
    for (const record of ours) await withdrawEscalation(tx, team, { record, by: PERSON })
    if (ours.length === 0 || team.status !== "paused" || others.some(({ taskId }) => taskId === null)) return
    await tx.teams.update(team.key, { status: "active", pauseReason: null })
    await tx.events.append(team.key, PERSON, { type: "team.resumed", data: {} })
  })
}

function isAboutBudget(record: TeamRecord): boolean {
  return record.taskId === null && toEscalation(record).trigger === "budget"
}

/** Keeps state and commits; nobody gets a task any more. */
export async function cancelTeam({ store }: Context, name: TeamName, reason: string): Promise<TeamStatus> {
  return changeStatus({ store }, name, "cancelled", reason)
}

/** Whoever runs a team that was cancelled or had failed wants it to go on. */
export async function reviveTeam({ store }: Context, name: TeamName): Promise<void> {
  await store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    if (team.status !== "cancelled" && team.status !== "failed") return
    await tx.teams.update(team.key, { status: "active", pauseReason: null })
    const data = { from: team.status, to: "active", reason: null } as const
    await tx.events.append(team.key, PERSON, { type: "team.status_changed", data })
  })
}

async function changeStatus(
  { store }: Pick<Context, "store">,
  name: TeamName,
  to: TeamStatus,
  reason: string,
): Promise<TeamStatus> {
  return store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    if (team.status === to) return to
    if (team.status === "completed")
      throw new AppError("team.busy", `project ${describeTeam(name)} is completed; there is nothing to cancel`)
    await tx.teams.update(team.key, { status: to, pauseReason: null })
    await tx.events.append(team.key, PERSON, { type: "team.status_changed", data: { from: team.status, to, reason } })
    return team.status
  })
}
