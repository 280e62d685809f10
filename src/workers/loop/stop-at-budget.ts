import { ENGINE } from "../../kernel/actor.ts"
import { pauseByEngine } from "../../teams/operations/steer-team.ts"
import { quarantineWorker } from "../operations/worker-life.ts"
import type { UsedUp } from "./budget-left.ts"
import type { Hold } from "./hold-claim.ts"
import { Setback } from "./setback.ts"
import type { Shift } from "./shift.ts"

/**
 * Stops whoever has used up a budget, and gives the reason why the task goes no further now. A budget that many tasks
 * share asks one question: the team is paused, or the worker gets no more tasks, and the task itself goes back as it is.
 */
export async function stopAtBudget(
  { ports: { context }, team, worker }: Shift,
  { task }: Hold,
  { usedUp: { payer, why }, agent }: { readonly usedUp: UsedUp; readonly agent: string },
): Promise<Setback> {
  if (payer === "task") return new Setback("budget", `the budget of task ${task.id}: ${why}`, { agent })
  if (payer === "team") {
    const reason = `the team's budget: ${why}`
    await pauseByEngine(context, team, { trigger: "budget", reason })
    return new Setback("interrupted", reason, { agent })
  }
  const reason = `its budget: ${why}`
  await quarantineWorker(context, { ...team, by: ENGINE, worker, reason })
  return new Setback("interrupted", `worker ${worker} is quarantined: ${reason}`, { agent })
}
