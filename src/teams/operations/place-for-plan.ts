import { AppError } from "../../kernel/errors.ts"
import { describeTeam, type TeamName } from "../../kernel/team.ts"
import { type Fields, flag } from "../../lib/schema.ts"
import type { Context } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { isMet, type Task } from "../../tasks/task.ts"
import { readStanding } from "./start-run.ts"

export const runChoice = {
  add: flag("add to the current run of the team, also when it is over"),
  new: flag("close the current run, which stays readable, and begin a new one"),
} satisfies Fields

export interface PlanArrival {
  readonly add?: boolean
  readonly new?: boolean
  /** Whether these tasks include every task of the plan, unchanged. */
  isSame(tasks: readonly Task[]): boolean
}

/**
 * Chooses the current run or a new one. A run that is over is followed by a new one. Only a person may close or
 * extend an unfinished run; the same plan again continues it.
 */
export async function placeForPlan(tx: Tx, team: StoredTeam, arrival: PlanArrival): Promise<"current" | "new"> {
  assertOneChoice(arrival)
  if (arrival.new === true) return "new"
  if (arrival.add === true) return "current"
  const standing = await readStanding(tx, team)
  if (standing === "fresh") return "current"
  if (standing === "done") return "new"
  if (arrival.isSame(await tx.tasks.list(team.key))) return "current"
  if (standing === "over") return "new"
  throw await unfinished(tx, team)
}

/** Throws before any agent is paid when the plan would be refused. `begins`: it starts a new run. */
export async function checkPlace(
  { store }: Pick<Context, "store">,
  name: TeamName,
  arrival: PlanArrival,
): Promise<{ readonly begins: boolean }> {
  return store.read(async (tx) => {
    const team = await tx.teams.find(name)
    return { begins: team === undefined || (await placeForPlan(tx, team, arrival)) === "new" }
  })
}

export function assertOneChoice({ add, new: isNew }: Pick<PlanArrival, "add" | "new">): void {
  if (add !== true || isNew !== true) return
  throw new AppError(
    "usage",
    (say) => `${say.field("add")} goes on with the current run and ${say.field("new")} closes it; use one of them`,
  )
}

async function unfinished(tx: Tx, team: StoredTeam): Promise<AppError> {
  const tasks = await tx.tasks.list(team.key)
  const left = tasks.filter(({ status }) => !isMet(status)).length
  // Without a leader so far, there is no run of the engine to resume.
  const wasLed = (await tx.leaders.find(team.key)) !== undefined
  return new AppError(
    "run.unfinished",
    `run ${team.run} of ${describeTeam(team)} is not over (${left} of ${tasks.length} tasks are left)`,
    { run: team.run, left },
    {
      remedy: [
        { operation: "run", ...(wasLed ? { fields: { resume: true } } : {}), to: "go on with it" },
        { operation: "run", fields: { what: "PLAN", add: true }, to: "add to it" },
        { operation: "run", fields: { what: "PLAN", new: true }, to: "close it and begin a new one" },
      ],
    },
  )
}
