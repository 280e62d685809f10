import { paint } from "../../lib/text/table.ts"

const CONTEXT = 3
/** Larger differences are shown as one block. */
const MOST_COMPARED = 4_000_000

interface Line {
  readonly sign: " " | "-" | "+"
  readonly text: string
}

/** In the form of `diff -u`; null is no file. */
export function renderFileDiff(path: string, before: string | null, after: string | null): string {
  const head = [
    `--- ${before === null ? "/dev/null" : `a/${path}`}`,
    `+++ ${after === null ? "/dev/null" : `b/${path}`}`,
  ]
  return [...head, ...hunks(compareLines(linesOf(before), linesOf(after)))].join("\n")
}

export function paintDiff(diff: string, color: boolean): string {
  const styleOf = (line: string) => ({ "-": "red", "+": "green" })[line[0] ?? ""] as "red" | "green" | undefined
  const painted = diff.split("\n").map((line) => {
    const style = /^(?:---|\+\+\+) /.test(line) ? "bold" : styleOf(line)
    return style === undefined ? line : paint(line, style, color)
  })
  return painted.join("\n")
}

/** Keeps line breaks, so that a line without one differs. */
function linesOf(text: string | null): string[] {
  return (text ?? "").split(/(?<=\n)/).filter((line) => line !== "")
}

function compareLines(a: readonly string[], b: readonly string[]): Line[] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const same = (text: string): Line => ({ sign: " ", text })
  return [
    ...a.slice(0, start).map(same),
    ...compareMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ]
}

/** The longest common subsequence. */
function compareMiddle(a: readonly string[], b: readonly string[]): Line[] {
  const out = (text: string): Line => ({ sign: "-", text })
  const into = (text: string): Line => ({ sign: "+", text })
  if (a.length * b.length > MOST_COMPARED) return [...a.map(out), ...b.map(into)]
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]]
    if (left !== undefined && left === right) lines.push({ sign: " ", text: left })
    else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) lines.push(out(left))
    else if (right !== undefined) lines.push(into(right))
    const { sign } = lines.at(-1) ?? { sign: " " }
    if (sign !== "+") i++
    if (sign !== "-") j++
  }
  return lines
}

function hunks(lines: readonly Line[]): string[] {
  const shown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== " "),
  )
  const parts: string[] = []
  for (let from = shown.indexOf(true); from !== -1; ) {
    const next = shown.indexOf(false, from)
    const to = next === -1 ? lines.length : next
    parts.push(hunkHead(lines, from, to), ...lines.slice(from, to).map(showLine))
    from = next === -1 ? -1 : shown.indexOf(true, to)
  }
  return parts
}

function hunkHead(lines: readonly Line[], from: number, to: number): string {
  const count = (sign: "-" | "+", part: readonly Line[]) =>
    part.filter((line) => line.sign === " " || line.sign === sign).length
  const range = (sign: "-" | "+") => {
    const length = count(sign, lines.slice(from, to))
    return `${sign}${count(sign, lines.slice(0, from)) + (length === 0 ? 0 : 1)},${length}`
  }
  return `@@ ${range("-")} ${range("+")} @@`
}

function showLine({ sign, text }: Line): string {
  return text.endsWith("\n") ? `${sign}${text.slice(0, -1)}` : `${sign}${text}\n\\ No newline at end of file`
}
