import { costOf } from "../../agents/prices.ts"
import { SCRIPT } from "../../agents/programs.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { EngineLimits, EngineSnapshot } from "../../orchestrator/actions.ts"
import { type Estimate, estimate, NO_PAST, type Past, planRuns } from "../../planning/estimate.ts"
import { readPastRuns } from "../../planning/operations/read-past-runs.ts"
import { handsOf } from "../../planning/staffing.ts"
import { listFollowUps } from "../../tasks/follow-up.ts"
import type { Task } from "../../tasks/task.ts"
import type { Session } from "../command.ts"

/** Does not create a store. */
export async function readPast(session: Session, name: TeamName): Promise<Past> {
  const { hasStore, agents } = await session.configured()
  if (!(await hasStore())) return NO_PAST
  const models = (await agents()).flatMap((ready) => Object.values(ready.models))
  const prices = new Map(
    models.flatMap(({ model, price }) => (model === null || price === null ? [] : [[model, price]])),
  )
  return readPastRuns(await session.context(), name, (model, tokens) => {
    const price = prices.get(model)
    return price === undefined ? undefined : costOf(tokens, price)
  })
}

export interface TeamToRun extends TeamName, Pick<EngineSnapshot["team"], "schedule"> {
  readonly tasks: readonly Task[]
  readonly limits: Pick<EngineLimits, "staffing" | "maxAgents" | "enableCascade">
}

export async function estimateTeam(
  session: Session,
  { tasks, limits, schedule, ...name }: TeamToRun,
): Promise<Estimate> {
  const open = tasks.filter(({ status }) => status === "open")
  const followUps = limits.enableCascade ? listFollowUps(tasks) : []
  const ahead = new Set<string>(open.map(({ id }) => id))
  // Finished tasks have their follow-ups already, or get none.
  const added = followUps.filter(({ id, of }) => ahead.has(of) && ahead.add(id))
  const planned = open.map((task) => ({ ...task, needs: task.blockedBy, agent: agentOf(task) }))
  return estimate({
    planned: planRuns(planned, added),
    past: (await readPast(session, name)).runs,
    schedule,
    hands: handsOf(limits.staffing, limits.maxAgents),
  })
}

function agentOf({ work }: Task): string | null {
  return work.commands.length > 0 ? SCRIPT : work.agent
}
