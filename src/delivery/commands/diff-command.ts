import * as v from "valibot"
import { command } from "../../app/command.ts"
import { sourceDirField, toolsOf } from "../../app/wiring/workspace-tools.ts"
import { resolvePath } from "../../lib/paths.ts"
import { number } from "../../lib/schema.ts"
import { manyLines } from "../../lib/text/table.ts"
import { runFields, taskIdField } from "../../store/operation.ts"
import { readTaskDiff } from "../target/task-diff.ts"
import { short } from "../views/merge-view.ts"

const input = {
  ...runFields,
  id: taskIdField,
  attempt: v.optional(number("another attempt than the last", { isInteger: true, min: 1 })),
  sourceDir: sourceDirField,
}

export const diff = command({
  summary: "Show what a task changed",
  fields: input,
  positional: ["id"],
  example: "teamwork diff 3",
  async run(session, { sourceDir, id, ...rest }) {
    const { host, configured, context } = session
    const { merges } = await (await configured()).merging(resolvePath(sourceDir ?? ".", host.io.cwd))
    await (await toolsOf(session, { ...rest, sourceDir })).workspaces.follow()
    const found = await readTaskDiff(await context(), merges, { ...rest, taskId: id })
    const state = found.isMerged ? "merged" : found.isPinned ? "not merged" : "still being worked on"
    const head = `Task ${id}, attempt ${found.attempt}: ${short(found.base)}..${short(found.head)}, ${state}`
    const patch = found.patch === "" ? "It changed nothing." : found.patch
    return {
      data: found,
      isDocument: true,
      // A pipe gets the exact patch; a terminal gets it without control characters.
      text: () => `${head}\n${host.io.isTerminal ? manyLines(patch) : patch}`,
    }
  },
})
