import type { TaskId } from "../kernel/ids.ts"

export const MESSAGE_TYPES = ["text", "idle_notification", "shutdown_request", "shutdown_response"] as const
export type MessageType = (typeof MESSAGE_TYPES)[number]

export const LEAD = "orchestrator"
const LEAD_ALIASES = ["lead", "team-lead", "coordinator"]

/** Every worker, as a recipient. Only the lead may use it. */
export const EVERYBODY = "all"

export interface Message {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly type: MessageType
  readonly payload: Record<string, unknown>
  readonly timestamp: string
  readonly deliveredAt: string | null
  readonly read: boolean
}

export interface IdleNotification {
  readonly worker_id: string
  readonly completed_task_id?: TaskId
  readonly completed_status?: string
  readonly failure_reason?: string
}

export function idleMessage({ id, payload }: { readonly id: string; readonly payload: IdleNotification }) {
  return { id, from: payload.worker_id, to: LEAD, type: "idle_notification", payload } as const
}

/** A worker must not read the lead's messages or write in its name. */
export function problemWithWorkerName(name: string): string | undefined {
  const isFree = inboxName(name) !== LEAD && name !== EVERYBODY
  return isFree ? undefined : `"${name}" cannot be the name of a worker: it stands for the lead or for all workers`
}

export function inboxName(name: string): string {
  return LEAD_ALIASES.includes(name) ? LEAD : name
}
