import type { TaskId } from "../kernel/ids.ts"
import type { TeamRecord } from "../kernel/record.ts"

export const DISCUSSION_STATUSES = ["open", "consensus_reached", "consensus_blocked"] as const
export type DiscussionStatus = (typeof DISCUSSION_STATUSES)[number]

/** What a discussion can end in. */
export const OUTCOMES = ["consensus_reached", "consensus_blocked"] as const satisfies readonly DiscussionStatus[]

/** How much depends on it that there is no consensus. */
export const SEVERITIES = ["high", "medium", "low"] as const
export type Severity = (typeof SEVERITIES)[number]

export interface Statement {
  /** From 1: whoever speaks again begins the next round. */
  readonly round: number
  readonly by: string
  readonly text: string
  readonly at: string
}

export interface Discussion {
  readonly number: number
  readonly topic: string
  readonly taskId: TaskId | null
  readonly status: DiscussionStatus
  readonly severity: Severity | null
  /** 0 while nobody has said anything. */
  readonly rounds: number
  readonly statements: readonly Statement[]
  readonly conclusion: string | null
  readonly openedBy: string
  readonly openedAt: string
  readonly closedBy: string | null
  readonly closedAt: string | null
}

export function toDiscussion({ number, taskId, status, data, by, createdAt }: TeamRecord): Discussion {
  const text = (key: string) => (typeof data[key] === "string" ? data[key] : null)
  const statements = Array.isArray(data.statements) ? (data.statements as readonly Statement[]) : []
  return {
    ...{ number, taskId, statements },
    topic: text("topic") ?? "",
    status: DISCUSSION_STATUSES.find((each) => each === status) ?? "open",
    severity: SEVERITIES.find((each) => each === data.severity) ?? null,
    rounds: statements.at(-1)?.round ?? 0,
    conclusion: text("conclusion"),
    openedBy: by,
    openedAt: createdAt,
    closedBy: text("closedBy"),
    closedAt: text("closedAt"),
  }
}

/** The round that a statement of somebody belongs to. */
export function roundOf({ rounds, statements }: Pick<Discussion, "rounds" | "statements">, by: string): number {
  const hasSpoken = statements.some((each) => each.round === rounds && each.by === by)
  return hasSpoken ? rounds + 1 : Math.max(rounds, 1)
}

/** How many rounds a team has argued for without coming to a consensus; 0 once there is one. */
export function roundsWithoutConsensus({ status, rounds }: Pick<Discussion, "status" | "rounds">): number {
  return status === "consensus_reached" ? 0 : rounds
}
