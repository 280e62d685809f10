import { resolve } from "node:path"
import * as v from "valibot"
import { command, type Session } from "../../app/command.ts"
import { archiveTo, completedOutcome } from "../../app/wiring/complete-here.ts"
import { sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { flag, text } from "../../lib/schema.ts"
import { runFields } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { homePlace, loopFolderOf, rememberExport, runFolder } from "../mirror/export-places.ts"
import { exportTeam, type MirrorReport, mirrorTeam } from "../mirror/mirror.ts"
import { describeMirror } from "../views/exports-view.ts"

const input = {
  ...runFields,
  to: v.optional(text("folder to write to; by default the team's own one in the teamwork home")),
  watch: flag("keep the files up to date until Ctrl+C"),
  archive: flag("also write deliverables/, then archive the team, see teamwork archive"),
  sourceDir: sourceDirField,
  force: flag("replace files that teamwork did not write; they are kept in the folder replaced/"),
}

export const exportCommand = command({
  summary: "Write the team as plain files, and with watch keep them up to date",
  fields: input,
  positional: ["to"],
  example: "teamwork export --to ./team --watch",
  async run(session, asked) {
    const { host, isJson, context, configured } = session
    const { to, watch, force, archive, sourceDir, ...name } = asked
    if (archive === true && watch === true)
      throw new AppError(
        "usage",
        (say) => `${say.field("archive")} ends the team and ${say.field("watch")} follows it; use one of them`,
      )
    const { home } = await configured()
    const own = homePlace(home, name).folder
    const isEarlier = name.run !== undefined && (await isClosed(session, name))
    const folder = to !== undefined ? resolve(host.io.cwd, to) : isEarlier ? runFolder(own, name.run ?? 1) : own
    if (archive === true) return completedOutcome(name, await archiveTo(session, { ...name, folder, sourceDir, force }))
    const loopFolder = loopFolderOf(home, { folder, ...name })
    const report = await exportTeam(await context(), name, { folder, loopFolder, force, earlier: "all" })
    if (!isEarlier) rememberExport(home, { folder, ...name })
    const shown = { ...name, ...report, folder }
    const warnings = report.edited.map(editNote)
    if (watch !== true) return { data: shown, text: () => describeMirror(shown), warnings }
    const { io } = host
    const say = (update: MirrorReport) => {
      for (const path of update.edited) io.err(`Warning: ${editNote(path)}`)
      io.out(isJson ? JSON.stringify(update) : `[${io.wallClock()}] ${describeMirror({ ...update, folder })}`)
    }
    say(report)
    await mirrorTeam(await context(), name, { folder, loopFolder, force, signal: io.interrupted, onUpdate: say })
    return { data: null, silent: true }
  },
})

async function isClosed({ context }: Session, { project, team, run }: TeamName): Promise<boolean> {
  return (await resolveRun(await context(), { project, team })).run !== run
}

function editNote(path: string): string {
  return `${path} was changed by hand; the change is kept as edited/${path}, and the store was not changed`
}
