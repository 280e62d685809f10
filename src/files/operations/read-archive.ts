import type { Event } from "../../kernel/events.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import type { RunName, TeamName } from "../../kernel/team.ts"
import type { Verdict } from "../../quality/verdict.ts"
import type { LoopState } from "../../sessions/loop-state.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { readEventsSince } from "../../teams/operations/follow-team.ts"
import type {
  SnapshotMessage,
  SnapshotTask,
  SnapshotTeam,
  SnapshotWave,
  SnapshotWorker,
  TeamSnapshot,
} from "../snapshot.ts"

export interface Archive {
  readonly key: number
  readonly snapshot: TeamSnapshot
  readonly events: readonly Event[]
  readonly cursor: string
}

export function readArchive({ store }: Context, name: TeamName): Promise<Archive> {
  return store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    return { key, snapshot: await tx.archive.read(key), ...(await readEventsSince(tx, key, undefined)) }
  })
}

export function listEarlierRuns({ store }: Context, { project, team, run }: RunName): Promise<number[]> {
  return store.read(async (tx) =>
    (await tx.teams.runs({ project, team })).flatMap((each) => (each.isCurrent || each.run >= run ? [] : [each.run])),
  )
}

export interface Wanted {
  readonly tasks: readonly TaskId[]
  readonly messagesFrom?: number
  readonly verdicts: boolean
  readonly records: boolean
}

/** The wanted parts, and those that may change without an event: renewed claims, heartbeats, loops. */
export interface Changes {
  readonly team: SnapshotTeam
  readonly waves: readonly SnapshotWave[]
  readonly workers: readonly SnapshotWorker[]
  readonly loops: readonly LoopState[]
  readonly tasks: readonly SnapshotTask[]
  readonly messages?: readonly SnapshotMessage[]
  readonly verdicts?: readonly Verdict[]
  readonly records?: readonly TeamRecord[]
  readonly events: readonly Event[]
  readonly cursor: string
}

export interface ChangesQuery extends TeamName {
  readonly key: number
  /** The cursor of an archive or of earlier changes. */
  readonly after: string
  readonly choose: (events: readonly Event[]) => Wanted | undefined
}

/** `gone` when the team was deleted, `much` when all of it must be read. */
export function readChanges({ store }: Context, query: ChangesQuery): Promise<Changes | "gone" | "much"> {
  return store.read(async (tx) => {
    const found = await tx.teams.find(query)
    if (found?.key !== query.key) return "gone"
    const { key } = query
    const { events, cursor } = await readEventsSince(tx, key, query.after)
    const wanted = query.choose(events)
    if (wanted === undefined) return "much"
    const { messagesFrom } = wanted
    return {
      team: await tx.archive.team(key),
      waves: await tx.waves.list(key),
      workers: await tx.archive.workers(key),
      loops: await tx.archive.loops(query),
      tasks: await tx.archive.tasks(key, wanted.tasks),
      ...(messagesFrom === undefined ? {} : { messages: await tx.archive.messages(key, messagesFrom) }),
      ...(wanted.verdicts ? { verdicts: await tx.verdicts.list(key) } : {}),
      ...(wanted.records ? { records: await tx.records.list(key) } : {}),
      events,
      cursor,
    }
  })
}
