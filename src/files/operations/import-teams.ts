import { PERSON } from "../../kernel/actor.ts"
import { ofType } from "../../kernel/events.ts"
import { describeTeam } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import type { PastEvent, TeamSnapshot } from "../snapshot.ts"

export interface Arrival {
  readonly snapshot: TeamSnapshot
  readonly history: readonly PastEvent[]
  /** Null for our own export, whose history has it. */
  readonly origin: Origin | null
}

export interface Origin {
  readonly layout: string
  readonly source: string
  /** Equal for equal files. */
  readonly fingerprint: string
}

/**
 * `unchanged`: the store had it already. `moved on`: the same, but it or the files changed since. `conflict`:
 * another team has the name.
 */
export type ArrivalResult = "imported" | "unchanged" | "moved on" | "conflict"

export async function storeTime({ store }: Context): Promise<string> {
  return store.read(async (tx) => new Date(await tx.now()).toISOString())
}

/** Imports each team whole or not at all; none when the store fails. Never changes an existing team. */
export async function importTeams(
  { store }: Context,
  arrivals: readonly Arrival[],
  { dryRun }: { dryRun: boolean },
): Promise<ArrivalResult[]> {
  const bring = async (tx: Tx) => {
    const results: ArrivalResult[] = []
    const known = await readKnown(tx, arrivals)
    // The last run of a team becomes the current one.
    const last = new Map<string, number>()
    for (const { snapshot } of arrivals) {
      const name = describeTeam(snapshot.team)
      last.set(name, Math.max(last.get(name) ?? 0, snapshot.team.run))
    }
    for (const arrival of arrivals) {
      const { team } = arrival.snapshot
      const isCurrent = team.run === last.get(describeTeam(team))
      const runs = known.get(describeTeam(team)) ?? []
      const existing = runs.find(({ run }) => run === team.run)
      if (existing !== undefined) results.push(await compare(tx, existing, arrival))
      // Runs of another copy do not fit into an existing team.
      else if (runs.length > 0) results.push("conflict")
      else results.push(dryRun ? "imported" : await restore(tx, arrival, isCurrent))
    }
    return results
  }
  return dryRun ? store.read(bring) : store.write(bring)
}

async function readKnown(tx: Tx, arrivals: readonly Arrival[]): Promise<ReadonlyMap<string, readonly StoredTeam[]>> {
  const known = new Map<string, readonly StoredTeam[]>()
  for (const { snapshot } of arrivals) known.set(describeTeam(snapshot.team), await tx.teams.runs(snapshot.team))
  return known
}

async function restore(tx: Tx, arrival: Arrival, isCurrent: boolean): Promise<ArrivalResult> {
  const key = await tx.archive.restore(arrival.snapshot, await withOrigin(tx, arrival), isCurrent)
  return key === undefined ? "conflict" : "imported"
}

async function withOrigin(tx: Tx, { history, origin }: Arrival): Promise<readonly PastEvent[]> {
  if (origin === null) return history
  const arrived: PastEvent = {
    type: "team.imported",
    version: 1,
    timestamp: new Date(await tx.now()).toISOString(),
    by: PERSON,
    data: { ...origin },
  }
  return [...history, arrived]
}

async function compare(tx: Tx, existing: StoredTeam, { snapshot, history, origin }: Arrival): Promise<ArrivalResult> {
  if (origin !== null) {
    const { events } = await tx.events.list(existing.key, { type: "team.imported", limit: 1 })
    const earlier = ofType(events, "team.imported")[0]?.data
    if (earlier?.fingerprint === origin.fingerprint) return "unchanged"
    return earlier?.source === origin.source ? "moved on" : "conflict"
  }
  if (existing.createdAt !== snapshot.team.createdAt) return "conflict"
  // Loop states belong to terminals, and may be stored elsewhere.
  const isSame = Bun.deepEquals({ ...(await tx.archive.read(existing.key)), loops: [] }, { ...snapshot, loops: [] })
  const count = (await tx.events.list(existing.key, { limit: history.length + 1 })).events.length
  return isSame && count === history.length ? "unchanged" : "moved on"
}
