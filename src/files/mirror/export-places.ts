import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as v from "valibot"
import type { TeamName } from "../../kernel/team.ts"

const ExportPlace = v.object({ folder: v.string(), project: v.string(), team: v.string() })

/** The home lists them for `doctor`; losing the list loses nothing. */
export type ExportPlace = Readonly<v.InferOutput<typeof ExportPlace>>

const PlacesFile = v.pipe(v.string(), v.parseJson(), v.array(v.unknown()))

/** Without deleted exports. */
export function listExportPlaces(home: string): ExportPlace[] {
  try {
    const places = v.parse(PlacesFile, readFileSync(fileOf(home), "utf8"))
    return places.filter((place) => v.is(ExportPlace, place)).filter(({ folder }) => existsSync(folder))
  } catch {
    return [] // missing or damaged
  }
}

export function rememberExport(home: string, place: ExportPlace): void {
  const others = listExportPlaces(home).filter((other) => other.folder !== place.folder)
  const { folder, project, team } = place
  const places = [...others, { folder, project, team }].sort((a, b) => (a.folder < b.folder ? -1 : 1))
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const draft = `${fileOf(home)}.${process.pid}.tmp`
  writeFileSync(draft, `${JSON.stringify(places, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, fileOf(home))
}

export function homePlace(home: string, { project, team }: TeamName): ExportPlace {
  return { folder: join(home, project, team), project, team }
}

export function runFolder(folder: string, run: number): string {
  return join(folder, "runs", String(run))
}

/** In a team's own folder of the home, loop states go where all loops expect them. */
export function loopFolderOf(home: string, { folder, project, team }: ExportPlace): string | undefined {
  return folder === homePlace(home, { project, team }).folder ? join(home, ".loop-state") : undefined
}

function fileOf(home: string): string {
  return join(home, "exports.json")
}
