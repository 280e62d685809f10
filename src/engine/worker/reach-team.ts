import type { McpServer } from "../../agents/port.ts"
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

const OUR_SERVER = "teamwork"

/** Ours, as the worker. Some agents give a server next to nothing of their environment, so it gets what it needs. */
export function serversFor(
  { options, worker }: Shift,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, McpServer>> {
  const [command, ...args] = options.reach?.self ?? []
  if (command === undefined || !options.settings.mcp) return {}
  return { [OUR_SERVER]: { command, args: [...args, "mcp", "--as", worker], env } }
}
