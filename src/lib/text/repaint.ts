import { width } from "./table.ts"

/** The lines on the screen. The cursor is in the row below. */
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
/** Synchronized output: terminals that know it show everything in between at once, others ignore it. */
const BEGIN = "\u001b[?2026h"
const END = "\u001b[?2026l"

/**
 * What to print to replace the old lines by the new ones. Writes only changed lines, and clears nothing before writing, so
 * that nothing flickers. Empty when nothing changed.
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

/** What to print to erase the lines; the cursor ends where they began. */
export function erase({ lines }: Painted, { columns }: Size): string {
  // A terminal that became narrower has broken lines in two.
  const rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(width(line) / columns)), 0)
  return `\r${UP(rows)}${CLEAR_BELOW}`
}
