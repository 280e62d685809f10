import { expect, test } from "bun:test"
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeScratch } from "../../test/support/sandbox.ts"
import { removeOldLogs } from "./remove-old-logs.ts"

const DAY_MS = 86_400_000
const NOW = Date.parse("2026-06-01T00:00:00.000Z")

test("logs of workers go when nothing was added to them for long", () => {
  using scratch = makeScratch()
  const home = scratch.path
  const log = (name: string, ageDays: number) => {
    const file = join(home, "logs", name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, "12345")
    utimesSync(file, (NOW - ageDays * DAY_MS) / 1000, (NOW - ageDays * DAY_MS) / 1000)
    return file
  }
  const files = [log("shop/main/w1.log", 20), log("shop/main/w2.log", 3), log("house/dev/w1.log", 30)]
  const there = () => files.map((file) => existsSync(file))
  const remove = (maxAgeDays: number, dryRun = false) => removeOldLogs({ home, maxAgeDays, dryRun }, NOW)
  expect(remove(0)).toEqual({ count: 0, bytes: 0 })
  expect(remove(14, true)).toEqual({ count: 2, bytes: 10 })
  expect(there()).toEqual([true, true, true])
  expect(remove(14)).toEqual({ count: 2, bytes: 10 })
  expect(there()).toEqual([false, true, false])
  expect(removeOldLogs({ home: join(home, "nowhere"), maxAgeDays: 1, dryRun: false }, NOW).count).toBe(0)
})
