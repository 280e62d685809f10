import type { AgentResult } from "../../agents/port.ts"
import type { AsideResult } from "../../git/port.ts"
import { AppError } from "../../kernel/errors.ts"
import { reportGap } from "../../planning/operations/role-gap.ts"
import { escalate } from "../../requests/operations/escalations.ts"
import { type ClosingBlock, readClosingBlock } from "../../tasks/closing-block.ts"
import { heedAsks } from "./heed-asks.ts"
import type { Hold } from "./hold-claim.ts"
import { noteWisdom } from "./note-wisdom.ts"
import { Setback } from "./setback.ts"
import type { Shift } from "./shift.ts"

/** What the agent says at the end of its run, without secrets. */
export function closingOf({ ports }: Shift, { answer, structured }: AgentResult): ClosingBlock {
  const masked = structured === null ? null : JSON.parse(ports.mask(JSON.stringify(structured)))
  return readClosingBlock(ports.mask(answer), masked)
}

interface Ended {
  readonly closing: ClosingBlock
  /** Null for a run that only answers. */
  readonly delivered: AsideResult | null
  readonly agent: string
}

/**
 * Does what the end of the answer asks for. Returns only when the work can be judged: a task whose agent asks a question,
 * lacks a capability or says that it failed is neither judged nor delivered. What it wrote is pinned by then.
 */
export async function heedClosing(shift: Shift, hold: Hold, { closing, delivered, agent }: Ended): Promise<void> {
  if (closing.outcome === "failed" || closing.outcome === "escalate") await noteWisdom(shift, hold, closing)
  if (closing.outcome === "escalate") await ask(shift, hold, closing)
  if (delivered !== null) await heedAsks(shift, hold, delivered)
  if (closing.gap !== null) await answerGap(shift, hold, closing.gap)
  if (closing.outcome === "failed")
    throw new Setback("agent-failed", `its agent says that it failed: ${closing.reason || NO_REASON}`, { agent })
}

const NO_REASON = "it gave no reason"

async function ask({ ports, team, worker }: Shift, { task }: Hold, { reason, trigger }: ClosingBlock): Promise<never> {
  const { number } = await escalate.run(ports.context, {
    ...{ ...team, task: task.id, owner: worker, summary: reason || NO_REASON },
    trigger: trigger ?? "requirement_unclear",
  })
  ports.say(`Task ${task.id} waits for a decision (${trigger}): ${reason || NO_REASON}; see: teamwork escalations`)
  throw new AppError("claim.lost", `task ${task.id} waits for a decision on escalation ${number}`)
}

/** A role is made that has the capability, and the task is given back until that one is done. */
async function answerGap({ ports, team, worker }: Shift, hold: Hold, capability: string): Promise<void> {
  const { task, token } = hold
  const gap = await reportGap.run(ports.context, { ...team, task: task.id, capability, owner: worker, token })
  ports.say(`Task ${task.id} lacks a capability (${capability}): ${gap.why}`)
  if (gap.task !== null) throw new AppError("claim.lost", `task ${task.id} waits for ${gap.task}`)
}
