export interface FileDiff {
  readonly path: string
  readonly status: "added" | "deleted" | "modified"
  /** Null: it does not exist there. */
  readonly oldMode: string | null
  readonly newMode: string | null
  readonly isBinary: boolean
  readonly hunks: readonly Hunk[]
}

export interface Hunk {
  /** The function or section after the second `@@`; may be empty. */
  readonly heading: string
  readonly added: readonly AddedLine[]
  readonly removed?: readonly string[]
}

export interface AddedLine {
  /** From 1, in the new file. */
  readonly number: number
  readonly text: string
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/

/** Parses `git diff --unified=0 --no-renames`. Counts lines, so that none is taken for a header. */
export function parseDiff(text: string): FileDiff[] {
  const lines = text.split("\n")
  const files: FileDiff[] = []
  let at = 0
  while (at < lines.length) {
    if (!lines[at]?.startsWith("diff --git ")) {
      at++
      continue
    }
    const header = readHeader(lines, at)
    const hunks: Hunk[] = []
    at = header.end
    for (let match = HUNK.exec(lines[at] ?? ""); match !== null; match = HUNK.exec(lines[at] ?? "")) {
      const read = readHunk(lines, at + 1, match)
      hunks.push(read.hunk)
      at = read.end
    }
    files.push({ ...header.file, hunks })
  }
  return files
}

function readHeader(lines: readonly string[], from: number): { file: Omit<FileDiff, "hunks">; end: number } {
  let end = from + 1
  let path = ""
  let oldMode: string | null = null
  let newMode: string | null = null
  let status: FileDiff["status"] = "modified"
  let isBinary = false
  for (; end < lines.length; end++) {
    const line = lines[end] ?? ""
    if (line.startsWith("@@ ") || line.startsWith("diff --git ")) break
    if (/^Binary files .* differ$/s.test(line)) isBinary = true
    const [, word = "", value = ""] =
      /^(deleted file mode|new file mode|old mode|new mode|index|---|\+\+\+) (.*)$/.exec(line) ?? []
    if (word === "deleted file mode") [status, oldMode] = ["deleted", value]
    else if (word === "new file mode") [status, newMode] = ["added", value]
    else if (word === "old mode") oldMode = value
    else if (word === "new mode") newMode = value
    else if (word === "index") {
      // `index 1a2b..3c4d 100644`: the mode is unchanged.
      const mode = /\.\.[0-9a-f]+ (\d{6})$/.exec(line)?.[1]
      if (mode !== undefined) oldMode = newMode = mode
    } else if (word === "---" || word === "+++") path = pathOf(value) ?? path
  }
  // Only the first line names an empty or binary file.
  if (path === "") path = pathOfGitLine(lines[from] ?? "")
  return { file: { path, status, oldMode, newMode, isBinary }, end }
}

function readHunk(lines: readonly string[], from: number, match: RegExpExecArray): { hunk: Hunk; end: number } {
  const [, oldCount = "1", newStart = "0", newCount = "1", heading = ""] = match
  let [removed, left, number] = [Number(oldCount), Number(newCount), Number(newStart)]
  const added: AddedLine[] = []
  const before: string[] = []
  let at = from
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ""
    if (line.startsWith("-") && removed > 0) {
      removed--
      before.push(line.slice(1))
    } else if (line.startsWith("+") && left > 0) {
      left--
      added.push({ number: number++, text: line.slice(1).replace(/\r$/, "") })
    } else if (!line.startsWith("\\")) break // "\ No newline at end of file"
  }
  const hunk = { heading: heading.trim(), added, ...(before.length === 0 ? {} : { removed: before }) }
  return { hunk, end: at }
}

/** `a/path` or `b/path`, perhaps quoted or with a tab at the end. Undefined: no file. */
function pathOf(name: string): string | undefined {
  const plain = unquote(name.replace(/\t$/, ""))
  return plain === "/dev/null" ? undefined : plain.slice(2)
}

/** `diff --git a/x b/x`: both paths are the same without renames. */
function pathOfGitLine(line: string): string {
  const names = line.slice("diff --git ".length)
  if (names.startsWith('"')) return unquote(/^"(?:[^"\\]|\\.)*"/.exec(names)?.[0] ?? "").slice(2)
  return names.slice(2, (names.length - 1) / 2)
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
}

function unquote(name: string): string {
  if (!name.startsWith('"')) return name
  const parts: Buffer[] = []
  for (const [, octal, letter, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) parts.push(Buffer.from([Number.parseInt(octal, 8)]))
    else parts.push(Buffer.from(plain ?? ESCAPES[letter ?? ""] ?? letter ?? ""))
  }
  return Buffer.concat(parts).toString("utf8")
}
