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
  nameEscalation,
  type Option,
  optionsFor,
  type Trigger,
  toEscalation,
} from "../escalation.ts"

export interface Raise {
  readonly trigger: Trigger
  /** What the matter is, for whoever decides. */
  readonly summary: string
  /** As it is now, paused or failed; null when the team as a whole is paused. */
  readonly task: Task | null
  readonly by: string
  /** What is known of the matter, where the caller knows better than a look at the store. */
  readonly context?: EscalationContext
  /** What may be decided, where that does not follow from the trigger. */
  readonly options?: readonly Option[]
  /** What settles it besides a decision, where something does. */
  readonly about?: string
}

/**
 * Asks a person to decide, with all that is known of the matter; the team must be locked. What it is about is paused by
 * the caller. The same matter is asked about once: while it is open, asking again adds nothing.
 */
export async function raiseEscalation(
  tx: Tx,
  team: StoredTeam,
  raised: Raise,
): Promise<Escalation & { isNew: boolean }> {
  const { trigger, summary, task, by } = raised
  const known = (await tx.records.list(team.key, { kind: "escalation", status: "open" }))
    .map(toEscalation)
    .find((each) => each.trigger === trigger && each.taskId === (task?.id ?? null) && isSame(each, raised))
  if (known !== undefined) return { ...known, isNew: false }
  const context = raised.context ?? (await describeMatter(tx, team, task))
  const data = {
    ...{ trigger, summary, options: raised.options ?? optionsFor(trigger, task), context },
    ...(raised.about === undefined ? {} : { about: raised.about }),
  }
  const about = { kind: "escalation", taskId: task?.id ?? null, attempt: task?.attempt ?? null } as const
  const added = await addRecord(
    tx,
    team,
    { ...about, status: "open", data, by },
    `${trigger}: ${clip(firstLine(summary))}`,
  )
  return { ...toEscalation(added), isNew: true }
}

/** Questions about different programs, or about a review, are questions of their own. */
function isSame(known: Escalation, { about }: Raise): boolean {
  const isOfReview = (known.about === ABOUT_REVIEW) === (about === ABOUT_REVIEW)
  return isOfReview && agentOf(known) === agentOf({ about: about ?? null })
}

/** `ESCALATION 3 (budget, task 2): ...; teamwork decide 3 retry|skip` */
export function describeEscalation(escalation: Escalation): string {
  const way = `teamwork decide ${escalation.number} ${escalation.options.join("|")}`
  return `${nameEscalation(escalation).replace("escalation", "ESCALATION")}: ${escalation.summary}; decide with: ${way}`
}

const MAX_ERRORS = 5
const MAX_ERROR_LENGTH = 4000

/** The last word is what happens in this transaction, which a store need not show in its events before the end of it. */
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

/** What is further back than this says nothing of now. */
const LATEST_EVENTS = 1000

async function readLatest<T extends EventType>(tx: Tx, key: number, task: TaskId, type: T): Promise<EventOf<T>[]> {
  const after = await tx.events.tailCursor(key, { count: LATEST_EVENTS, type, task })
  return ofType((await tx.events.list(key, { after, type, task, limit: LATEST_EVENTS })).events, type)
}

function clip(text: string): string {
  return text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH - 1)}…` : text
}
