import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { ofType } from "../../kernel/events.ts"
import type { RecordKind } from "../../kernel/record.ts"
import { describeTeam, type Team } from "../../kernel/team.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { addRecord } from "../../store/records.ts"
import { isHeld } from "../../tasks/task.ts"
import { type RunStanding, standingOf } from "../run-standing.ts"
import { findLeader } from "./lead-team.ts"

export async function readStanding(tx: Tx, team: StoredTeam): Promise<RunStanding> {
  const { key, phase, status } = team
  const isLed = (await findLeader(tx, key)) !== undefined
  return standingOf({ phase, status, isLed, leftBecause: await whyLeft(tx, key), tasks: await tx.tasks.list(key) })
}

/** A leader that left without an event was killed. */
async function whyLeft(tx: Tx, key: number): Promise<string | null> {
  const led = ofType(await newest(tx, key, "team.led"), "team.led").at(-1)
  const left = ofType(await newest(tx, key, "team.left"), "team.left").at(-1)
  if (led === undefined) return null
  return left === undefined || left.data.token < led.data.token ? "lost" : left.data.reason
}

async function newest(tx: Tx, key: number, type: "team.led" | "team.left") {
  const after = await tx.events.tailCursor(key, { count: 1, type })
  return (await tx.events.list(key, { after, type, limit: 1 })).events
}

type NewRun = Pick<Team, "goal" | "mode" | "schedule" | "protocol" | "hasQa">

/**
 * Closes the current run, which stays readable. Copies knowledge and feedback to the whole team; tasks, messages,
 * evidence, verdicts and questions stay with their run. The team must be locked.
 */
export async function startRun(tx: Tx, before: StoredTeam, settings: NewRun): Promise<StoredTeam> {
  await assertIdle(tx, before)
  await tx.events.append(before.key, PERSON, { type: "team.closed", data: { next: before.run + 1 } })
  const team = await tx.teams.startRun(before, settings)
  await tx.events.append(team.key, PERSON, { type: "team.created", data: { goal: team.goal } })
  await carryRecords(tx, before, team)
  return team
}

/** Useful in every run: an exploration is valid as long as its files are unchanged. */
const CARRIED: readonly RecordKind[] = ["wisdom", "exploration", "feedback"]

async function carryRecords(tx: Tx, from: StoredTeam, to: StoredTeam): Promise<void> {
  for (const kind of CARRIED) {
    for (const { taskId, status, data, by } of await tx.records.list(from.key, { kind })) {
      if (status === "removed" || (kind === "feedback" && taskId !== null)) continue
      await addRecord(tx, to, { kind, taskId: null, attempt: null, status, data, by }, `from run ${from.run}`)
    }
  }
}

async function assertIdle(tx: Tx, team: StoredTeam): Promise<void> {
  const leader = await findLeader(tx, team.key)
  if (leader !== undefined) throw busy(team, `a teamwork run leads it (${leader.holder})`)
  const now = await tx.now()
  const held = (await tx.tasks.list(team.key)).filter(
    ({ status, leaseUntil }) => isHeld(status) && leaseUntil !== null && Date.parse(leaseUntil) > now,
  )
  if (held.length === 0) return
  const some = held.slice(0, 5).map((task) => `${task.id} by ${task.claimedBy}`)
  throw busy(
    team,
    `${held.length === 1 ? "a task is" : `${held.length} tasks are`} being worked on (${some.join(", ")})`,
  )
}

function busy(team: StoredTeam, why: string): AppError {
  return new AppError(
    "team.busy",
    `run ${team.run} of ${describeTeam(team)} cannot be closed: ${why}`,
    { run: team.run },
    { remedy: { operation: "cancel", to: "stop it first with" } },
  )
}
