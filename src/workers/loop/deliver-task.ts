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
import type { Task } from "../../tasks/task.ts"
import { findOtherMergePlace } from "../operations/merge-place.ts"
import type { Hold } from "./hold-claim.ts"
import { noteWisdom } from "./note-wisdom.ts"
import type { Shift } from "./shift.ts"

interface Delivery {
  readonly result: AgentResult
  readonly closing: ClosingBlock
  readonly delivered: AsideResult
  readonly agent: string
  /** What its gate judged, and QA where that is needed. */
  readonly judged: { readonly commit?: string; readonly tree?: string }
  /** Why nothing was changed, where the agent said so. */
  readonly nothingToDo: string | undefined
}

const MAX_ANSWER = 2000
const MOST_NAMED = 10

/** The task ends here, or waits to be merged where others start from what is merged. */
export async function deliver(shift: Shift, { task, token }: Hold, delivery: Delivery): Promise<void> {
  const { ports, team, worker } = shift
  const { schedule } = await ports.context.store.read((tx) => getTeam(tx, team))
  const status = schedule === "eager" ? "in_review" : "resolved"
  const files = describeDelivery(delivery.delivered)
  const answer = ports.mask(shorten(delivery.result.answer.trim(), MAX_ANSWER))
  const nothing = delivery.nothingToDo ? nothingToDoResult(delivery.nothingToDo) : ""
  const result = [nothing, answer, `By ${delivery.agent}: ${files}.`].filter((part) => part !== "").join("\n\n")
  await noteWisdom(shift, { task }, delivery.closing)
  const claim = { id: task.id, owner: worker, token }
  await updateTask.run(ports.context, { ...team, ...claim, workerId: worker, status, result, ...delivery.judged })
  const message = `Completed task #${task.id}: ${nothing === "" ? files : nothing}`
  await sendMessage.run(ports.context, { ...team, from: worker, to: LEAD, type: "text", message })
  ports.say(`${message}${status === "in_review" ? "; it waits to be merged" : ""}`)
  await tellOtherPlace(shift, { ...task, claimToken: token }, delivery.delivered)
}

/** Who works in a clone has to bring the work to where it is merged. */
async function tellOtherPlace({ ports, options, team }: Shift, task: Task, { base, head }: AsideResult): Promise<void> {
  const other = options.isManaged ? undefined : await findOtherMergePlace(ports.context, team, options.place)
  if (other === undefined || head === base) return
  const work = {
    taskId: task.id,
    attempt: task.attempt,
    token: task.claimToken,
    base,
    commit: head,
    place: options.place,
  }
  const there = { ...other, machine: options.place.machine, repository: null }
  ports.say(`Task ${task.id} counts once it was brought to ${other.folder}: ${bringCommand(team, work, there)}`)
}

/** Names what was set aside as well, so that readers of the result do not take it for delivered. */
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
