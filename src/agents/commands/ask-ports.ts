import type { Session } from "../../app/command.ts"
import { readSurvey } from "../../planning/commands/choose-here.ts"
import { findRoles } from "../../planning/commands/role-commands.ts"
import type { AskPorts } from "../choose/ask-agent.ts"
import { makeRunNotes } from "../jobs/run-notes.ts"

/** What a question to an agent takes, as configured here. */
export async function askPorts(session: Session): Promise<AskPorts & Required<Pick<AskPorts, "notes">>> {
  const { host, context, configured } = session
  const { agentDefaults: defaults, recordings, project, team, hasStore } = await configured()
  const [{ warnings: _, ...survey }, { roles }] = await Promise.all([readSurvey(session), findRoles(session)])
  const noted = { project, team, hasStore, openContext: context }
  return {
    ...{ ...survey, ...noted, roles, defaults, ids: host.ids, callerEnv: host.env },
    maxBytes: recordings.maxMegabytes * 1_000_000,
    notes: makeRunNotes(noted),
  }
}
