import { homePlace, loopFolderOf, rememberExport } from "../../files/mirror/export-places.ts"
import { exportTeam, mirrorTeam } from "../../files/mirror/mirror.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Session } from "../command.ts"

/** How old a file about the team may be during a run. */
const RUN_DEBOUNCE_MS = 2000
/**
 * A task changes about ten times between claim and merge. Writing its files each time took more than half of the
 * orchestrator's time with quick agents (4.4 of 7.9 s for 150 tasks), while merges waited.
 */
const RUN_REST_MS = 500

/** Updates the files after the run. Ignores failures, which the run reported already. */
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

export async function mirrorHere(session: Session, name: TeamName, signal: AbortSignal): Promise<void> {
  const { home } = await session.configured()
  const place = homePlace(home, name)
  const loopFolder = loopFolderOf(home, place)
  const onUpdate = () => rememberExport(home, place)
  await mirrorTeam(await session.context(), name, {
    folder: place.folder,
    loopFolder,
    signal,
    debounceMs: RUN_DEBOUNCE_MS,
    restMs: RUN_REST_MS,
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
