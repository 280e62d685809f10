import { command } from "../../app/command.ts"
import { sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { resolvePath } from "../../lib/paths.ts"
import { teamFields } from "../../store/operation.ts"
import { undo } from "../target/undo.ts"
import { short } from "../views/merge-view.ts"

const input = { ...teamFields, sourceDir: sourceDirField }

export const undoCommand = command({
  summary: "Take the last delivery back: the target branch returns to where it was",
  fields: input,
  async run({ host, configured, context }, { sourceDir, ...name }) {
    const merging = await (await configured()).merging(resolvePath(sourceDir ?? ".", host.io.cwd))
    const report = await undo(await context(), merging, name)
    return {
      data: report,
      text: () =>
        report.from === report.to
          ? `The last delivery to ${report.target} had not come, so ${report.target} stays at ${short(report.to)}`
          : `${report.target} returned from ${short(report.from)} to ${short(report.to)}`,
    }
  },
})
