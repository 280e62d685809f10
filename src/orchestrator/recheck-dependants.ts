import { listDueRechecks } from "../tasks/recheck.ts"
import type { Action, EngineSnapshot } from "./actions.ts"

/** Tasks that build on a revised one are looked at again once its new work is merged. */
export function recheckDependants({ tasks, history, team, waves }: EngineSnapshot): Action | undefined {
  const asked = new Map<string, string>()
  for (const { id, recheckOf } of history.tasks.values()) if (recheckOf !== null) asked.set(id, recheckOf)
  if (asked.size === 0) return undefined
  const waveOf = new Map<string, number | null>(tasks.map(({ id, wave }) => [id, wave]))
  const verified = new Set(waves.waves.filter(({ status }) => status === "verified").map(({ id }) => id))
  // What is resolved is merged at once in an eager team, and with its wave in the others.
  const isMerged = (id: string) => {
    const wave = waveOf.get(id) ?? null
    return team.schedule === "eager" || wave === null || verified.has(wave)
  }
  const due = listDueRechecks(tasks, asked).filter(({ id, blockedBy }) => [...blockedBy, id].every(isMerged))
  return due.length === 0 ? undefined : { type: "recheck", tasks: due.map(({ id }) => id) }
}
