import type { TaskId } from "../kernel/ids.ts"
import type { TeamRecord } from "../kernel/record.ts"
import type { SetbackKind } from "../tasks/retry.ts"
import { isHeld, type Task } from "../tasks/task.ts"

/** Why nobody but a person can say how it goes on. */
export const TRIGGERS = [
  ...(["tool_unavailable", "rate_limited", "permission_denied", "dependency_missing", "requirement_unclear"] as const),
  ...(["technical_limitation", "scope_change", "disagreement", "repeated_failure", "budget"] as const),
] as const
export type Trigger = (typeof TRIGGERS)[number]

/** `withdrawn`: what it was about was settled in another way. */
export const ESCALATION_STATUSES = ["open", "decided", "withdrawn"] as const
export type EscalationStatus = (typeof ESCALATION_STATUSES)[number]

/** What can be decided, and what follows from it. */
export const OPTIONS = {
  "go-on": "nothing is in the way any more: the team goes on, the task goes on from where it was",
  retry: "the task is tried again by whoever takes it, and reads the note; of findings: they are fixed once more",
  reassign: "the task is tried again by the agent program named with --agent",
  skip: "the task is left out, and what waits for it goes on",
  fail: "the task is given up",
  waive: "the open findings are accepted as they are, with the note as the reason",
  pause: "it stays paused until somebody runs teamwork resume",
} as const satisfies Record<string, string>
export type Option = keyof typeof OPTIONS
export const OPTION_NAMES = Object.keys(OPTIONS) as readonly Option[]

/** The matter of an escalation about a review; once that is decided, the review is asked for again. */
export const ABOUT_REVIEW = "review"

/** What a person is asked about findings that fixes did not get rid of. */
export const FINDING_OPTIONS: readonly Option[] = ["retry", "waive", "pause"]

/** How far it was, what went wrong, and how often it was tried. */
export interface EscalationContext {
  readonly progress: readonly string[]
  /** The latest last. */
  readonly errors: readonly string[]
  readonly attempts: number
  /** In the present attempt. */
  readonly setbacks: number
}

/** A question that waits for a person, and the decision. Until then what it is about stays as it is. */
export interface Escalation {
  readonly number: number
  readonly trigger: Trigger
  /** Null when it is about the team as a whole. */
  readonly taskId: TaskId | null
  readonly attempt: number | null
  readonly summary: string
  /** What settles it besides a decision, such as `agent codex`; null where nothing does. */
  readonly about: string | null
  readonly context: EscalationContext
  /** What may be decided. */
  readonly options: readonly Option[]
  readonly status: EscalationStatus
  readonly raisedBy: string
  readonly raisedAt: string
  readonly decision: Option | null
  /** The agent program that a reassigned task is for. */
  readonly agent: string | null
  readonly note: string | null
  readonly decidedBy: string | null
  readonly decidedAt: string | null
}

/** For these another agent would ask the same. */
const ABOUT_THE_TASK: readonly Trigger[] = ["requirement_unclear", "scope_change"]
/** In these there may be nothing to do over. */
const MAY_STAND: readonly Trigger[] = ["rate_limited", "disagreement"]

export function optionsFor(trigger: Trigger, task: Pick<Task, "status" | "pausedFrom"> | null): Option[] {
  if (task === null) return ["go-on", "pause"]
  const { status, pausedFrom } = task
  const isBegun = status === "failed" || isHeld(status === "paused" && pausedFrom !== null ? pausedFrom : status)
  return OPTION_NAMES.filter((option) => {
    if (option === "waive") return false
    if (option === "go-on") return MAY_STAND.includes(trigger) && status !== "failed"
    if (option === "reassign") return !ABOUT_THE_TASK.includes(trigger)
    // What nobody has begun cannot have failed.
    if (option === "fail") return isBegun
    return option !== "pause" || status !== "failed"
  })
}

/** What the setback that a task could not get over is to a person. */
export const TRIGGER_OF: Readonly<Record<SetbackKind, Trigger>> = {
  ...{
    gate: "repeated_failure",
    qa: "repeated_failure",
    crashed: "repeated_failure",
    protocol: "repeated_failure",
    lost: "repeated_failure",
  },
  ...{ "timed-out": "repeated_failure", "turn-limit": "repeated_failure", interrupted: "repeated_failure" },
  ...{ hung: "repeated_failure", looping: "repeated_failure" },
  ...{ refused: "technical_limitation", "context-overflow": "technical_limitation" },
  "agent-failed": "technical_limitation",
  ...{ workspace: "tool_unavailable", "not-found": "tool_unavailable", "unknown-model": "tool_unavailable" },
  ...{ overloaded: "tool_unavailable", unreachable: "tool_unavailable", "left-out": "tool_unavailable" },
  permission: "permission_denied",
  ...{ auth: "permission_denied", "rate-limited": "rate_limited", budget: "budget" },
}

export function toEscalation({ number, taskId, attempt, status, data, by, createdAt }: TeamRecord): Escalation {
  const text = (key: string) => (typeof data[key] === "string" ? data[key] : null)
  const context = (typeof data.context === "object" ? data.context : null) as Partial<EscalationContext> | null
  return {
    ...{ number, taskId, attempt },
    trigger: (text("trigger") ?? "technical_limitation") as Trigger,
    ...{ summary: text("summary") ?? "", about: text("about") },
    context: { progress: [], errors: [], attempts: 0, setbacks: 0, ...context },
    options: Array.isArray(data.options) ? (data.options as Option[]) : [],
    status: status as EscalationStatus,
    raisedBy: by,
    raisedAt: createdAt,
    decision: text("decision") as Option | null,
    ...{ agent: text("agent"), note: text("note"), decidedBy: text("decidedBy"), decidedAt: text("decidedAt") },
  }
}

/** The matter of a program that is left out. The team is not paused for it: tasks of other programs go on. */
export function aboutAgent(agent: string): string {
  return `agent ${agent}`
}

/** The program that an escalation is about; undefined for all others. */
export function agentOf({ about }: Pick<Escalation, "about">): string | undefined {
  return about?.startsWith("agent ") === true ? about.slice("agent ".length) : undefined
}

/** `escalation 3 (budget, task 2)` */
export function nameEscalation({ number, trigger, taskId }: Pick<Escalation, "number" | "trigger" | "taskId">): string {
  return `escalation ${number} (${trigger}, ${taskId === null ? "the team" : `task ${taskId}`})`
}

/** In characters. */
export const MAX_SUMMARY = 5000

/** Disagreements about a task are settled between the two, that often. */
export const MAX_ROUNDS = 2
