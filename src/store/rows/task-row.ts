import type { TaskId } from "../../kernel/ids.ts"
import { NO_WORK, type Task, type Work } from "../../tasks/task.ts"
import { computed, emptyIfNull, table, time, timeOrNull } from "./sql-table.ts"

/** The needs are in a table of their own; whoever reads a row adds them to it. */
export const TASK = table<Task>("task", {
  id: "id",
  title: "title",
  description: "description",
  role: "role",
  complexity: "complexity",
  status: "status",
  blockedBy: computed("needs"),
  wave: { name: "wave", read: (wave: number) => (wave === 0 ? null : wave), write: (wave: number | null) => wave ?? 0 },
  acceptance: list("acceptance"),
  checks: list("checks"),
  files: list("files"),
  agentType: "agent_type",
  assignee: emptyIfNull("assignee"),
  work: { name: "work", read: parseWork, write: formatWork },
  priority: "priority",
  pausedFrom: "paused_from",
  pauseReason: "pause_reason",
  unmet: "unmet",
  attempt: "attempt",
  result: "result",
  phase: emptyIfNull("protocol_phase"),
  qa: emptyIfNull("qa"),
  claimedBy: "claimed_by",
  claimedAt: timeOrNull("claimed_at"),
  claimToken: "claim_token",
  leaseUntil: timeOrNull("lease_until"),
  workerId: "worker_id",
  version: "version",
  createdAt: time("created_at"),
  updatedAt: time("updated_at"),
  completedAt: timeOrNull("completed_at"),
})

export function toTask(row: object, needs: readonly TaskId[]): Task {
  return TASK.read(Object.assign(row, { needs }))
}

function list(name: string) {
  return { name, read: parseList, write: (items: readonly string[]) => JSON.stringify(items) }
}

const EMPTY: readonly string[] = Object.freeze([])

/** Most lists are empty, and one empty list serves them all. */
export function parseList(text: string): readonly string[] {
  return text === "[]" ? EMPTY : JSON.parse(text)
}

/** Only what differs from the default, so that most tasks store `{}` and share one value. */
function formatWork(work: Work): string {
  if (work === NO_WORK) return "{}"
  const said = Object.entries(work).filter(([name, value]) => !Bun.deepEquals(value, NO_WORK[name as keyof Work]))
  return JSON.stringify(Object.fromEntries(said))
}

function parseWork(text: string): Work {
  return text === "{}" ? NO_WORK : { ...NO_WORK, ...JSON.parse(text) }
}
