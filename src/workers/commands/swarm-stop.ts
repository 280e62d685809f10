import * as v from "valibot"
import { command } from "../../app/command.ts"
import { findTools, sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { AppError } from "../../kernel/errors.ts"
import { machineName } from "../../lib/process/machine-name.ts"
import { flag } from "../../lib/schema.ts"
import { teamFields, workerIdField } from "../../store/operation.ts"
import { stopWorkers } from "../swarm/stop-workers.ts"
import { renderStopped } from "../views/swarm-view.ts"

const input = {
  ...teamFields,
  worker: v.optional(workerIdField),
  all: flag("all workers of the team that run on this machine"),
  force: flag("end them now, instead of letting them bring their agents to an end for team.shutdownTimeoutMs"),
  sourceDir: sourceDirField,
}

export const swarmStop = command({
  summary: "Stop workers with all they started: tasks go back, commits are kept, worktrees go",
  fields: input,
  positional: ["worker"],
  example: "teamwork swarm stop --worker w1",
  async run(session, { worker, all, force, sourceDir, ...name }) {
    if ((worker !== undefined) === (all === true))
      throw new AppError("usage", (say) => `say which: ${say.field("worker")} ID, or ${say.field("all")}`)
    const configured = await session.configured()
    const workspaces = await findTools(session, { ...name, sourceDir })
    const stopped = await stopWorkers(await session.context(), {
      ...name,
      worker: worker ?? null,
      graceMs: force === true ? 0 : (await configured.engine()).shutdownTimeoutMs,
      machine: machineName(),
      runtime: (of) => configured.runtime(name, of),
      workspaces,
    })
    const note = "there is no repository here, so worktrees stay; remove them there with: teamwork worktree remove ID"
    return {
      data: stopped,
      text: () => renderStopped(stopped),
      warnings: workspaces === null && stopped.length > 0 ? [note] : [],
    }
  },
})
