import { join } from "node:path"
import { type Completed, completeTeam } from "../../delivery/archive/archive-team.ts"
import { homePlace, loopFolderOf, rememberExport } from "../../files/mirror/export-places.ts"
import { exportTeam } from "../../files/mirror/mirror.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { CompletionAction } from "../../teams/completion.ts"
import { keepTeam } from "../../teams/operations/complete-team.ts"
import { sayCompleted } from "../../teams/views/completion-view.ts"
import type { Outcome, Session } from "../command.ts"
import { writeDeliverablesHere } from "./deliverables-here.ts"
import { findTools } from "./workspace-tools.ts"

interface Place extends TeamName {
  readonly sourceDir?: string
  readonly handOver?: () => Promise<string>
}

export async function completeHere(session: Session, { handOver, ...place }: Place): Promise<Completed> {
  const { project, team } = place
  return completeTeam(await session.context(), {
    project,
    team,
    workspaces: await findTools(session, place),
    ...(handOver && { handOver }),
  })
}

/** Not archiving a team is a failure, although nothing is lost. */
export function completedOutcome(name: TeamName, done: Completed): Outcome {
  return {
    data: { ...name, ...done },
    text: () => sayCompleted(name, done),
    warnings: done.warnings,
    exitCode: done.action === "keep" ? 1 : 0,
  }
}

interface Target extends TeamName {
  readonly folder: string
  readonly sourceDir?: string
  readonly force?: boolean
}

/** Exports before archiving, and again afterwards, because the files describe the archiving. */
export async function archiveTo(session: Session, { folder, force, sourceDir, ...name }: Target): Promise<Completed> {
  const { home } = await session.configured()
  const write = async () => {
    await exportTeam(await session.context(), name, {
      folder,
      loopFolder: loopFolderOf(home, { folder, ...name }),
      force,
    })
    rememberExport(home, { folder, ...name })
  }
  const handOver = async () => {
    await write()
    await writeDeliverablesHere(session, { ...name, folder: join(folder, "deliverables"), sourceDir })
    return folder
  }
  const done = await completeHere(session, { ...name, sourceDir, handOver })
  if (done.action === "export") await write()
  return done
}

interface Finish extends TeamName {
  readonly action: CompletionAction
  readonly sourceDir?: string
}

/** Undefined if a person decides; see HOW_TO_FINISH. */
export async function finishRun(
  session: Session,
  { action, sourceDir, ...name }: Finish,
): Promise<Completed | undefined> {
  if (action === "interactive") return undefined
  if (action === "keep") {
    await keepTeam.run(await session.context(), name)
    return { action, summary: null, removed: [], pins: [], artifacts: [], warnings: [] }
  }
  if (action === "archive") return completeHere(session, { ...name, sourceDir })
  const { home } = await session.configured()
  return archiveTo(session, { ...name, folder: homePlace(home, name).folder, sourceDir })
}

export const HOW_TO_FINISH =
  "Put it away with: teamwork archive; keep it with: teamwork keep; hand it over with: teamwork export --to DIR --archive"
