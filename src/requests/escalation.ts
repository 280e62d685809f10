import * as v from "valibot"
import type { TaskId } from "../kernel/ids.ts"
import { readRecord, type TeamRecord } from "../kernel/record.ts"
import { validItems } from "../lib/schema.ts"
import type { SetbackKind } from "../tasks/retry.ts"
import { isHeld, type Task } from "../tasks/task.ts"

/** Why only a person can decide how to continue. */
export const TRIGGERS = [
  "tool_unavailable",
  "rate_limited",
  "permission_denied",
  "dependency_missing",
  "requirement_unclear",
  "technical_limitation",
  "scope_change",
  "disagreement",
  "repeated_failure",
  "budget",
] as const
export type Trigger = (typeof TRIGGERS)[number]

/** `withdrawn`: settled without a decision. */
export const ESCALATION_STATUSES = ["open", "decided", "withdrawn"] as const

/** What can be decided, and what follows. */
export const OPTIONS = {
  "go-on": "the problem is solved: the team, or the task, continues where it was",
  retry: "any worker tries the task again and reads the note; findings are fixed once more",
  reassign: "the agent program named with --agent tries the task again",
  skip: "the task is skipped, and tasks that need it continue",
  fail: "the task fails",
  waive: "the open findings are accepted as they are, with the note as the reason",
  pause: "it stays paused until you run teamwork resume",
} as const satisfies Record<string, string>
export type Option = keyof typeof OPTIONS
export const OPTION_NAMES = Object.keys(OPTIONS) as readonly Option[]

/** `about` of a review, which is repeated after the decision. */
export const ABOUT_REVIEW = "review"

/** If several fixes did not solve the findings. */
export const FINDING_OPTIONS: readonly Option[] = ["retry", "waive", "pause"]

const EscalationContext = v.object({
  progress: validItems(v.string()),
  /** The latest last. */
  errors: validItems(v.string()),
  attempts: v.fallback(v.number(), 0),
  /** In this attempt. */
  setbacks: v.fallback(v.number(), 0),
})
export type EscalationContext = Readonly<v.InferOutput<typeof EscalationContext>>

const NO_CONTEXT = { progress: [], errors: [], attempts: 0, setbacks: 0 }

const text = v.nullish(v.string(), null)

const EscalationData = v.object({
  trigger: v.fallback(v.picklist(TRIGGERS), "technical_limitation"),
  summary: v.nullish(v.string(), ""),
  /** Settles it without a decision, such as `agent codex`. */
  about: text,
  context: v.fallback(EscalationContext, NO_CONTEXT),
  options: validItems(v.picklist(OPTION_NAMES)),
  decision: v.fallback(v.nullable(v.picklist(OPTION_NAMES)), null),
  /** Gets a reassigned task. */
  agent: text,
  note: text,
  decidedBy: text,
  decidedAt: text,
})

export interface Escalation extends Readonly<v.InferOutput<typeof EscalationData>> {
  readonly number: number
  /** Null: about the team. */
  readonly taskId: TaskId | null
  readonly attempt: number | null
  readonly status: (typeof ESCALATION_STATUSES)[number]
  readonly raisedBy: string
  readonly raisedAt: string
}

export function toEscalation(record: TeamRecord): Escalation {
  const { number, taskId, attempt, by: raisedBy, createdAt: raisedAt } = record
  const status = record.status as Escalation["status"]
  return { number, taskId, attempt, status, raisedBy, raisedAt, ...readRecord(EscalationData, record) }
}

export function optionsFor(trigger: Trigger, task: Pick<Task, "status" | "pausedFrom"> | null): Option[] {
  if (task === null) return ["go-on", "pause"]
  const { status, pausedFrom } = task
  const isBegun = status === "failed" || isHeld(status === "paused" && pausedFrom !== null ? pausedFrom : status)
  return OPTION_NAMES.filter((option) => {
    if (option === "waive") return false
    if (option === "go-on") return (trigger === "rate_limited" || trigger === "disagreement") && status !== "failed"
    // Another agent would ask the same question.
    if (option === "reassign") return trigger !== "requirement_unclear" && trigger !== "scope_change"
    if (option === "fail") return isBegun
    return option !== "pause" || status !== "failed"
  })
}

/** For a task that was paused after this kind of setback. */
export const TRIGGER_OF: Readonly<Record<SetbackKind, Trigger>> = {
  gate: "repeated_failure",
  qa: "repeated_failure",
  crashed: "repeated_failure",
  protocol: "repeated_failure",
  lost: "repeated_failure",
  "timed-out": "repeated_failure",
  "turn-limit": "repeated_failure",
  interrupted: "repeated_failure",
  hung: "repeated_failure",
  looping: "repeated_failure",
  refused: "technical_limitation",
  "context-overflow": "technical_limitation",
  "agent-failed": "technical_limitation",
  workspace: "tool_unavailable",
  "not-found": "tool_unavailable",
  "unknown-model": "tool_unavailable",
  overloaded: "tool_unavailable",
  unreachable: "tool_unavailable",
  "left-out": "tool_unavailable",
  permission: "permission_denied",
  auth: "permission_denied",
  "rate-limited": "rate_limited",
  budget: "budget",
}

/** For an excluded agent program. Such an escalation does not pause the team. */
export function aboutAgent(agent: string): string {
  return `agent ${agent}`
}

export function agentOf({ about }: Pick<Escalation, "about">): string | undefined {
  return about?.startsWith("agent ") === true ? about.slice("agent ".length) : undefined
}

/** `escalation 3 (budget, task 2)` */
export function nameEscalation({ number, trigger, taskId }: Pick<Escalation, "number" | "trigger" | "taskId">): string {
  return `escalation ${number} (${trigger}, ${taskId === null ? "the team" : `task ${taskId}`})`
}

export function wayToDecide({ number, options }: Pick<Escalation, "number" | "options">): string {
  return `teamwork decide ${number} ${options.join("|")}`
}

/** In characters. */
export const MAX_SUMMARY = 5000

/** After this many rounds of disagreement a person decides. */
export const MAX_ROUNDS = 2
