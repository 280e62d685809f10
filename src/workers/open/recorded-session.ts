import { readFileSync } from "node:fs"
import { join } from "node:path"
import { RECORDING_FILES, runFolder } from "../../agents/jobs/record-run.ts"
import type { Shift } from "../loop/shift.ts"

/** The session that a run named when it started: of one that still runs, or that nobody lived to end, there is no other word. */
export function recordedSession({ options, team }: Pick<Shift, "options" | "team">, run: string): string | null {
  try {
    const lines = readFileSync(join(runFolder(options.home, team, run), RECORDING_FILES.events), "utf8").split("\n")
    const line = lines.find((each) => each.includes('"started"')) ?? "{}"
    const { type, session } = JSON.parse(line) as { type?: unknown; session?: unknown }
    return type === "started" && typeof session === "string" ? session : null
  } catch {
    // The run has recorded nothing yet, or not on this machine.
    return null
  }
}
