import { expect, test } from "bun:test"
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../test/support/sandbox.ts"
import { removeOldRuns } from "./remove-old-runs.ts"

const DAY = 86_400_000
const NOW = Date.parse("2026-06-01T00:00:00.000Z")

function record(home: string, run: string, ageDays: number): string {
  const folder = join(home, "runs", run)
  mkdirSync(join(folder, "state"), { recursive: true })
  for (const file of ["events.jsonl", "state/settings.json"]) writeFileSync(join(folder, file), "12345")
  const at = (NOW - ageDays * DAY) / 1000
  for (const path of ["events.jsonl", "state/settings.json", "state", "."]) utimesSync(join(folder, path), at, at)
  return folder
}

test("recordings go when they are old, and folders with them", () => {
  using scratch = makeScratch()
  const home = scratch.path
  const old = record(home, "shop/main/1-1-1", 20)
  const young = record(home, "shop/main/2-1-1", 3)
  const other = record(home, "house/dev/1-1-1", 30)
  const remove = (maxAgeDays: number, dryRun = false) => removeOldRuns({ home, maxAgeDays, dryRun }, NOW)
  expect(remove(0)).toEqual({ count: 0, bytes: 0 })
  expect(remove(14, true)).toEqual({ count: 2, bytes: 20 })
  expect([old, young, other].map((folder) => existsSync(folder))).toEqual([true, true, true])
  expect(remove(14)).toEqual({ count: 2, bytes: 20 })
  expect([old, young, other].map((folder) => existsSync(folder))).toEqual([false, true, false])
  expect(existsSync(join(home, "runs/house"))).toBe(false)
  expect(removeOldRuns({ home: join(home, "nowhere"), maxAgeDays: 1, dryRun: false }, NOW).count).toBe(0)
})

test("a recording that somebody still writes to stays", () => {
  using scratch = makeScratch()
  const folder = record(scratch.path, "shop/main/1-1-1", 20)
  const at = NOW / 1000
  utimesSync(join(folder, "events.jsonl"), at, at)
  expect(removeOldRuns({ home: scratch.path, maxAgeDays: 14, dryRun: false }, NOW).count).toBe(0)
})
