/** The first line from there on that fits, as its match and its number. */
export function findLine(
  lines: readonly string[],
  pattern: RegExp,
  from = 0,
  to = lines.length,
): { readonly match: RegExpExecArray; readonly at: number } | undefined {
  for (let at = Math.max(0, from); at < Math.min(to, lines.length); at++) {
    const match = pattern.exec(lines[at] ?? "")
    if (match !== null) return { match, at }
  }
  return undefined
}

/** The first line with something on it. */
export function nextText(lines: readonly string[], from: number, to = lines.length): string | undefined {
  return findLine(lines, /\S/, from, to)?.match.input.trim()
}

/** Where a line of a stack trace in JavaScript points to; those of the runner itself and of packages are passed over. */
const FRAME = /^\s*(?:at |❯ )(?:.*\()?((?:file:\/\/)?[^\s():][^():]*|[A-Za-z]:[^():]+):(\d+)(?::\d+)?\)?$/

export function findFrame(
  lines: readonly string[],
  from: number,
  to = lines.length,
): { readonly file: string; readonly line: number } | undefined {
  for (let at = from; at < Math.min(to, lines.length); at++) {
    const [, file, line] = FRAME.exec((lines[at] ?? "").replace("file://", "")) ?? []
    if (file === undefined || /node_modules|^node:|^internal/.test(file)) continue
    return { file, line: Number(line) }
  }
  return undefined
}
