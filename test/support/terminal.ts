import { expect } from "bun:test"

/** A terminal that understands what we send: the rows of its screen, and what has scrolled out above. */
export function makeTerminal({ columns, rows }: { columns: number; rows: number }) {
  const screen = Array.from({ length: rows }, () => "")
  const history: string[] = []
  const at = { row: 0, column: 0 }
  let written = 0
  const feed = (text: string) => {
    for (const [part] of text.replaceAll("\u001b", "⎋").matchAll(/⎋\[\??(\d*)([A-Za-z])|[\s\S]/g)) {
      const code = /^⎋\[(\??)(\d*)([A-Za-z])$/.exec(part)
      if (code?.[3] === "A") at.row = Math.max(0, at.row - Number(code[2]))
      else if (code?.[3] === "K") screen[at.row] = (screen[at.row] ?? "").slice(0, at.column)
      else if (code?.[3] === "J") {
        screen[at.row] = (screen[at.row] ?? "").slice(0, at.column)
        screen.fill("", at.row + 1)
      } else if (code !== null) expect(part).toMatch(/\?2026[hl]$/)
      else if (part === "\r") at.column = 0
      else if (part === "\n") {
        at.column = 0
        if (++at.row < rows) continue
        at.row = rows - 1
        history.push(screen.shift() ?? "")
        screen.push("")
      } else {
        expect(at.column).toBeLessThan(columns)
        screen[at.row] =
          `${(screen[at.row] ?? "").slice(0, at.column).padEnd(at.column)}${part}${(screen[at.row] ?? "").slice(at.column + 1)}`
        at.column++
        written++
      }
    }
  }
  return { feed, history, shown: () => screen.join("\n").trimEnd(), written: () => written, cursor: at }
}
