import { type Command, fromOperation, type Outcome, type Session } from "../../app/command.ts"
import { type Completed, completeTeam } from "../../delivery/archive/archive-team.ts"
import { sourceDirField } from "../../delivery/commands/swarm-merge.ts"
import { describeTeam, type TeamName } from "../../kernel/team.ts"
import type { InputOf } from "../../lib/fields.ts"
import { teamFields } from "../../store/operation.ts"
import { findTools } from "../../workers/commands/swarm-stop.ts"
import { keepTeam } from "../operations/complete-team.ts"

const input = { ...teamFields, sourceDir: sourceDirField }

export const archive: Command = {
  summary: "Put away a team that is done: summary, worktrees and branches gone, nothing lost; else it is kept",
  fields: input,
  example: "teamwork archive",
  async run(session, raw) {
    const { sourceDir, ...name } = raw as InputOf<typeof input>
    return told(name, await completeHere(session, { ...name, sourceDir }))
  },
}

const RESUME = "go on with: teamwork resume, then: teamwork run --resume"

export const keep: Command = fromOperation(keepTeam, {
  example: "teamwork keep",
  text: (team) => `Kept ${describeTeam(team)}; ${RESUME}`,
})

interface Place extends TeamName {
  readonly sourceDir?: string
  readonly handOver?: () => Promise<string>
}

export async function completeHere(session: Session, { handOver, ...place }: Place): Promise<Completed> {
  const { project, team } = place
  return completeTeam(await session.context(), {
    ...{ project, team, workspaces: await findTools(session, place) },
    ...(handOver && { handOver }),
  })
}

/** A team that could not be put away is a failure, though nothing is lost. */
export function told(name: TeamName, done: Completed): Outcome {
  return {
    data: { ...name, ...done },
    text: () => sayCompleted(name, done),
    warnings: done.warnings,
    exitCode: done.action === "keep" ? 1 : 0,
  }
}

export function sayCompleted(name: TeamName, { action, removed, pins, artifacts }: Completed): string {
  if (action === "keep") return `Kept ${describeTeam(name)}; ${RESUME}`
  const kept = pins.length === 0 ? "" : `; ${pins.length} pins keep what is in no branch, see: teamwork refs`
  const how = action === "export" ? "Exported and archived" : "Archived"
  return `${how} ${describeTeam(name)}: ${artifacts.length} files delivered, ${removed.length} worktrees removed${kept}`
}
