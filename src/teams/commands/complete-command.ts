import { type Command, command, fromOperation } from "../../app/command.ts"
import { completedOutcome, completeHere } from "../../app/wiring/complete-here.ts"
import { sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { describeTeam } from "../../kernel/team.ts"
import { teamFields } from "../../store/operation.ts"
import { keepTeam } from "../operations/complete-team.ts"
import { RESUME } from "../views/completion-view.ts"

const input = { ...teamFields, sourceDir: sourceDirField }

export const archive = command({
  summary: "Put away a team that is done: summary, worktrees and branches gone, nothing lost; else it is kept",
  fields: input,
  example: "teamwork archive",
  async run(session, { sourceDir, ...name }) {
    return completedOutcome(name, await completeHere(session, { ...name, sourceDir }))
  },
})

export const keep: Command = fromOperation(keepTeam, {
  example: "teamwork keep",
  text: (team) => `Kept ${describeTeam(team)}; ${RESUME}`,
})
