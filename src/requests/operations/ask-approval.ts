import type { TaskId } from "../../kernel/ids.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { addRecord, changeRecord } from "../../store/records.ts"
import type { Task } from "../../tasks/task.ts"
import { type Approval, nameApproval, toApproval } from "../approval.ts"

interface Question extends Pick<Approval, "scope" | "subject" | "question"> {
  readonly task: Task | null
  readonly by: string
}

/** An open question is not asked twice; other words about the same subject withdraw it. The team must be locked. */
export async function askApproval(tx: Tx, team: StoredTeam, asked: Question): Promise<Approval> {
  const { scope, subject, task, question, by } = asked
  const taskId = task?.id ?? null
  const attempt = task?.attempt ?? null
  for (const record of await tx.records.list(team.key, { kind: "approval", status: "pending", taskId })) {
    const old = toApproval(record)
    if (old.scope !== scope || old.subject !== subject) continue
    if (old.question === question && old.attempt === attempt) return old
    await withdrawApproval(tx, team, { record, by })
  }
  const data = { scope, subject, question }
  const record = { kind: "approval" as const, taskId, attempt, status: "pending", data, by }
  return toApproval(await addRecord(tx, team, record, scope === "agent-phase" ? "plan" : subject))
}

/** About a task that starts again, or about all tasks. */
export async function withdrawApprovals(
  tx: Tx,
  team: StoredTeam,
  { taskId, by }: { readonly taskId?: TaskId; readonly by: string },
): Promise<void> {
  for (const record of await tx.records.list(team.key, { kind: "approval", status: "pending", taskId }))
    if (record.taskId !== null) await withdrawApproval(tx, team, { record, by })
}

async function withdrawApproval(
  tx: Tx,
  team: StoredTeam,
  { record, by }: { readonly record: TeamRecord; readonly by: string },
): Promise<void> {
  const about = nameApproval(toApproval(record))
  await changeRecord(tx, team, { record, to: { status: "withdrawn" }, by, about })
}
