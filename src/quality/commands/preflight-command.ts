import * as v from "valibot"
import { command } from "../../app/command.ts"
import { preflightHere, renderPreflight } from "../../app/wiring/preflight-here.ts"
import { trustHere } from "../../app/wiring/trust-here.ts"
import { sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { resolvePath } from "../../lib/paths.ts"
import { flag, text } from "../../lib/schema.ts"
import { teamFields } from "../../store/operation.ts"

export const preflight = command({
  summary: "Judge the commit that a run would start from: how build, lint and tests stand before any work",
  fields: {
    ...teamFields,
    commit: v.optional(
      text("what to judge; by default the branch that is to get the work", (value) =>
        /^$|\0/.test(value) ? "is no name of a commit" : undefined,
      ),
    ),
    target: v.optional(text("the branch that is to get the work; by default the one that is checked out")),
    again: flag("run every command, also those that ran on this very tree before"),
    trust: flag("agree to the programs that this repository would start, without asking"),
    sourceDir: sourceDirField,
  },
  example: "teamwork preflight",
  async run(session, { sourceDir, trust, ...input }) {
    const folder = resolvePath(sourceDir ?? ".", session.host.io.cwd)
    await trustHere(session, { folder, isAgreed: trust })
    const preflight = await preflightHere(session, { ...input, folder })
    return { data: preflight, text: (screen) => renderPreflight(preflight, screen) }
  },
})
