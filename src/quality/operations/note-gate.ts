import type { EventData } from "../../kernel/events.ts"
import { parseTaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import type { Verdict } from "../verdict.ts"

interface StartedGate extends Pick<Verdict, "scope" | "subject" | "by"> {
  readonly commit: string
  readonly checks: readonly string[]
}

/** The verdict marks the end; a killed gate has none. */
export async function noteGateStarted(
  { store }: Context,
  { project, team, run }: TeamName,
  { by, ...gate }: StartedGate,
): Promise<void> {
  const { scope, subject } = gate
  const task = scope === "task" && subject !== null ? parseTaskId(subject) : null
  const data: EventData<"gate.started"> = { ...gate, task }
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, { project, team, run })
    await tx.events.append(key, by, { type: "gate.started", data })
  })
}
