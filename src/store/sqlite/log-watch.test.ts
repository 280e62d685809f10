import { expect, it } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { untilWritten } from "./log-watch.ts"

const LONG_MS = 60_000

it("sees a commit whose log was written before anybody listened, as soon as the disk is done with it", async () => {
  using scratch = makeScratch("log")
  const file = join(scratch.path, "log")
  writeFileSync(file, "")
  let looks = 0
  const isBehind = () => ++looks === 3
  expect(await untilWritten(file, { ms: LONG_MS, isBehind })).toBe(false)
  expect(looks).toBe(3)
})

it("wakes with a write, and with an interruption", async () => {
  using scratch = makeScratch("log")
  const file = join(scratch.path, "log")
  writeFileSync(file, "")
  const written = untilWritten(file, { ms: LONG_MS, isBehind: () => false })
  writeFileSync(file, "x")
  expect(await written).toBe(true)
  const controller = new AbortController()
  const waiting = untilWritten(file, { ms: LONG_MS, signal: controller.signal, isBehind: () => false })
  controller.abort()
  expect(await waiting).toBe(false)
})

it("ends when its time is up", async () => {
  using scratch = makeScratch("log")
  const file = join(scratch.path, "log")
  writeFileSync(file, "")
  expect(await untilWritten(file, { ms: 1, isBehind: () => false })).toBe(false)
})
