import * as v from "valibot"
import { command } from "../../app/command.ts"
import { renewHere, sourceDirField, toolsOf } from "../../app/wiring/workspace-tools.ts"
import type { Fields } from "../../lib/schema.ts"
import { oneLine } from "../../lib/text/table.ts"
import { teamFields, textField, workerIdField } from "../../store/operation.ts"
import { createWorktree, removeWorktree, syncWorktree } from "../swarm/worktrees.ts"
import { renderWorktrees, shortCommit } from "../views/workspace-view.ts"

const workerFields = { ...teamFields, workerId: workerIdField, sourceDir: sourceDirField } satisfies Fields
const createFields = {
  ...workerFields,
  base: v.optional(
    textField("branch, tag or commit to start from; the integration branch or the current one by default"),
  ),
} satisfies Fields
const listFields = { ...teamFields, sourceDir: sourceDirField } satisfies Fields

export const worktreeCreate = command({
  summary: "Make a git worktree for a worker, on its own branch",
  fields: createFields,
  positional: ["workerId"],
  example: "teamwork worktree create --worker-id w1 --base main",
  async run(session, { sourceDir, ...input }) {
    const { project, team } = input
    const tools = await toolsOf(session, { ...input, sourceDir })
    const work = async () => createWorktree(await session.context(), tools, input)
    const { result: made, told } = await renewHere(session, { project, team, sourceDir, work })
    const how = made.isNew ? "Made" : "Already exists:"
    return {
      data: made,
      text: () => oneLine(`${how} ${made.path} on ${made.branch}, at ${shortCommit(made.head)}`),
      warnings: told,
    }
  },
})

export const worktreeRemove = command({
  summary: "Pin everything a worktree holds, then remove it",
  fields: workerFields,
  positional: ["workerId"],
  example: "teamwork worktree remove --worker-id w1",
  async run(session, { sourceDir, ...input }) {
    const removed = await removeWorktree(
      await session.context(),
      await toolsOf(session, { ...input, sourceDir }),
      input,
    )
    const lines = removed.pinned.map((pin) => `Pinned ${shortCommit(pin.commit)} as ${pin.ref}`)
    const end = removed.isRemoved ? `Removed ${removed.path}` : `${removed.worker} has no worktree`
    return { data: removed, text: () => [...lines, oneLine(end)].join("\n") }
  },
})

export const worktreeList = command({
  summary: "List the worktrees of the team's workers",
  fields: listFields,
  async run(session, place) {
    const { workspaces } = await toolsOf(session, place)
    const worktrees = await workspaces.list()
    return { data: worktrees, text: (screen) => renderWorktrees(worktrees, screen) }
  },
})

export const swarmSync = command({
  summary: "Bring a worker's worktree up to the integration branch, or to the current one before there is any",
  fields: workerFields,
  positional: ["workerId"],
  example: "teamwork swarm sync --worker-id w1",
  async run(session, { sourceDir, ...input }) {
    const synced = await syncWorktree(await session.context(), await toolsOf(session, { ...input, sourceDir }), input)
    const done = { "up-to-date": "is up to date with", "fast-forward": "went forward to", merged: "was merged with" }
    return {
      data: synced,
      text: () => oneLine(`${synced.branch} ${done[synced.result]} ${synced.onto}, at ${shortCommit(synced.head)}`),
    }
  },
})
