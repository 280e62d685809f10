import type { AgentResult } from "../../agents/port.ts"
import { AppError } from "../../kernel/errors.ts"
import { readAsked } from "../../requests/escalation.ts"
import { escalate } from "../../requests/operations/escalations.ts"
import type { Hold } from "./hold-claim.ts"
import type { Shift } from "./shift.ts"

/** An agent that ends with a question stops its task: what it did is kept, and nothing of it is judged or delivered. */
export async function heedQuestion({ ports, team, worker }: Shift, { task }: Hold, result: AgentResult): Promise<void> {
  const asked = readAsked(ports.mask(result.answer))
  if (asked === undefined) return
  const { number, trigger } = await escalate.run(ports.context, { ...team, ...asked, task: task.id, owner: worker })
  ports.say(`Task ${task.id} waits for a decision (${trigger}); see: teamwork escalations`)
  throw new AppError("claim.lost", `task ${task.id} waits for a decision on escalation ${number}`)
}
