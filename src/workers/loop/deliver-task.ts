import type { AgentResult } from "../../agents/port.ts"
import type { AsideResult } from "../../git/port.ts"
import { LEAD } from "../../messages/message.ts"
import { sendMessage } from "../../messages/operations/send-message.ts"
import { shorten } from "../../prompts/views/fit-sections.ts"
import type { ClosingBlock } from "../../tasks/closing-block.ts"
import { bringCommand } from "../../tasks/committed-work.ts"
import { nothingToDoResult } from "../../tasks/nothing-to-do.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { updateTask } from "../../tasks/operations/update-task.ts"
import { findOtherMergePlace } from "../operations/merge-place.ts"
import type { ClaimHandle } from "./claim-handle.ts"
import { recordWisdom } from "./record-turn.ts"

export interface Delivery {
  readonly result: Pick<AgentResult, "answer">
  readonly closing: ClosingBlock
  readonly delivered: AsideResult
  readonly agent: string
  readonly judged: { readonly commit?: string; readonly tree?: string }
  /** The agent's reason for changing nothing. */
  readonly nothingToDo: string | undefined
}

const MAX_ANSWER = 2000
const MOST_NAMED = 10

/** In an eager schedule the task waits to be merged instead, because others start from merged work. */
export async function deliver(claim: ClaimHandle, delivery: Delivery): Promise<void> {
  const { ports, team, worker, fence, task } = claim
  const { schedule } = await ports.context.store.read((tx) => getTeam(tx, team))
  const status = schedule === "eager" ? "in_review" : "resolved"
  const files = describeDelivery(delivery.delivered)
  const answer = ports.mask(shorten(delivery.result.answer.trim(), MAX_ANSWER))
  const nothing = delivery.nothingToDo ? nothingToDoResult(delivery.nothingToDo) : ""
  const result = [nothing, answer, `By ${delivery.agent}: ${files}.`].filter((part) => part !== "").join("\n\n")
  await recordWisdom(claim, delivery.closing)
  const update = { id: task.id, workerId: worker, status, result, ...delivery.judged } as const
  await updateTask.run(ports.context, { ...fence, ...update })
  const message = `Completed task #${task.id}: ${nothing === "" ? files : nothing}`
  await sendMessage.run(ports.context, { ...team, from: worker, to: LEAD, type: "text", message })
  ports.say(`${message}${status === "in_review" ? "; it waits to be merged" : ""}`)
  await sayOtherPlace(claim, delivery.delivered)
}

/** Work in a clone must be brought to the repository that merges. */
async function sayOtherPlace(claim: ClaimHandle, { base, head }: AsideResult): Promise<void> {
  const { ports, options, team, task, token } = claim
  const { place } = options
  const other = options.isManaged ? undefined : await findOtherMergePlace(ports.context, team, place)
  if (other === undefined || head === base) return
  const work = { taskId: task.id, attempt: task.attempt, token, base, commit: head, place }
  const there = { ...other, machine: place.machine, repository: null }
  ports.say(`Task ${task.id} counts once it is brought to ${other.folder}: ${bringCommand(team, work, there)}`)
}

/** Also names what was set aside, so that readers do not take it for delivered. */
export function describeDelivery({ kept, aside }: AsideResult): string {
  const left =
    aside === null || aside.changes.length === 0
      ? ""
      : `; NOT delivered, as it is not the task's: ${nameFiles(aside.changes)} (kept as ${aside.ref})`
  const count = new Set(kept.map((change) => change.path)).size
  if (count === 0) return `no file changed${left}`
  return `${count} ${count === 1 ? "file" : "files"} changed: ${nameFiles(kept)}${left}`
}

export function nameFiles(changes: readonly { readonly path: string }[]): string {
  const paths = [...new Set(changes.map((change) => change.path))]
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : ""
  return `${paths.slice(0, MOST_NAMED).join(", ")}${more}`
}
