import { recordTaskFindings } from "../../quality/operations/task-findings.ts"
import type { ClosingBlock } from "../../tasks/closing-block.ts"
import type { Hold } from "./hold-claim.ts"
import type { Shift } from "./shift.ts"

interface Answered {
  readonly closing: ClosingBlock
  readonly answer: string
  readonly commit: string
  readonly agent: string
}

/** What an agent found is kept before its own work is judged: neither a failure nor a crash later loses it. */
export async function noteFindings(
  { ports, team, worker }: Shift,
  { task }: Hold,
  { closing, answer, commit, agent }: Answered,
): Promise<void> {
  const told = { task: task.id, findings: closing.findings, answer: ports.mask(answer), commit, agent, by: worker }
  const recorded = await recordTaskFindings(ports.context, team, told)
  for (const { number, severity } of recorded) ports.say(`Task ${task.id} reports finding ${number} (${severity})`)
}
