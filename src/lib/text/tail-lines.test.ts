import { expect, it } from "bun:test"
import { appendFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { openRecording } from "../process/recording.ts"
import { tailLines } from "./tail-lines.ts"

it("gives whole lines as they come, of a file that comes later", () => {
  using scratch = makeScratch()
  const file = join(scratch.path, "log")
  using lines = tailLines(file)
  expect(lines.read()).toEqual([])
  appendFileSync(file, "one\ntw")
  expect(lines.read()).toEqual(["one"])
  expect(lines.rest()).toBe("tw")
  appendFileSync(file, "o\n\nthr")
  expect(lines.read()).toEqual(["two", ""])
  expect(lines.read()).toEqual([])
  writeFileSync(file, "new\n")
  expect(lines.read()).toEqual(["thrnew"])
})

it("gives each line of a recording once, however often its beginning is cut off", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 }), (bursts) => {
      using scratch = makeScratch()
      const file = join(scratch.path, "log")
      using recording = openRecording(file, { maxBytes: 20_000, mark: (bytes) => `[${bytes} left out]` })
      using lines = tailLines(file)
      let number = 0
      const seen: string[] = []
      for (const burst of bursts) {
        for (let at = 0; at < burst; at++) recording.write(`line ${number++} ${"x".repeat(600)}`)
        seen.push(...lines.read())
      }
      const numbers = seen.filter((line) => !line.startsWith("[")).map((line) => Number(line.split(" ")[1]))
      expect(numbers).toEqual(Array.from({ length: number }, (_, at) => at))
    }),
    { numRuns: 50 },
  )
})
