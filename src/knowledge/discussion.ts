import * as v from "valibot"
import { readRecord, type TeamRecord } from "../kernel/record.ts"

export const OUTCOMES = ["consensus_reached", "consensus_blocked"] as const
export const DISCUSSION_STATUSES = ["open", ...OUTCOMES] as const
export type DiscussionStatus = (typeof DISCUSSION_STATUSES)[number]

/** Of a question without consensus. */
export const SEVERITIES = ["high", "medium", "low"] as const

const Statement = v.object({
  /** From 1. A participant who speaks again begins the next round. */
  round: v.number(),
  by: v.string(),
  text: v.string(),
  at: v.string(),
})
export type Statement = Readonly<v.InferOutput<typeof Statement>>

const orNull = v.fallback(v.nullable(v.string()), null)

const DiscussionData = v.object({
  topic: v.fallback(v.string(), ""),
  severity: v.fallback(v.nullable(v.picklist(SEVERITIES)), null),
  statements: v.fallback(v.array(Statement), []),
  conclusion: orNull,
  closedBy: orNull,
  closedAt: orNull,
})

export type Discussion = Readonly<v.InferOutput<typeof DiscussionData>> &
  Pick<TeamRecord, "number" | "taskId"> & {
    readonly status: DiscussionStatus
    /** 0 before the first statement. */
    readonly rounds: number
    readonly openedBy: string
    readonly openedAt: string
  }

export function toDiscussion(record: TeamRecord): Discussion {
  const { number, taskId, by: openedBy, createdAt: openedAt } = record
  const data = readRecord(DiscussionData, record)
  const status = DISCUSSION_STATUSES.find((each) => each === record.status) ?? "open"
  return { number, taskId, status, rounds: data.statements.at(-1)?.round ?? 0, openedBy, openedAt, ...data }
}

/** For a new statement. */
export function roundOf({ rounds, statements }: Pick<Discussion, "rounds" | "statements">, by: string): number {
  const hasSpoken = statements.some((each) => each.round === rounds && each.by === by)
  return hasSpoken ? rounds + 1 : Math.max(rounds, 1)
}

/** 0 once there is consensus. */
export function roundsWithoutConsensus({ status, rounds }: Pick<Discussion, "status" | "rounds">): number {
  return status === "consensus_reached" ? 0 : rounds
}
