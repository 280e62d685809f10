import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { makeTerminal } from "../../../test/support/terminal.ts"
import { erase, type Painted, repaint } from "./repaint.ts"

const SIZE = { columns: 40, rows: 10 }

describe("repaint", () => {
  it("leaves exactly the new lines, whatever came before, and the cursor below them", () => {
    const line = fc.string({ unit: fc.constantFrom(..."ab"), maxLength: 5 })
    const frames = fc.array(
      fc.array(
        line.map((text) => `x${text}`),
        { minLength: 1, maxLength: 9 },
      ),
      { minLength: 1, maxLength: 8 },
    )
    fc.assert(
      fc.property(frames, (all) => {
        const terminal = makeTerminal(SIZE)
        terminal.feed("before\n")
        let painted: Painted | null = null
        for (const lines of all) {
          terminal.feed(repaint(painted, lines, SIZE))
          painted = { lines, size: SIZE }
          const above = [...terminal.history, ...terminal.shown().split("\n")]
          expect(above).toEqual(["before", ...lines])
          expect(terminal.cursor.column).toBe(0)
        }
      }),
    )
  })

  it("writes nothing when nothing changed, and only the line that did", () => {
    const lines = ["one", "two", "three"]
    const painted = { lines, size: SIZE }
    expect(repaint(painted, lines, SIZE)).toBe("")
    const terminal = makeTerminal(SIZE)
    terminal.feed(repaint(null, lines, SIZE))
    const before = terminal.written()
    terminal.feed(repaint(painted, ["one", "2", "three"], SIZE))
    expect(terminal.shown()).toBe("one\n2\nthree")
    expect(terminal.written() - before).toBe(1)
  })

  it("clears old lines that a narrower terminal broke in two", () => {
    const narrow = { columns: 4, rows: 10 }
    expect(erase({ lines: ["eight..8", "four", "five5", ""], size: SIZE }, narrow)).toBe("\r\u001b[6A\u001b[J")
    const text = repaint({ lines: ["eight..8"], size: SIZE }, ["new"], narrow)
    expect(text).toContain("\u001b[2A\u001b[Jnew\n")
  })
})
