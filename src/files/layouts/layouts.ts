import type { Folder } from "../own/folder.ts"
import { parseExport } from "../own/parse.ts"
import { parseForgeTeam } from "./forge-team.ts"
import type { FoundTeam, Layout, ParseContext, ParsedTeam } from "./found-team.ts"
import { parsePmProject } from "./pm-project.ts"
import { MARKS, recognize } from "./recognize.ts"
import { isLeftover, Source } from "./source.ts"
import { parseTcSession } from "./tc-session.ts"
import { parseTeamworkFiles } from "./teamwork-files.ts"

export interface Place {
  readonly layout: Layout
  /** Relative to the searched folder; empty for that folder itself. */
  readonly path: string
}

/**
 * Finds teams below a folder by their marker files, the only contents it reads. A folder inside a team is not a
 * team, except the earlier runs of an export.
 */
export function findTeams(folder: Folder): Place[] {
  const paths = new Set(folder.paths.filter((path) => !isLeftover(path)))
  const marked = new Set([...paths].filter((path) => MARKS.has(path.slice(path.lastIndexOf("/") + 1))).map(parentOf))
  const places: Place[] = []
  // Outermost first: find a team before the folders in it.
  for (const path of [...marked].sort((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1))) {
    const around = places.find((place) => place.path === "" || path.startsWith(`${place.path}/`))
    if (around !== undefined && !isEarlierRun(around, path)) continue
    const layout = recognize(folder, path, paths)
    if (layout !== undefined && (around === undefined || layout === "export")) places.push({ layout, path })
  }
  return places.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function isEarlierRun(around: Place, path: string): boolean {
  const inside = around.path === "" ? path : path.slice(around.path.length + 1)
  return around.layout === "export" && /^runs\/[1-9]\d*$/.test(inside)
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0))
}

/** Throws AppError when the main file of the team is unusable. */
export function parseTeam(folder: Folder, place: Place, context: ParseContext): FoundTeam {
  return { ...PARSERS[place.layout](folder, place.path, context), layout: place.layout, path: place.path }
}

type Parser = (folder: Folder, path: string, context: ParseContext) => ParsedTeam

const PARSERS: Record<Layout, Parser> = {
  export: (folder, path) => parseExport(subFolder(folder, path)),
  "teamwork-v2": (folder, path, context) => parseTeamworkFiles(new Source(folder, path), "project.json", context),
  "teamwork-v1": (folder, path, context) => parseTeamworkFiles(new Source(folder, path), "session.json", context),
  "tc-session": (folder, path, context) => parseTcSession(new Source(folder, path), context),
  "pm-project": (folder, path, context) => parsePmProject(new Source(folder, path), context),
  "forge-team": (folder, path, context) =>
    parseForgeTeam(new Source(folder, path, (file) => /^(?:team|worker)-[^/]*$/.test(file)), context),
}

function subFolder(folder: Folder, path: string): Folder {
  if (path === "") return folder
  const start = `${path}/`
  return {
    paths: folder.paths.filter((each) => each.startsWith(start)).map((each) => each.slice(start.length)),
    read: (file) => folder.read(start + file),
  }
}
