import { join, resolve } from "node:path"
import { loopFolderOf, rememberExport } from "../../engine/export-places.ts"
import { exportTeam, type MirrorReport, mirrorTeam } from "../../engine/mirror/mirror.ts"
import { flag, type InputOf, optional, text } from "../../lib/fields.ts"
import { teamFields } from "../../operations/operation.ts"
import { describeMirror } from "../../views/exports.ts"
import type { Command } from "./command.ts"

const input = {
  ...teamFields,
  to: optional(text("folder to write to; by default the team's own one in the teamwork home")),
  watch: flag("keep the files up to date until Ctrl+C"),
  force: flag("replace files that teamwork did not write; they are kept in the folder replaced/"),
}

export const exportCommand: Command = {
  summary: "Write the team as plain files, and with --watch keep them up to date",
  fields: input,
  positional: ["to"],
  example: "teamwork export --to ./team --watch",
  async run({ host, isJson, context, configured }, raw) {
    const { to, watch, force, ...name } = raw as InputOf<typeof input>
    const { home } = await configured()
    const folder = to === undefined ? join(home, name.project, name.team) : resolve(host.io.cwd, to)
    const loopFolder = loopFolderOf(home, { folder, ...name })
    const report = await exportTeam(await context(), name, { folder, loopFolder, force })
    rememberExport(home, { folder, ...name })
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
}

function editNote(path: string): string {
  return `${path} was changed by hand; the change is kept as edited/${path}, and the store was not changed`
}
