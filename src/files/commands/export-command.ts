import { join, resolve } from "node:path"
import type { Command, Outcome, Session } from "../../app/command.ts"
import { sourceDirField } from "../../delivery/commands/swarm-merge.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { flag, type InputOf, optional, text } from "../../lib/fields.ts"
import { teamFields } from "../../store/operation.ts"
import { homePlace, loopFolderOf, rememberExport } from "../mirror/export-places.ts"
import { exportTeam, type MirrorReport, mirrorTeam } from "../mirror/mirror.ts"
import { describeMirror } from "../views/exports-view.ts"

const input = {
  ...teamFields,
  to: optional(text("folder to write to; by default the team's own one in the teamwork home")),
  watch: flag("keep the files up to date until Ctrl+C"),
  archive: flag("with what the team delivers below deliverables/, and then put the team away, see teamwork archive"),
  sourceDir: sourceDirField,
  force: flag("replace files that teamwork did not write; they are kept in the folder replaced/"),
}

export const exportCommand: Command = {
  summary: "Write the team as plain files, and with --watch keep them up to date",
  fields: input,
  positional: ["to"],
  example: "teamwork export --to ./team --watch",
  async run(session, raw) {
    const { host, isJson, context, configured } = session
    const { to, watch, force, archive, sourceDir, ...name } = raw as InputOf<typeof input>
    if (archive === true && watch === true)
      throw new AppError("usage", "--archive ends the team and --watch follows it; use one of them")
    const { home } = await configured()
    const { folder } = to === undefined ? homePlace(home, name) : { folder: resolve(host.io.cwd, to) }
    if (archive === true) return archiveTo(session, { ...name, folder, sourceDir, force })
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

/** How long a file about the whole team may be behind while it is led: nobody waits for it, and the team is at work. */
const RUN_DEBOUNCE_MS = 2000

/** Writes what became of a team since its run ended; where the run could not write, there is nothing to say again. */
export async function writeHome(session: Session, name: TeamName): Promise<void> {
  const { home } = await session.configured()
  const place = homePlace(home, name)
  const { folder } = place
  try {
    await exportTeam(await session.context(), name, { folder, loopFolder: loopFolderOf(home, place) })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

/** Keeps the team's own folder in the home up to date until told to stop. */
export async function mirrorHere(session: Session, name: TeamName, signal: AbortSignal): Promise<void> {
  const { home } = await session.configured()
  const place = homePlace(home, name)
  const loopFolder = loopFolderOf(home, place)
  const onUpdate = () => rememberExport(home, place)
  await mirrorTeam(await session.context(), name, {
    ...{ folder: place.folder, loopFolder, signal, debounceMs: RUN_DEBOUNCE_MS },
    onUpdate: once(onUpdate),
  })
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}

interface Target extends TeamName {
  readonly folder: string
  readonly sourceDir?: string
  readonly force?: boolean
}

/** Everything is handed over before anything is put away; the files tell of it, so they come once more at the end. */
export async function archiveTo(session: Session, { folder, force, sourceDir, ...name }: Target): Promise<Outcome> {
  const { completeHere, told } = await import("../../teams/commands/complete-command.ts")
  const { writeHere } = await import("../../delivery/commands/deliverables-command.ts")
  const { home } = await session.configured()
  const write = async () => {
    await exportTeam(await session.context(), name, {
      ...{ folder, loopFolder: loopFolderOf(home, { folder, ...name }), force },
    })
    rememberExport(home, { folder, ...name })
  }
  const handOver = async () => {
    await write()
    await writeHere(session, { ...name, folder: join(folder, "deliverables"), sourceDir })
    return folder
  }
  const done = await completeHere(session, { ...name, sourceDir, handOver })
  if (done.action === "export") await write()
  return told(name, done)
}

function editNote(path: string): string {
  return `${path} was changed by hand; the change is kept as edited/${path}, and the store was not changed`
}
