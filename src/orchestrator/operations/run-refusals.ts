import { AppError } from "../../kernel/errors.ts"
import { describeTeam, type TeamName } from "../../kernel/team.ts"
import { sayNoTeam } from "../../tasks/operations/lookup.ts"
import type { EngineFacts } from "./read-engine.ts"

export function noTeam(name: TeamName, teams: readonly string[]): AppError {
  return new AppError(
    "team.not_found",
    (say) => sayNoTeam(name, teams, say),
    { ...name, teams },
    {
      remedy: [
        {
          operation: "run",
          fields: { what: "PLAN" },
          to: teams.length === 0 ? "make it of a plan with" : "or start a new one of a plan with",
        },
        { operation: "run", fields: { what: "GOAL" }, to: "of a goal with" },
      ],
    },
  )
}

export function forgotten(name: TeamName): AppError {
  const message = `project ${describeTeam(name)} was deleted while it ran; its commits are kept`
  return new AppError("team.not_found", message, {}, { remedy: { operation: "refs", to: "see" } })
}

export function neverRun(name: TeamName): AppError {
  const message = `${describeTeam(name)} was never run`
  return new AppError("run.none", message, {}, { remedy: { operation: "run", to: "start it with" } })
}

export function withoutPlan(preset: string): AppError {
  return new AppError(
    "usage",
    (say) => `${say.field("preset")} is for a plan or a goal`,
    {},
    { remedy: { operation: "run", fields: { what: "PLAN", preset } } },
  )
}

export function tooMany(problem: string): AppError {
  const fields = { key: "team.maxAgents", value: "N" }
  return new AppError("usage", problem, {}, { remedy: { operation: "config set", fields, to: "raise it with" } })
}

export function assertWork(name: TeamName, { tasks }: EngineFacts): void {
  if (tasks.length > 0) return
  throw new AppError(
    "run.nothing",
    `${describeTeam(name)} has no tasks`,
    {},
    {
      remedy: [
        { operation: "plan", fields: { what: "FILE" }, to: "make some with" },
        { operation: "task create", fields: { title: "TITLE" } },
      ],
    },
  )
}
