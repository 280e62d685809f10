import { ofType } from "../../kernel/events.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { moveTask } from "../../tasks/operations/task-moves.ts"
import type { Task } from "../../tasks/task.ts"
import { type Escalation, MAX_ROUNDS } from "../escalation.ts"
import { raiseEscalation } from "./raise-escalation.ts"

interface Disagreement {
  readonly task: Task
  /** Such as a reviewer and the worker. */
  readonly between: readonly [string, string]
  readonly about: string
}

interface Round {
  readonly round: number
  /** Paused after the last round. */
  readonly task: Task
  readonly escalation: Escalation | null
}

/**
 * After two rounds the task is paused and a person decides; then the count starts again. Team and task must be
 * locked.
 */
export async function noteDisagreement(tx: Tx, team: StoredTeam, disagreement: Disagreement): Promise<Round> {
  const { task, between, about } = disagreement
  const [by] = between
  const parties = [...between].sort()
  const before = await countRounds(tx, team, task, parties)
  const round = before > MAX_ROUNDS ? 1 : before + 1
  await tx.events.append(team.key, by, {
    type: "task.disagreed",
    data: { task: task.id, attempt: task.attempt, between: parties, about, round },
  })
  if (round <= MAX_ROUNDS) return { round, task, escalation: null }
  return { round, ...(await endDispute(tx, team, { task, by, parties, about })) }
}

interface Dispute extends Pick<Disagreement, "task" | "about"> {
  readonly by: string
  readonly parties: readonly string[]
}

export async function endDispute(tx: Tx, team: StoredTeam, { task, by, parties, about }: Dispute) {
  const summary = `${parties.join(" and ")} do not agree after ${MAX_ROUNDS} rounds: ${about}`
  const paused =
    task.status === "paused"
      ? task
      : await moveTask(tx, team, { task, to: "paused", by, reason: `disagreement: ${about}` })
  const escalation = await raiseEscalation(tx, team, { trigger: "disagreement", summary, task: paused, by })
  return { task: paused, escalation }
}

async function countRounds(tx: Tx, team: StoredTeam, task: Task, parties: readonly string[]): Promise<number> {
  const { events } = await tx.events.list(team.key, { type: "task.disagreed", task: task.id, limit: 1_000_000 })
  const last = ofType(events, "task.disagreed").findLast(
    ({ data }) => data.attempt === task.attempt && data.between.join("\n") === parties.join("\n"),
  )
  return last?.data.round ?? 0
}
