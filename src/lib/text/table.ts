export interface Screen {
  readonly columns: number
  readonly color: boolean
}

export interface Column {
  readonly title: string
  readonly align?: "right"
  /** Shrinks when the table is wider than the screen; other columns keep their width. */
  readonly flexible?: boolean
}

const GAP = "  "
const MIN_FLEXIBLE = 8

/** Rows under titles, never wider than the screen: flexible columns are cut, with an ellipsis. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], screen: Screen): string {
  const cells = rows.map((row) => row.map(oneLine))
  const natural = columns.map((column, index) =>
    Math.max(width(column.title), ...cells.map((row) => width(row[index] ?? ""))),
  )
  const widths = fit(columns, natural, screen.columns)
  const line = (row: readonly string[]) =>
    columns
      .map((column, index) => pad(row[index] ?? "", widths[index] ?? 0, column.align === "right"))
      .join(GAP)
      .trimEnd()
  const head = paint(line(columns.map((column) => column.title)), "bold", screen.color)
  return [head, ...cells.map((row) => colorWords(line(row), screen.color))].join("\n")
}

function fit(columns: readonly Column[], natural: readonly number[], available: number): number[] {
  const total = natural.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1)
  const flexible = columns.flatMap((column, index) => (column.flexible === true ? [index] : []))
  let excess = total - available
  const widths = [...natural]
  // Shrinks the widest flexible column cell by cell until the line fits.
  while (excess > 0) {
    const widest = flexible.reduce(
      (best, index) => ((widths[index] ?? 0) > (widths[best] ?? 0) ? index : best),
      flexible[0] ?? 0,
    )
    const now = widths[widest] ?? 0
    if (now <= MIN_FLEXIBLE) break
    widths[widest] = now - 1
    excess--
  }
  return widths
}

function pad(text: string, size: number, right: boolean): string {
  const shown = cut(text, size)
  const space = " ".repeat(Math.max(0, size - width(shown)))
  return right ? space + shown : shown + space
}

/** At most `size` cells wide; an ellipsis replaces the rest. */
export function cut(text: string, size: number): string {
  if (width(text) <= size) return text
  let end = 0
  let used = 0
  // By grapheme: half of an emoji, or an accent without its letter, would show as something else.
  for (const { segment, index } of new Intl.Segmenter().segment(text)) {
    used += width(segment)
    if (used > size - 1) break
    end = index + segment.length
  }
  return `${text.slice(0, end)}…`
}

export function width(text: string): number {
  return Bun.stringWidth(text)
}

/** In foreign text these move the cursor, colour the screen or change the text direction. */
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu

/** Foreign text as one harmless line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(CONTROLS, "")
}

/** Foreign text as harmless lines. */
export function manyLines(text: string): string {
  return text.replaceAll(CONTROLS, (letter) => (letter === "\n" || letter === "\t" ? letter : ""))
}

const STYLES = { bold: "1", dim: "2", red: "31", green: "32", yellow: "33", cyan: "36" } as const

export function paint(text: string, style: keyof typeof STYLES, color: boolean): string {
  return color ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text
}

const WORD_STYLES: Record<string, keyof typeof STYLES> = {
  resolved: "green",
  verified: "green",
  passed: "green",
  in_progress: "cyan",
  working: "cyan",
  in_review: "cyan",
  paused: "yellow",
  failed: "red",
  quarantined: "red",
  dead: "red",
  skipped: "dim",
}

/** Colours status words after the layout is done, so that colour never counts as width. */
function colorWords(line: string, color: boolean): string {
  if (!color) return line
  return line.replaceAll(
    /(?<= )(resolved|verified|passed|in_progress|working|in_review|paused|failed|quarantined|dead|skipped)(?= |$)/g,
    (word) => paint(word, WORD_STYLES[word] ?? "dim", true),
  )
}

/** A bar of the given width, filled to the share of `done` in `total`. */
export function bar(done: number, total: number, size: number): string {
  const filled = total === 0 ? 0 : Math.floor((done * size) / total)
  return "█".repeat(filled) + "░".repeat(size - filled)
}
