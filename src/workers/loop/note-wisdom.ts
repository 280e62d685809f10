import { addWisdom } from "../../knowledge/operations/keep-wisdom.ts"
import type { ClosingBlock } from "../../tasks/closing-block.ts"
import type { Hold } from "./hold-claim.ts"
import type { Shift } from "./shift.ts"

/** What the agent wants others to know. The same again is only counted, so a repeat does no harm. */
export async function noteWisdom(
  { ports, team, worker }: Shift,
  { task }: Pick<Hold, "task">,
  { notes }: Pick<ClosingBlock, "notes">,
): Promise<void> {
  for (const { kind, text } of notes)
    await addWisdom.run(ports.context, { ...team, kind, text, task: task.id, by: worker })
}
