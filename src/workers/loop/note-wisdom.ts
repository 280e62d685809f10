import type { AgentResult } from "../../agents/port.ts"
import { addWisdom } from "../../knowledge/operations/keep-wisdom.ts"
import { wisdomIn } from "../../knowledge/wisdom.ts"
import type { Hold } from "./hold-claim.ts"
import type { Shift } from "./shift.ts"

/** What the agent wants others to know. The same again is only counted, so a repeat does no harm. */
export async function noteWisdom(
  { ports, team, worker }: Shift,
  { task }: Pick<Hold, "task">,
  { answer }: AgentResult,
): Promise<void> {
  for (const { kind, text } of wisdomIn(ports.mask(answer)))
    await addWisdom.run(ports.context, { ...team, kind, text, task: task.id, by: worker })
}
