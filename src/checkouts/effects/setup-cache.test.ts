import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { systemClock } from "../../lib/clock.ts"
import { sleep } from "../../lib/sleep.ts"
import { openSetupCache, removeOldSetups } from "./setup-cache.ts"

const DAY_MS = 86_400_000

test("an entry is there whole or not at all, and is made once", async () => {
  using scratch = makeScratch()
  const cache = openSetupCache({ home: scratch.path, clock: systemClock, sleep })
  const entry = { places: ["node_modules"], origin: "/checkout" }
  const failing = cache.add("a", entry, async (_place, folder) => {
    mkdirSync(folder)
    throw new Error("no space")
  })
  expect(failing).rejects.toThrow("no space")
  await failing.catch(() => undefined)
  expect(cache.find("a")).toBeUndefined()
  let made = 0
  const make = () =>
    cache.alone("a", 10_000, async () => {
      if (cache.has("a")) return
      made++
      await cache.add("a", entry, async (place, folder) => {
        mkdirSync(folder)
        await sleep(50)
        writeFileSync(join(folder, "x"), place)
      })
    })
  await Promise.all([make(), make(), make()])
  expect(made).toBe(1)
  const found = cache.find("a")
  expect(found).toMatchObject(entry)
  expect(readFileSync(`${found?.folder}/0/x`, "utf8")).toBe("node_modules")
  cache.drop("a")
  expect(cache.has("a")).toBe(false)
})

test("entries go when nobody used them for long, or when they are too many", async () => {
  using scratch = makeScratch()
  const home = scratch.path
  const cache = openSetupCache({ home, clock: systemClock, sleep })
  const now = systemClock.now()
  for (const [key, ageDays] of [
    ["old", 20],
    ["middle", 2],
    ["young", 1],
  ] as const) {
    await cache.add(key, { places: ["p"], origin: "/" }, async (_place, folder) => {
      mkdirSync(folder)
      writeFileSync(join(folder, "x"), "x".repeat(1_000_000))
    })
    const at = (now - ageDays * DAY_MS) / 1000
    utimesSync(join(home, "setups", key, "meta.json"), at, at)
  }
  const remove = (maxAgeDays: number, maxMegabytes: number, dryRun = false) =>
    removeOldSetups(home, { maxAgeDays, maxMegabytes, dryRun, now }).count
  const left = () => ["old", "middle", "young"].filter((key) => existsSync(join(home, "setups", key)))
  expect(remove(14, 100, true)).toBe(1)
  expect(left()).toHaveLength(3)
  expect(remove(14, 100)).toBe(1)
  expect(left()).toEqual(["middle", "young"])
  expect(remove(0, 1.5)).toBe(1)
  expect(left()).toEqual(["young"])
  expect(remove(0, 1.5)).toBe(0)
  expect(removeOldSetups(join(home, "nowhere"), { maxAgeDays: 1, maxMegabytes: 1, dryRun: false, now }).count).toBe(0)
})
