import * as v from "valibot"
import { command } from "../../app/command.ts"
import { writeDeliverablesHere } from "../../app/wiring/deliverables-here.ts"
import { sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { resolvePath } from "../../lib/paths.ts"
import { text } from "../../lib/schema.ts"
import { runFields } from "../../store/operation.ts"
import { readDeliverables } from "../operations/read-deliverables.ts"
import { renderDeliverables } from "../views/deliverables-view.ts"

const input = {
  ...runFields,
  to: v.optional(text("folder to put them into, each type of work in its form; a new one, or one of before")),
  sourceDir: sourceDirField,
}

export const deliverables = command({
  summary: "Show what a team delivers by type of work, or write it to a folder",
  fields: input,
  positional: ["to"],
  example: "teamwork deliverables --to ./handover",
  async run(session, { to, sourceDir, ...name }) {
    const work = await readDeliverables(await session.context(), name)
    if (to === undefined) return { data: work, text: (screen) => renderDeliverables(work.deliverables, screen) }
    const folder = resolvePath(to, session.host.io.cwd)
    const written = await writeDeliverablesHere(session, { ...name, folder, sourceDir })
    return { data: { ...work, folder, written }, text: () => `Wrote ${written.length} files to ${folder}` }
  },
})
