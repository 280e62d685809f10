import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { describeTeam, type Team, type TeamName } from "../../kernel/team.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import type { Task } from "../task.ts"

/** The team, or an error that says how to make it. */
export async function getTeam(tx: Tx, name: TeamName): Promise<StoredTeam> {
  return required(await tx.teams.find(name), name)
}

/** Like `getTeam`, for changes of the team's structure: others that change it wait until this transaction ends. */
export async function lockTeam(tx: Tx, name: TeamName): Promise<StoredTeam> {
  return required(await tx.teams.lock(name), name)
}

export async function getTask(tx: Tx, key: number, id: TaskId): Promise<Task> {
  return (await tx.tasks.find(key, id)) ?? noTask(id)
}

export async function lockTask(tx: Tx, key: number, id: TaskId): Promise<Task> {
  return (await tx.tasks.lock(key, id)) ?? noTask(id)
}

/** A team as callers see it, without the store's key. */
export function publicTeam({ key: _, ...team }: StoredTeam): Team {
  return team
}

function required(team: StoredTeam | undefined, name: TeamName): StoredTeam {
  if (team !== undefined) return team
  throw new AppError(
    "team.not_found",
    `project ${describeTeam(name)} does not exist`,
    { project: name.project, team: name.team },
    { remedy: { operation: "project create", fields: { goal: "GOAL" }, to: "create it with" } },
  )
}

function noTask(id: TaskId): never {
  const remedy = { operation: "task list", to: "see" } as const
  throw new AppError("task.not_found", `task ${id} does not exist`, { taskId: id }, { remedy })
}
