import type { AskPorts } from "../../agents/choose/ask-agent.ts"
import { makeRunNotes } from "../../agents/jobs/run-notes.ts"
import type { Session } from "../command.ts"
import { findRoles } from "./find-roles.ts"
import { readSurvey } from "./survey.ts"

/** What a question to an agent takes, as configured here. */
export async function askPorts(
  session: Session,
  { isHeld = false }: { readonly isHeld?: boolean } = {},
): Promise<AskPorts & Required<Pick<AskPorts, "notes">>> {
  const { host, context, configured } = session
  const { agentDefaults: defaults, recordings, project, team, hasStore } = await configured()
  const [{ warnings: _, ...survey }, { roles }] = await Promise.all([readSurvey(session), findRoles(session)])
  const noted = { project, team, hasStore, openContext: context }
  return {
    ...{ ...survey, ...noted, roles, defaults, ids: host.ids, callerEnv: host.env },
    maxBytes: recordings.maxMegabytes * 1_000_000,
    notes: makeRunNotes({ ...noted, isHeld }),
  }
}
