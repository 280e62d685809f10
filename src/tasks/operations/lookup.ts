import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { Words } from "../../kernel/remedy.ts"
import { describeTeam, type RunName, type Team, type TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import type { Task } from "../task.ts"

/** The error says how to create it. */
export async function getTeam(tx: Tx, name: TeamName): Promise<StoredTeam> {
  return (await tx.teams.find(name)) ?? noTeam(tx, name)
}

/** Others that change the team's structure wait for the end of this transaction. */
export async function lockTeam(tx: Tx, name: TeamName): Promise<StoredTeam> {
  return (await tx.teams.lock(name)) ?? noTeam(tx, name)
}

/** Git refs and files are kept by run. */
export async function resolveRun({ store }: Pick<Context, "store">, name: TeamName): Promise<RunName> {
  const { project, team, run } = await store.read((tx) => getTeam(tx, name))
  return { project, team, run }
}

export async function getTask(tx: Tx, key: number, id: TaskId): Promise<Task> {
  return (await tx.tasks.find(key, id)) ?? noTask(id)
}

export async function lockTask(tx: Tx, key: number, id: TaskId): Promise<Task> {
  return (await tx.tasks.lock(key, id)) ?? noTask(id)
}

/** Without the store's own fields. */
export function publicTeam({ key: _, isCurrent: __, ...team }: StoredTeam): Team {
  return team
}

/** Another branch means another team, so list the existing ones. */
async function noTeam(tx: Tx, name: TeamName): Promise<never> {
  const runs = name.run === undefined ? [] : await tx.teams.runs(name)
  if (runs.length > 0)
    throw new AppError(
      "run.not_found",
      `there is no run ${name.run} of ${describeTeam(name)}; it has ${listRuns(runs)}`,
      { run: name.run, runs: runs.map(({ run }) => run) },
      { remedy: { operation: "runs", to: "see" } },
    )
  const { project, team } = name
  const teams = [...new Set((await tx.projects.teams(project)).map((each) => each.team))]
  throw new AppError(
    "team.not_found",
    (say) => sayNoTeam(name, teams, say),
    { project, team, teams },
    {
      remedy:
        teams.length === 0
          ? { operation: "project create", fields: { goal: "GOAL" }, to: "create it with" }
          : { operation: "run", fields: { what: "GOAL" }, to: "or start a new one with" },
    },
  )
}

export function sayNoTeam(name: TeamName, teams: readonly string[], say: Words): string {
  const [first] = teams
  if (first === undefined) return `project ${describeTeam(name)} does not exist`
  const shown = teams.length > MOST_SHOWN ? [...teams.slice(0, MOST_SHOWN), `${teams.length - MOST_SHOWN} more`] : teams
  const best = teams.includes("main") ? "main" : first
  return `team ${describeTeam(name)} does not exist; the teams of ${name.project}: ${shown.join(", ")}; go on with one of them by ${say.field("team")} ${best}`
}

const MOST_SHOWN = 8

function listRuns(runs: readonly StoredTeam[]): string {
  const [first, last] = [runs[0]?.run, runs.at(-1)?.run]
  return first === last ? `only run ${first}` : `the runs ${first} to ${last}`
}

function noTask(id: TaskId): never {
  const remedy = { operation: "task list", to: "see" } as const
  throw new AppError("task.not_found", `task ${id} does not exist`, { taskId: id }, { remedy })
}
