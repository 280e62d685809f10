import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { TeamName } from "../../kernel/team.ts"

/** Where exports of this machine lie, so that `doctor` can look after them. A list in the home; losing it loses nothing. */
export interface ExportPlace extends TeamName {
  readonly folder: string
}

export function listExportPlaces(home: string): ExportPlace[] {
  try {
    const places: unknown = JSON.parse(readFileSync(fileOf(home), "utf8"))
    // One that somebody removed is no concern of anybody's.
    return Array.isArray(places) ? places.filter(isPlace).filter((place) => existsSync(place.folder)) : []
  } catch {
    return []
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

/** Where a team is written unless another place is named. */
export function homePlace(home: string, { project, team }: TeamName): ExportPlace {
  return { folder: join(home, project, team), project, team }
}

/** Where an earlier run of a team is written, in the folder of the team. */
export function runFolder(folder: string, run: number): string {
  return join(folder, "runs", String(run))
}

/** A team's own folder in the home keeps its loop states where those of all teams lie, as loops have always done. */
export function loopFolderOf(home: string, { folder, project, team }: ExportPlace): string | undefined {
  return folder === homePlace(home, { project, team }).folder ? join(home, ".loop-state") : undefined
}

function fileOf(home: string): string {
  return join(home, "exports.json")
}

function isPlace(value: unknown): value is ExportPlace {
  const { folder, project, team } = (value ?? {}) as Partial<ExportPlace>
  return typeof folder === "string" && typeof project === "string" && typeof team === "string"
}
