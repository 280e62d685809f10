import type { AgentResult } from "../../agents/port.ts"
import { AppError } from "../../kernel/errors.ts"
import { reportGap } from "../../planning/operations/role-gap.ts"
import { findGap } from "../../planning/roles/role-spec.ts"
import type { Hold } from "./hold-claim.ts"
import type { Shift } from "./shift.ts"

/**
 * An agent that says it lacks a capability is answered with a role that has it; its task is given back until that is done,
 * and so lost to this worker. Where nothing more comes of it the work is judged as it is.
 */
export async function answerGap({ ports, team, worker }: Shift, hold: Hold, { answer }: AgentResult): Promise<void> {
  const { task, token } = hold
  const capability = findGap(task.id, answer)
  if (capability === undefined) return
  const gap = await reportGap.run(ports.context, {
    ...{ ...team, task: task.id, capability, owner: worker, token },
  })
  ports.say(`Task ${task.id} lacks a capability (${capability}): ${gap.why}`)
  if (gap.task !== null) throw new AppError("claim.lost", `task ${task.id} waits for ${gap.task}`)
}
