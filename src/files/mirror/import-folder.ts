import { AppError } from "../../kernel/errors.ts"
import { describeTeam, type TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { FileNote, FoundTeam, Layout, ParseContext } from "../layouts/found-team.ts"
import { findTeams, type Place, parseTeam } from "../layouts/layouts.ts"
import { type Arrival, type ArrivalResult, importTeams, storeTime } from "../operations/import-teams.ts"
import type { Folder } from "../own/folder.ts"
import { openDiskFolder } from "./disk-folder.ts"

export interface ImportRequest {
  readonly path: string
  /** Another name for the only team in the folder. */
  readonly as?: TeamName
  /** For formats that do not name project or team. */
  readonly defaults: TeamName
  readonly dryRun: boolean
}

export interface ImportedTeam extends TeamName {
  readonly layout: Layout
  readonly source: string
  readonly result: ArrivalResult
  readonly counts: Record<"tasks" | "resolved" | "evidence" | "messages" | "workers" | "verdicts" | "documents", number>
}

export interface ImportReport {
  readonly dryRun: boolean
  readonly teams: readonly ImportedTeam[]
  readonly skipped: readonly FileNote[]
  readonly changed: readonly FileNote[]
  /** Teams with an unusable main file. */
  readonly refused: readonly FileNote[]
}

/** Imports every team below a folder, in any format we know. Changes no file. */
export async function importFolder(context: Context, request: ImportRequest): Promise<ImportReport> {
  const folder = openDiskFolder(request.path)
  const places = findTeams(folder)
  if (places.length === 0) throw nothingFound(folder.path)
  const nowIso = await storeTime(context)
  const parseContext = { nowIso, defaultProject: request.defaults.project, defaultTeam: request.defaults.team }
  const refused: FileNote[] = []
  const found = places.flatMap((place) => read(folder, { place, parseContext, refused }))
  if (request.as !== undefined && found.length === 0 && refused[0] !== undefined)
    throw new AppError("input.invalid", refused[0].what)
  const named = request.as === undefined ? found : renamed(found, request.as)
  const results = await importTeams(
    context,
    named.map((each) => each.arrival),
    { dryRun: request.dryRun },
  )
  return {
    dryRun: request.dryRun,
    teams: named.map((each, index) => summarize(each, folder.path, results[index] ?? "conflict")),
    skipped: named.flatMap(({ team }) => within(team.path, team.skipped)),
    changed: named.flatMap(({ team }) => within(team.path, team.changed)),
    refused,
  }
}

interface Found {
  readonly team: FoundTeam
  readonly arrival: Arrival
}

function read(
  folder: Folder & { readonly path: string },
  { place, parseContext, refused }: { place: Place; parseContext: ParseContext; refused: FileNote[] },
): Found[] {
  let hash = 0n
  // The fingerprint covers what was read, so nothing is read twice.
  const noted: Folder = {
    paths: folder.paths,
    read(path) {
      const bytes = folder.read(path)
      hash = BigInt(Bun.hash(bytes, BigInt(Bun.hash(path, hash))))
      return bytes
    },
  }
  try {
    const team = parseTeam(noted, place, parseContext)
    const source = place.path === "" ? folder.path : `${folder.path}/${place.path}`
    const origin = team.layout === "export" ? null : { layout: team.layout, source, fingerprint: hash.toString(16) }
    return [{ team, arrival: { snapshot: team.snapshot, history: team.history, origin } }]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    refused.push({ file: place.path === "" ? "." : place.path, what: error.message })
    return []
  }
}

function renamed(found: readonly Found[], name: TeamName): Found[] {
  const teams = new Set(found.map(({ team }) => describeTeam(team.snapshot.team)))
  if (teams.size !== 1)
    throw new AppError(
      "usage",
      (say) => `${say.field("as")} names one team, and there are ${teams.size}; name the folder of the one you mean`,
    )
  return found.map((each) => renameOne(each, name))
}

function renameOne({ team, arrival }: Found, { project, team: name }: TeamName): Found {
  const snapshot = {
    ...team.snapshot,
    team: { ...team.snapshot.team, project, team: name },
    loops: team.snapshot.loops.map((loop) => ({ ...loop, project, team: name })),
  }
  return { team: { ...team, snapshot }, arrival: { ...arrival, snapshot } }
}

function summarize({ team }: Found, root: string, result: ArrivalResult): ImportedTeam {
  const { snapshot } = team
  return {
    project: snapshot.team.project,
    team: snapshot.team.team,
    run: snapshot.team.run,
    layout: team.layout,
    source: team.path === "" ? root : `${root}/${team.path}`,
    result,
    counts: {
      tasks: snapshot.tasks.length,
      resolved: snapshot.tasks.filter((task) => task.status === "resolved").length,
      evidence: snapshot.tasks.reduce((sum, task) => sum + task.evidence.length, 0),
      messages: snapshot.messages.length,
      workers: snapshot.workers.length,
      verdicts: snapshot.verdicts.length,
      documents: snapshot.documents.length,
    },
  }
}

function within(path: string, notes: readonly FileNote[]): FileNote[] {
  return notes.map(({ file, what }) => ({ file: path === "" ? file : `${path}/${file}`, what }))
}

function nothingFound(path: string): AppError {
  return new AppError(
    "import.nothing_found",
    `${path} holds no team in a format teamwork knows: a teamwork export, project.json or session.json with tasks/, team-session.json of a TC-* folder, projects/ID/state.json, .forge/team-state.json`,
    { path },
  )
}
