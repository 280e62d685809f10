// Fences of Markdown: what stands in them is code, what a program printed, or an answer in a frame.

const FENCE = /^[\s>]*(?:[-*+]\s+)?(`{3,}|~{3,})\s*([\w+-]*)[^`]*$/
/** A fence of another kind holds code or what a program printed. */
export const PLAIN: readonly string[] = ["", "text", "txt", "plain", "plaintext", "md", "markdown"]

/** With what `keep` leaves of each fence. A fence that is never closed fences nothing. */
export function withoutFences(
  lines: readonly string[],
  keep: (kind: string, inside: readonly string[]) => readonly string[],
): string[] {
  const read: string[] = []
  const neverClosed = new Set<string>()
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    const [, fence, kind = ""] = FENCE.exec(line) ?? []
    const end = fence === undefined || neverClosed.has(fence) ? -1 : findClose(lines, at + 1, fence)
    if (end === -1) {
      if (fence !== undefined) neverClosed.add(fence)
      read.push(line)
      continue
    }
    const inside = keep(kind.toLowerCase(), lines.slice(at + 1, end))
    for (const each of ["", ...inside, ""]) read.push(each)
    at = end
  }
  return read
}

function findClose(lines: readonly string[], from: number, fence: string): number {
  for (let at = from; at < lines.length; at++) {
    const bare = (lines[at] ?? "").replace(/^[\s>]+/, "").trimEnd()
    if (bare.length >= fence.length && bare === fence.charAt(0).repeat(bare.length)) return at
  }
  return -1
}
