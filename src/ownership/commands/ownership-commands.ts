import * as v from "valibot"
import { command } from "../../app/command.ts"
import { dirname } from "../../lib/paths.ts"
import { ownerField, taskIdField, teamFields, textField, tokenField } from "../../store/operation.ts"
import { enforceOwnership } from "../effects/enforce-ownership.ts"
import { checkOwnership as check } from "../operations/ownership-facts.ts"
import { renderAside, renderJudgements, renderOverlaps } from "../views/ownership-view.ts"

/** Exit code 1 if a file may not be written or the plan has overlaps. */
export const ownershipCheck = command({
  summary: check.summary,
  fields: check.input,
  positional: ["paths"],
  example: "teamwork ownership check --task 3 src/api/users.ts package.json",
  async run({ host, context }, input) {
    const root = `${dirname((await host.configuration.path()).repository)}/`
    const paths = input.paths.map((path) => (path.startsWith(root) ? path.slice(root.length) : path))
    const report = await check.run(await context(), { ...input, paths })
    const isFine = report.overlaps.length === 0 && report.paths.every((path) => path.allowed)
    return {
      data: report,
      text: () => (paths.length === 0 ? renderOverlaps(report.overlaps) : renderJudgements(report.paths)),
      exitCode: isFine ? 0 : 1,
    }
  },
})

const enforceInput = {
  ...teamFields,
  task: taskIdField,
  owner: v.optional(ownerField),
  token: v.optional(tokenField),
  base: v.optional(
    textField(
      "branch or commit that the work started from; by default the pinned base, or where the worktree started",
      1000,
    ),
  ),
  message: v.optional(textField("commit message; by default the title of the task", 10_000)),
}

export const ownershipEnforce = command({
  summary: "Commit the changes in this folder that a task owns, and set the rest aside",
  fields: enforceInput,
  positional: ["task"],
  example: "teamwork ownership enforce --task 3 --owner w1 --base main",
  async run({ host, context }, input) {
    const folder = host.io.cwd
    const result = await enforceOwnership(await context(), await host.scopes(folder), { ...input, folder })
    const { head, kept, aside } = result
    return { data: result, text: () => renderAside(head, kept, aside) }
  },
})
