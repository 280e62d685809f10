import { AppError } from "../../kernel/errors.ts"
import type { Context } from "../../store/operation.ts"
import type { Finding } from "../../teams/operations/examine-team.ts"
import { type ExportPlace, listExportPlaces, loopFolderOf } from "./export-places.ts"
import { exportTeam } from "./mirror.ts"
import { inspectMirrorFolder } from "./mirror-folder.ts"

/** Finds exported files that a person changed, perhaps believing that this changes the team. */
export async function checkExports(
  context: Context,
  { home, fix }: { home: string; fix: boolean },
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const place of listExportPlaces(home)) {
    const { edited, missing } = inspectMirrorFolder(place.folder)
    const check = `export ${place.folder}`
    if (edited.length === 0 && missing.length === 0) {
      findings.push({ check, status: "ok", detail: "every file is as teamwork wrote it", fixed: false })
      continue
    }
    const detail = [say("changed by hand", edited), say("missing", missing)].filter((part) => part !== "").join("; ")
    const fixed = fix && (await writeAgain(context, place, home))
    const advice = fixed
      ? "; changed ones are kept in the folder edited/"
      : `; the store was not changed; write the files again with: teamwork export --project ${place.project} --team ${place.team} --to ${place.folder}`
    findings.push({ check, status: "warning", detail: detail + advice, fixed })
  }
  return findings
}

const MOST_NAMES = 5

function say(what: string, files: readonly string[]): string {
  if (files.length === 0) return ""
  const more = files.length > MOST_NAMES ? ` and ${files.length - MOST_NAMES} more` : ""
  return `${what}: ${files.slice(0, MOST_NAMES).join(", ")}${more}`
}

async function writeAgain(context: Context, place: ExportPlace, home: string): Promise<boolean> {
  try {
    await exportTeam(context, place, { folder: place.folder, loopFolder: loopFolderOf(home, place) })
    return true
  } catch (error) {
    if (error instanceof AppError) return false // the team is gone, or the folder cannot be written
    throw error
  }
}
