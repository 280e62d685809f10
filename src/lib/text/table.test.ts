import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { bar, type Column, cut, manyLines, oneLine, paint, table, width } from "./table.ts"

const COLUMNS: Column[] = [
  { title: "ID" },
  { title: "STATUS" },
  { title: "N", align: "right" },
  { title: "TITLE", flexible: true },
  { title: "NEEDS", flexible: true },
]
const FAMILY = "👩‍👩‍👧‍👦"

describe("table", () => {
  it("puts rows under titles", () => {
    const shown = table(
      COLUMNS,
      [
        ["1", "open", "10", "Paint", "2,3"],
        ["20", "resolved", "5", "Sing", ""],
      ],
      {
        columns: 80,
        color: false,
      },
    )
    expect(shown.split("\n")).toEqual([
      "ID  STATUS     N  TITLE  NEEDS",
      "1   open      10  Paint  2,3",
      "20  resolved   5  Sing",
    ])
  })

  it("cuts flexible columns, the widest first, and keeps the others whole", () => {
    const rows = [["1", "in_progress", "7", "x".repeat(300), "1,2,3"]]
    const [, line = ""] = table(COLUMNS, rows, { columns: 80, color: false }).split("\n")
    expect(width(line)).toBe(80)
    expect(line).toMatch(/^1 {3}in_progress {2}7 {2}x+… {2}1,2,3$/)
  })

  it("fits 80 and 200 columns whatever the cells hold", () => {
    const letter = fc.constantFrom("a", "é", "日", "🎉", FAMILY, "\u0301", "\t", "\n", "\u001b[31m", "\u202e", " ")
    const cell = fc.array(letter, { maxLength: 120 }).map((letters) => letters.join(""))
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), fc.constantFrom(80, 200), (rows, columns) => {
        const shown = table(
          COLUMNS,
          rows.map(([title, needs]) => ["1", "open", "2", title, needs]),
          { columns, color: false },
        )
        expect(shown.split("\n")).toHaveLength(rows.length + 1)
        for (const line of shown.split("\n")) expect(width(line)).toBeLessThanOrEqual(columns)
        expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u)
      }),
    )
  })

  it("keeps a readable rest of each flexible column on a very small screen", () => {
    const shown = table(COLUMNS, [["1", "open", "2", "t".repeat(50), "n".repeat(50)]], { columns: 10, color: false })
    expect(shown).toContain("ttttttt…  nnnnnnn…")
  })

  it("colours the head and status words only, and only when asked to", () => {
    const rows = [["1", "resolved", "1", "resolved-like and failed words", ""]]
    const colored = table(COLUMNS, rows, { columns: 80, color: true })
    const plain = table(COLUMNS, rows, { columns: 80, color: false })
    expect(colored).toContain("\u001b[32mresolved\u001b[0m")
    expect(colored).toContain("resolved-like")
    expect(colored.startsWith("\u001b[1mID")).toBe(true)
    expect(Bun.stripANSI(colored)).toBe(plain)
    expect(plain).not.toContain("\u001b")
  })
})

describe("cut", () => {
  it("counts cells, not letters", () => {
    expect(cut("日本語", 6)).toBe("日本語")
    expect(cut("日本語", 5)).toBe("日本…")
    expect(cut("日本語", 4)).toBe("日…")
    expect(cut("abc", 3)).toBe("abc")
    expect(cut("abcd", 3)).toBe("ab…")
    expect(cut("abcd", 1)).toBe("…")
  })

  it("never shows a part of a letter", () => {
    expect(cut(`${FAMILY}${FAMILY}${FAMILY}`, 4)).toBe(`${FAMILY}…`)
    expect(cut("e\u0301e\u0301e\u0301", 2)).toBe("e\u0301…")
  })

  it("is quick with text that has no width", () => {
    const started = performance.now()
    expect(width(cut(`${"a\u0301".repeat(200_000)}`, 80))).toBe(80)
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})

describe("foreign text", () => {
  it("becomes one line without control characters", () => {
    expect(oneLine("a\n\t b\r\nc")).toBe("a b c")
    expect(oneLine("\u001b[2Jx\u0007\u0000\u009b31m\u202ey\u2066")).toBe("[2Jx31my")
    expect(oneLine(`日本 ${FAMILY}`)).toBe(`日本 ${FAMILY}`)
  })

  it("keeps its lines where it may have some", () => {
    expect(manyLines("a\r\n\tb\u001b[31m\n\nc\u0000")).toBe("a\n\tb[31m\n\nc")
  })

  it("never moves the cursor", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(oneLine(text)).not.toMatch(/\p{Cc}/u)
        expect(manyLines(text).replaceAll(/[\n\t]/g, "")).not.toMatch(/\p{Cc}/u)
      }),
    )
  })
})

describe("bar", () => {
  it("is as long as asked for and full only at the end", () => {
    expect(bar(0, 0, 4)).toBe("░░░░")
    expect(bar(1, 2, 4)).toBe("██░░")
    expect(bar(99, 100, 4)).toBe("███░")
    expect(bar(3, 3, 4)).toBe("████")
  })
})

describe("paint", () => {
  it("leaves the text alone without colour", () => {
    expect(paint("x", "red", false)).toBe("x")
    expect(paint("x", "red", true)).toBe("\u001b[31mx\u001b[0m")
  })
})
