import type { AgentJob, McpServer } from "../../agents/port.ts"
import { workerMark } from "./orphans.ts"
import type { Shift } from "./shift.ts"

/**
 * By these `teamwork` finds the same team wherever an agent calls it: they say what would otherwise be taken from the
 * folder, the branch and the settings of whoever calls. The mark tells whose process it is.
 */
export function reachVariables({ options, team, worker }: Shift): Readonly<Record<string, string>> {
  const { home, reach } = options
  const mark = { [workerMark({ ...team, home, worker })]: "1" }
  if (reach === undefined) return mark
  return {
    ...mark,
    TEAMWORK_HOME: home,
    TEAMWORK_STORE: reach.store,
    TEAMWORK_PROJECT: team.project,
    TEAMWORK_TEAM: team.team,
  }
}

/** Our own command is found, also where it is not installed. */
export function pathTo({ options }: Shift, { PATH = "" }: Readonly<Record<string, string>>): { PATH?: string } {
  if (options.reach === undefined) return {}
  return { PATH: PATH === "" ? options.reach.bin : `${options.reach.bin}:${PATH}` }
}

export const OUR_SERVER = "teamwork"

/**
 * Ours, as the worker. Some agents give a server next to nothing of their environment, so it gets what it needs. It is no
 * part of an agent's sandbox, so it runs no commands for one that may not run any outside of it; and to claim the task and
 * to end it is up to the worker, which commits and judges first.
 */
export function serversFor(
  { options, worker }: Shift,
  { env, permission }: Pick<AgentJob, "env" | "permission">,
): Readonly<Record<string, McpServer>> {
  const [command, ...self] = options.reach?.self ?? []
  if (command === undefined || !options.settings.mcp) return {}
  const args = [...self, "mcp", "--as", worker, "--no-claims", ...(permission === "full" ? [] : ["--no-commands"])]
  return { [OUR_SERVER]: { command, args, env } }
}
