import { join } from "node:path"
import type { FoundTeam } from "../../src/files/layouts/found-team.ts"
import { findTeams, parseTeam } from "../../src/files/layouts/layouts.ts"
import { diskFolder } from "./folders.ts"

export const FIXTURES = join(import.meta.dir, "../fixtures/layouts")
export const CONTEXT = { nowIso: "2026-01-02T03:04:05.000Z", defaultProject: "here", defaultTeam: "main" }

export function parseFixture(name: string): FoundTeam {
  const folder = diskFolder(join(FIXTURES, name))
  const [place] = findTeams(folder)
  if (place === undefined) throw new Error(`no team in ${name}`)
  return parseTeam(folder, place, CONTEXT)
}
