import { command } from "../../app/command.ts"
import { preflightHere } from "../../app/wiring/preflight-here.ts"
import { sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { flag, optional, text } from "../../lib/fields.ts"
import { resolvePath } from "../../lib/paths.ts"
import { teamFields } from "../../store/operation.ts"
import { renderBaseline } from "../views/baseline-view.ts"

export const preflight = command({
  summary: "Judge the commit that a run would start from: how build, lint and tests stand before any work",
  fields: {
    ...teamFields,
    commit: optional(
      text("what to judge; by default the branch that is to get the work", (value) =>
        /^$|\0/.test(value) ? "is no name of a commit" : undefined,
      ),
    ),
    target: optional(text("the branch that is to get the work; by default the one that is checked out")),
    again: flag("run every command, also those that ran on this very tree before"),
    sourceDir: sourceDirField,
  },
  example: "teamwork preflight",
  async run(session, { sourceDir, ...input }) {
    const folder = resolvePath(sourceDir ?? ".", session.host.io.cwd)
    const baseline = await preflightHere(session, { ...input, folder })
    return { data: baseline, text: (screen) => renderBaseline(baseline, screen) }
  },
})
