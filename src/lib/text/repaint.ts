import { width } from "./table.ts"

/** What stands on the screen, the cursor in the row below it. */
export interface Painted {
  readonly lines: readonly string[]
  readonly size: Size
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

const UP = (rows: number) => (rows === 0 ? "" : `\u001b[${rows}A`)
const CLEAR_LINE_END = "\u001b[K"
const CLEAR_BELOW = "\u001b[J"
/** Terminals that know it show all that is between at once; the others pass over it. */
const BEGIN = "\u001b[?2026h"
const END = "\u001b[?2026l"

/**
 * What to print so that the new lines stand where the old ones stood. Only lines that changed are written, and nothing is
 * cleared before it is written over, so that nothing flickers. Empty when nothing changed.
 */
export function repaint(before: Painted | null, lines: readonly string[], size: Size): string {
  const all = lines.map((line) => `${line}\n`).join("")
  if (before === null) return all
  if (before.size.columns !== size.columns || before.size.rows !== size.rows) {
    return `${BEGIN}${erase(before, size)}${all}${END}`
  }
  const isSame = lines.length === before.lines.length && lines.every((line, index) => line === before.lines[index])
  if (isSame) return ""
  const written = lines.map((line, index) => (line === before.lines[index] ? "\n" : `${line}${CLEAR_LINE_END}\n`))
  const rest = lines.length < before.lines.length ? CLEAR_BELOW : ""
  return `${BEGIN}\r${UP(before.lines.length)}${written.join("")}${rest}${END}`
}

/** What to print so that nothing of it is left, the cursor where it began. */
export function erase({ lines }: Painted, { columns }: Size): string {
  // A terminal that became narrower has broken lines in two.
  const rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(width(line) / columns)), 0)
  return `\r${UP(rows)}${CLEAR_BELOW}`
}
