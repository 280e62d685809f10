import { type EventOf, type EventType, ofType } from "../../kernel/events.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { firstLine } from "../../lib/text/last-lines.ts"
import { countTasks } from "../../reporting/status.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { addRecord } from "../../store/records.ts"
import type { Task } from "../../tasks/task.ts"
import {
  ABOUT_REVIEW,
  agentOf,
  type Escalation,
  type EscalationContext,
  type Option,
  optionsFor,
  type Trigger,
  toEscalation,
} from "../escalation.ts"

interface Raise {
  readonly trigger: Trigger
  readonly summary: string
  /** Paused or failed; null if the team is paused. */
  readonly task: Task | null
  readonly by: string
  readonly context?: EscalationContext
  readonly options?: readonly Option[]
  /** Settles it without a decision. */
  readonly about?: string
}

/**
 * Asks a person, with everything known about the problem. The caller pauses the task or team. An open question is
 * not raised twice. The team must be locked.
 */
export async function raiseEscalation(
  tx: Tx,
  team: StoredTeam,
  raised: Raise,
): Promise<Escalation & { isNew: boolean }> {
  const { trigger, summary, task, by, about } = raised
  const taskId = task?.id ?? null
  const known = (await tx.records.list(team.key, { kind: "escalation", status: "open" }))
    .map(toEscalation)
    .find((each) => each.trigger === trigger && each.taskId === taskId && isSameMatter(each.about, about ?? null))
  if (known !== undefined) return { ...known, isNew: false }
  const context = raised.context ?? (await describeMatter(tx, team, task))
  const options = raised.options ?? optionsFor(trigger, task)
  const data = { trigger, summary, options, context, ...(about !== undefined && { about }) }
  const record = { kind: "escalation", taskId, attempt: task?.attempt ?? null, status: "open", data, by } as const
  const added = await addRecord(tx, team, record, `${trigger}: ${clip(firstLine(summary))}`)
  return { ...toEscalation(added), isNew: true }
}

/** Each agent program, and a review, has its own question. */
function isSameMatter(one: string | null, other: string | null): boolean {
  const isOfReview = (one === ABOUT_REVIEW) === (other === ABOUT_REVIEW)
  return isOfReview && agentOf({ about: one }) === agentOf({ about: other })
}

const MAX_ERRORS = 5
const MAX_ERROR_LENGTH = 4000

/** `last`: errors of this transaction, which events show only after the commit. */
export async function describeMatter(
  tx: Tx,
  team: StoredTeam,
  task: Task | null,
  last: readonly string[] = [],
): Promise<EscalationContext> {
  if (task === null) return describeTeam(tx, team)
  const isNow = ({ data }: EventOf<"task.setback" | "task.step">) => data.attempt === task.attempt
  const setbacks = (await readLatest(tx, team.key, task.id, "task.setback")).filter(isNow)
  const step = (await readLatest(tx, team.key, task.id, "task.step")).findLast(isNow)
  const evidence = (await tx.evidence.list(team.key, task.id)).filter(
    (entry) => entry.attempt === task.attempt && entry.withdrawnAt === null,
  )
  const errors = [...setbacks.map(({ data }) => `${data.kind}: ${data.reason}`), ...last]
  return {
    progress: [
      `attempt ${task.attempt}, set back ${errors.length === 1 ? "once" : `${errors.length} times`}`,
      ...(step === undefined ? [] : [`last step: ${step.data.step} (${step.data.worker})`]),
      ...(evidence.length === 0 ? [] : [`evidence: ${evidence.length}`]),
    ],
    errors: errors.slice(-MAX_ERRORS).map(clip),
    attempts: task.attempt,
    setbacks: errors.length,
  }
}

async function describeTeam(tx: Tx, team: StoredTeam): Promise<EscalationContext> {
  const stats = countTasks(await tx.tasks.progress(team.key))
  const progress = [`${stats.resolved + stats.skipped} of ${stats.total} tasks are done, ${stats.failed} failed`]
  return { progress, errors: [], attempts: 0, setbacks: 0 }
}

const LATEST_EVENTS = 1000

async function readLatest<T extends EventType>(tx: Tx, key: number, task: TaskId, type: T): Promise<EventOf<T>[]> {
  const after = await tx.events.tailCursor(key, { count: LATEST_EVENTS, type, task })
  return ofType((await tx.events.list(key, { after, type, task, limit: LATEST_EVENTS })).events, type)
}

function clip(text: string): string {
  return text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH - 1)}…` : text
}
