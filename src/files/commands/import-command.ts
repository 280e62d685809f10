import { resolve } from "node:path"
import * as v from "valibot"
import { command } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { isId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { flag, text } from "../../lib/schema.ts"
import { importFolder } from "../mirror/import-folder.ts"
import { renderImport } from "../views/imports-view.ts"

const input = {
  path: v.optional(text("folder of a team, or one that holds teams; the teamwork home by default")),
  as: v.optional(text("PROJECT/TEAM: another name for the only team in the folder")),
  dryRun: flag("show what would be imported, and change nothing"),
}

export const importCommand = command({
  summary: "Import teams from an export, or from the files of earlier systems",
  fields: input,
  positional: ["path"],
  example: "teamwork import .workflow/.team --dry-run",
  async run({ host, context, configured }, { path, as, dryRun }) {
    const { home, project, team } = await configured()
    const report = await importFolder(await context(), {
      path: path === undefined ? home : resolve(host.io.cwd, path),
      as: as === undefined ? undefined : teamNameOf(as),
      defaults: { project, team },
      dryRun: dryRun === true,
    })
    const isWhole = report.refused.length === 0 && report.teams.every((each) => each.result !== "conflict")
    return { data: report, text: () => renderImport(report), exitCode: isWhole ? 0 : 1 }
  },
})

function teamNameOf(given: string): TeamName {
  const [project = "", team = "", ...more] = given.split("/")
  if (more.length > 0 || !isId(project) || !isId(team)) {
    throw new AppError(
      "usage",
      (say) => `${say.field("as")} takes a name such as shop/main, not ${JSON.stringify(given.slice(0, 80))}`,
    )
  }
  return { project, team }
}
