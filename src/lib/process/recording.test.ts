import { expect, test } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { openRecording } from "./recording.ts"

const LIMIT = { maxBytes: 100, mark: (bytes: number) => `cut ${bytes}` }

function record(lines: readonly string[], before?: string) {
  using scratch = makeScratch()
  const file = join(scratch.path, "stream")
  if (before !== undefined) writeFileSync(file, before)
  {
    using recording = openRecording(file, LIMIT)
    for (const line of lines) recording.write(line)
  }
  expect(readdirSync(scratch.path)).toEqual(["stream"])
  return readFileSync(file, "utf8")
}

test("a recording below the limit is what was written", () => {
  const lines = Array.from({ length: 10 }, (_, index) => `line ${index}..`)
  expect(record(lines)).toBe(`${lines.join("\n")}\n`)
})

test("a longer one loses its beginning, whole lines at a time, and says how much", () => {
  const lines = Array.from({ length: 25 }, (_, index) => `line ${String(index).padStart(4, "0")}`)
  const text = record(lines)
  expect(text.length).toBeLessThanOrEqual(LIMIT.maxBytes)
  const [mark, ...kept] = text.trimEnd().split("\n")
  expect(mark).toMatch(/^cut \d+$/)
  expect(kept).toEqual(lines.slice(-kept.length))
  expect(kept.length).toBeGreaterThanOrEqual(4)
})

test("one line that is longer than the limit keeps its end", () => {
  const text = record(["short", `${"a".repeat(300)}end`])
  expect(text).toEndWith("aend\n")
  expect(text).toStartWith("cut ")
  expect(text.length).toBeLessThanOrEqual(LIMIT.maxBytes)
})

test("one that is there already goes on", () => {
  expect(record(["more"], "before\n")).toBe("before\nmore\n")
})

test("pieces of a line are written as they come, and what is none of it begins the next line", () => {
  using scratch = makeScratch()
  const file = join(scratch.path, "stream")
  using recording = openRecording(file, LIMIT)
  const seen: string[] = []
  const write = (text: string, how?: { goesOn: boolean; isOpen: boolean }) => {
    recording.write(text, how)
    seen.push(readFileSync(file, "utf8"))
  }
  write("a", { goesOn: false, isOpen: true })
  write("b", { goesOn: true, isOpen: true })
  write("c", { goesOn: false, isOpen: true })
  write("whole")
  expect(seen).toEqual(["a", "ab", "ab\nc", "ab\nc\nwhole\n"])
})

test("a line that is open ends with the recording", () => {
  using scratch = makeScratch()
  const file = join(scratch.path, "stream")
  for (const text of ["a", "b"]) {
    using recording = openRecording(file, LIMIT)
    recording.write(text, { goesOn: false, isOpen: true })
  }
  expect(readFileSync(file, "utf8")).toBe("a\nb\n")
})
