import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import type { TeamName } from "../../kernel/team.ts"
import { foldText } from "../../kernel/words.ts"
import { described } from "../../lib/schema.ts"
import { type Context, operation, teamFields, textField } from "../../store/operation.ts"
import { addRecord, byField, changeRecord, removeRecord } from "../../store/records.ts"
import { getTeam, lockTeam } from "../../tasks/operations/lookup.ts"
import { type Exploration, type ExplorationContent, packExploration, toExploration } from "../exploration.ts"

export const angleField = textField("what it was looked at for", 10_000)

/** Ignores case, spaces and punctuation. */
const isAngle = (angle: string) => {
  const folded = foldText(angle)
  return (record: TeamRecord) => foldText(String(record.data.angle ?? "")) === folded
}

/** Replaces an entry with the same angle. */
export async function keepExploration(
  { store }: Context,
  given: TeamName & ExplorationContent & { readonly by: string },
): Promise<Exploration> {
  const { project, team: name, by, ...content } = given
  const data = packExploration(content)
  return store.write(async (tx) => {
    const team = await lockTeam(tx, { project, team: name })
    const known = (await tx.records.list(team.key, { kind: "exploration" })).find(isAngle(content.angle))
    const record = { kind: "exploration" as const, taskId: null, attempt: null, status: "kept", data, by }
    const about = content.angle.slice(0, 200)
    const kept =
      known === undefined
        ? await addRecord(tx, team, record, about)
        : await changeRecord(tx, team, { record: known, to: { status: "kept", data }, by, about })
    const exploration = kept && toExploration(kept)
    if (exploration === undefined) throw new Error("an exploration that was just kept cannot be read")
    return exploration
  })
}

export interface KnownExplorations {
  readonly explorations: readonly Exploration[]
  /** Angles of corrupt entries that were removed. */
  readonly cleared: readonly string[]
}

/** Removes corrupt entries, so that their angle is explored again. */
export async function readExplorations(
  { store }: Context,
  { angle, ...name }: TeamName & { readonly angle?: string },
): Promise<KnownExplorations> {
  const { explorations, corrupt } = await store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    const all = await tx.records.list(key, { kind: "exploration" })
    const records = angle === undefined ? all : all.filter(isAngle(angle))
    const read = records.map((record) => ({ record, exploration: toExploration(record) }))
    return {
      explorations: read.flatMap(({ exploration }) => (exploration === undefined ? [] : [exploration])),
      corrupt: read.flatMap(({ record, exploration }) => (exploration === undefined ? [record] : [])),
    }
  })
  if (corrupt.length > 0)
    await store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      for (const { kind, number } of corrupt) {
        const now = await tx.records.find(team.key, kind, number)
        // Perhaps explored again meanwhile.
        if (now !== undefined && toExploration(now) === undefined) await removeRecord(tx, team, now, PERSON)
      }
    })
  return { explorations, cleared: corrupt.map(({ data, number }) => String(data.angle ?? `number ${number}`)) }
}

export const clearExplorations = operation({
  name: "explore.clear",
  summary: "Forget explorations, so that the repository is explored again",
  input: {
    ...teamFields,
    angle: v.optional(described(angleField, "only this one")),
    by: byField("who clears"),
  },
  run: ({ store }, { angle, by = PERSON, ...name }): Promise<{ cleared: number }> =>
    store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const all = await tx.records.list(team.key, { kind: "exploration" })
      const gone = angle === undefined ? all : all.filter(isAngle(angle))
      for (const record of gone) await removeRecord(tx, team, record, by)
      return { cleared: gone.length }
    }),
})
