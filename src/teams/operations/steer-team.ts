import { ENGINE, PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import { describeTeam, type TeamName } from "../../kernel/team.ts"
import { LEAD } from "../../messages/message.ts"
import { type Option, type Trigger, toEscalation } from "../../requests/escalation.ts"
import { withdrawEscalation } from "../../requests/operations/escalation-holds.ts"
import { raiseEscalation } from "../../requests/operations/raise-escalation.ts"
import type { Context } from "../../store/operation.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"

interface PauseReason {
  readonly trigger: Trigger
  readonly reason: string
  /** Absent when the trigger decides them. */
  readonly options?: readonly Option[]
  readonly about?: string
}

/** Pauses the team and asks a person how to continue; the lead gets the reason as a message. */
export async function pauseByEngine(
  { store, ids }: Context,
  name: TeamName,
  { trigger, reason, options, about }: PauseReason,
): Promise<void> {
  await store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    if (team.status !== "active" && team.status !== "completed") return
    // In a completed team only the delivery waits for the answer.
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

/** A new budget answers the open question about the old one. */
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

/** State and commits stay. */
export async function cancelTeam({ store }: Context, name: TeamName, reason: string): Promise<void> {
  await store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    if (team.status === "cancelled") return
    if (team.status === "completed")
      throw new AppError("team.busy", `project ${describeTeam(name)} is completed; there is nothing to cancel`)
    await tx.teams.update(team.key, { status: "cancelled", pauseReason: null })
    const data = { from: team.status, to: "cancelled", reason } as const
    await tx.events.append(team.key, PERSON, { type: "team.status_changed", data })
  })
}

/** A new run makes a cancelled or failed team active again. */
export async function reviveTeam({ store }: Context, name: TeamName): Promise<void> {
  await store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    if (team.status !== "cancelled" && team.status !== "failed") return
    await tx.teams.update(team.key, { status: "active", pauseReason: null })
    const data = { from: team.status, to: "active", reason: null } as const
    await tx.events.append(team.key, PERSON, { type: "team.status_changed", data })
  })
}
