import { expect, it, test } from "bun:test"
import fc from "fast-check"
import { type Line, splitLines } from "./split-lines.ts"

function linesOf(chunks: readonly (string | Uint8Array)[], maxBytes = 1000): Line[] {
  const splitter = splitLines(maxBytes)
  const lines = chunks.flatMap((chunk) => [...splitter.push(Buffer.from(chunk))])
  const last = splitter.end()
  return last === undefined ? lines : [...lines, last]
}

const texts = (lines: readonly Line[]) => lines.map((line) => line.text)

test.each([
  [[], []],
  [["a\nb\n"], ["a", "b"]],
  [["a\nb"], ["a", "b"]],
  [
    ["a", "b", "\n", "c"],
    ["ab", "c"],
  ],
  [["\n\n"], ["", ""]],
  [
    ["a\r\nb\r", "\n"],
    ["a", "b"],
  ],
])("%j", (chunks, expected) => {
  expect(texts(linesOf(chunks))).toEqual(expected)
})

it("gives the same whatever the chunks, also inside of a character", () => {
  const cuts = fc.array(fc.nat(200), { maxLength: 10 })
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), cuts, (parts, at) => {
      const bytes = Buffer.from(parts.join("\n"))
      const places = [0, ...at.filter((place) => place < bytes.length).sort((a, b) => a - b), bytes.length]
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
      expect(linesOf(chunks)).toEqual(linesOf([bytes]))
    }),
  )
})

it("cuts a line that is too long, and goes on with the next", () => {
  expect(linesOf(["abcd", "ef", "gh\nij\n"], 5)).toEqual([
    { text: "abcde", isCut: true, end: "fgh" },
    { text: "ij", isCut: false },
  ])
  expect(linesOf(["abcde\n"], 5)).toEqual([{ text: "abcde", isCut: false }])
  expect(linesOf(["abc", "def"], 5)).toEqual([{ text: "abcde", isCut: true, end: "f" }])
})

it("survives bytes that are no text", () => {
  expect(texts(linesOf([new Uint8Array([0xff, 0xfe, 10, 65])]))).toEqual(["\ufffd\ufffd", "A"])
})
