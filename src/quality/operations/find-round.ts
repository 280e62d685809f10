import type { TeamRecord } from "../../kernel/record.ts"
import type { Tx } from "../../store/port.ts"
import type { Task } from "../../tasks/task.ts"

/** The latest round of this attempt. */
export async function findRound(tx: Tx, key: number, task: Task): Promise<TeamRecord | undefined> {
  const rounds = await tx.records.list(key, { kind: "quality", taskId: task.id })
  return rounds.findLast((round) => round.attempt === task.attempt)
}
