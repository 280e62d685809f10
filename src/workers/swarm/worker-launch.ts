import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Role } from "../../tasks/task.ts"
import type { Runtime, WorkerLaunch } from "../runtimes/port.ts"
import { logFileOf } from "./places.ts"

export type { Runtime }
export type RuntimeName = Runtime["name"]

export interface LaunchFacts extends TeamName {
  readonly home: string
  readonly self: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly folder: string
  readonly runtime: RuntimeName
  readonly store?: string
  /** It ends with its team. */
  readonly isManaged: boolean
}

export function workerLaunch(facts: LaunchFacts, worker: WorkerId, role: Role | null): WorkerLaunch {
  const { home, self, env, folder, runtime, store, isManaged, project, team } = facts
  const flags = ["--worker-id", worker, "--project", project, "--team", team]
  return {
    worker,
    title: `${role ?? "worker"}-${worker}`,
    command: [
      ...self,
      "worker",
      ...flags,
      ...(role === null ? [] : ["--role", role]),
      ...(isManaged ? ["--managed"] : []),
    ],
    // The address of a store may hold a password, which a command line would show to all users.
    env: { ...env, TEAMWORK_ENGINE_RUNTIME: runtime, ...(store === undefined ? {} : { TEAMWORK_STORE: store }) },
    cwd: folder,
    logFile: logFileOf(home, { project, team }, worker),
  }
}
