// Whatever is in the files, what comes out can be restored: fixtures with anything in the place of anything.
import { describe, expect, it } from "bun:test"
import { join } from "node:path"
import fc from "fast-check"
import { diskFolder } from "../../../test/support/folders.ts"
import { CONTEXT, FIXTURES } from "../../../test/support/layouts.ts"
import { AppError } from "../../kernel/errors.ts"
import { readEvent } from "../../kernel/events.ts"
import { isId } from "../../kernel/ids.ts"
import { TEAM_MODES, TEAM_PHASES, TEAM_STATUSES } from "../../kernel/team.ts"
import { MESSAGE_TYPES } from "../../messages/message.ts"
import { VERDICT_STATUSES } from "../../quality/verdict.ts"
import { EVIDENCE_TYPES } from "../../tasks/evidence.ts"
import { layerTasks } from "../../tasks/layers.ts"
import { COMPLEXITIES, ROLES, TASK_STATUSES } from "../../tasks/task.ts"
import type { Folder } from "../own/folder.ts"
import { parseJson } from "./foreign-json.ts"
import type { FoundTeam } from "./found-team.ts"
import { findTeams, parseTeam } from "./layouts.ts"

const SAMPLES = [
  "teamwork-v2/sample",
  "teamwork-v2/hostile",
  "tc-session/sample",
  "pm-project/sample",
  "forge-team/with-tasks",
]

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    "1",
    "2",
    "3",
    1,
    2,
    "../x",
    "",
    "resolved",
    "in_progress",
    "verified",
    "2025-01-01",
    "a\u0000\ud800",
    -1,
    { toString: null },
  ),
)
const damage = fc.array(fc.tuple(fc.nat(), anything), { minLength: 1, maxLength: 6 })

describe("damaged files", () => {
  it.each(SAMPLES)("of %s", (name) => {
    const folder = diskFolder(join(FIXTURES, name))
    fc.assert(
      fc.property(damage, (changes) => {
        const damaged = spoil(folder, changes)
        for (const place of findTeams(damaged)) {
          const found = parse(damaged, place)
          if (found !== undefined) assertRestorable(found)
        }
      }),
      { numRuns: 150 },
    )
  })
})

function parse(folder: Folder, place: Parameters<typeof parseTeam>[1]): FoundTeam | undefined {
  if (place.layout === "export") return undefined
  try {
    return parseTeam(folder, place, CONTEXT)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Puts values in the place of others, counted through all JSON files. */
function spoil(folder: Folder, changes: readonly (readonly [number, unknown])[]): Folder {
  const files = folder.paths.flatMap((path) => {
    const parsed = parseJson(folder.read(path))
    return parsed.ok ? [{ path, value: { whole: parsed.value } as Record<string, unknown> }] : []
  })
  const places = files.flatMap(({ value }) => listPlaces(value))
  for (const [index, value] of changes) {
    const place = places[index % places.length]
    if (place !== undefined) place.holder[place.key] = structuredClone(value)
  }
  const spoiled = new Map(files.map(({ path, value }) => [path, JSON.stringify(value.whole)]))
  return {
    paths: folder.paths,
    read: (path) => (spoiled.has(path) ? new TextEncoder().encode(spoiled.get(path)) : folder.read(path)),
  }
}

function listPlaces(holder: Record<string, unknown>): { holder: Record<string, unknown>; key: string }[] {
  return Object.keys(holder).flatMap((key) => {
    const inner = holder[key]
    const below = typeof inner === "object" && inner !== null ? listPlaces(inner as Record<string, unknown>) : []
    return [{ holder, key }, ...below]
  })
}

function assertRestorable({ snapshot, history }: FoundTeam): void {
  const { team, tasks, waves, workers, messages, verdicts, loops, documents } = snapshot
  expect([
    team.project,
    team.team,
    ...workers.map((each) => each.id),
    ...loops.map((each) => each.terminalId),
  ]).toSatisfy((ids: string[]) => ids.every(isId))
  expect(TEAM_PHASES).toContain(team.phase)
  expect(TEAM_STATUSES).toContain(team.status)
  expect(TEAM_MODES).toContain(team.mode)
  for (const list of [tasks, workers, messages]) {
    expect(new Set(list.map((each) => each.id as string)).size).toBe(list.length)
  }
  expect(new Set(documents.map((each) => each.path)).size).toBe(documents.length)
  expect(layerTasks(tasks).layers.flat()).toHaveLength(tasks.length)
  expect(waves.map((wave) => wave.number)).toEqual(waves.map((_, index) => index + 1))
  for (const task of tasks) {
    expect(isId(task.id) && task.title.trim() !== "" && !/[\r\n]/.test(task.title)).toBe(true)
    expect(TASK_STATUSES).toContain(task.status)
    expect(ROLES).toContain(task.role)
    expect(COMPLEXITIES).toContain(task.complexity)
    expect(task.wave === null ? waves.length === 0 : task.wave >= 1 && task.wave <= waves.length).toBe(true)
    expect(["in_progress", "in_review"]).not.toContain(task.status)
    expect(task.pausedFrom === null).toBe(task.status !== "paused")
    for (const entry of task.evidence) expect(EVIDENCE_TYPES).toContain(entry.type)
  }
  for (const message of messages) {
    expect(MESSAGE_TYPES).toContain(message.type)
    expect(isId(message.from) && isId(message.to)).toBe(true)
  }
  for (const verdict of verdicts) expect(VERDICT_STATUSES).toContain(verdict.status)
  for (const event of history) readEvent({ ...event, data: { ...event.data } })
  expect(history.map((event) => event.timestamp)).toEqual(history.map((event) => event.timestamp).sort())
  assertPlain({ snapshot: { ...snapshot, documents: [] }, history })
}

/** Times are ours, and no text holds what a store refuses. */
function assertPlain(value: unknown, key = ""): void {
  if (typeof value === "string") {
    expect(value.includes("\0") || !value.isWellFormed()).toBe(false)
    if (/At$|^timestamp$|Until$/.test(key)) expect(new Date(value).toISOString()).toBe(value)
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) if (name !== "payload") assertPlain(inner, name)
  } else expect(value).not.toBeUndefined()
}
