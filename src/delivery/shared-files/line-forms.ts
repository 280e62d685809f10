import type { LineForm } from "./merge-lines.ts"

/** Each line is an entry, as in `.gitignore`. */
export const ENTRIES: LineForm = { key: (line) => line.trim() }

/** `name==1.2  # why`; case and dashes in names do not matter. */
export const REQUIREMENTS: LineForm = {
  key: (line) => {
    if (/^\s*#/.test(line)) return line.trim()
    // A continued line means nothing alone.
    if (line.trimEnd().endsWith("\\")) return undefined
    const name = /^\s*([A-Za-z0-9][\w.-]*)/.exec(line)?.[1]
    return name?.toLowerCase().replaceAll(/[-_.]+/g, "-") ?? line.trim()
  },
  version: (line) => /(?:==|>=|~=)\s*\d[\d.]*/.exec(line)?.[0],
}

/** `gem "rails", "~> 7.1"` */
export const GEMFILE: LineForm = {
  key: (line) => {
    const gem = /^\s*gem\s*\(?\s*["']([^"']+)["']/.exec(line)?.[1]
    if (gem !== undefined) return /[,(]\s*$/.test(line) ? undefined : gem
    return /^\s*(?:#|source\b|ruby\b|gemspec\b)/.test(line) ? line.trim() : undefined
  },
  version: (line) => /,\s*["'](~>\s*\d[\d.]*|>=\s*\d[\d.]*|\d[\d.]*)["']/.exec(line)?.[1],
}

/** Lines of a `require` block, or single `require` lines. Go takes the higher version. */
export const GO_MOD: LineForm = {
  key: (line) => {
    const path = /^\s*(?:require\s+)?([^\s"()]+\.[^\s"()]+)\s+v\d/.exec(line)?.[1]
    if (path !== undefined) return path
    return /^\s*(?:\/\/|go\s+\d|toolchain\s)/.test(line)
      ? (/^\s*(go|toolchain)\b/.exec(line)?.[1] ?? line.trim())
      : undefined
  },
  version: (line) => /\sv(\d+\.\d+\.\d+)(?=\s|$)/.exec(line)?.[1] ?? /^\s*go\s+(\d[\d.]*)/.exec(line)?.[1],
}

/** `NAME=value` */
export const ENV_FILE: LineForm = {
  key: (line) => (/^\s*#/.test(line) ? line.trim() : /^\s*(?:export\s+)?([\w.]+)\s*=/.exec(line)?.[1]),
}

/** Each change adds entries; people decide about changed or removed lines. */
export const CHANGELOG: LineForm = { key: () => undefined, isOpen: true }

const SCRIPT_EXPORT =
  /^\s*(?:export\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^{}]*\})\s+from\s+(["'])[^"']+\1|import\s+(?:type\s+)?(?:[\w*{][^"';]*\s+from\s+)?(["'])[^"']+\2|export\s+(?:type\s+)?\{[^{}]*\})\s*;?\s*(?:\/\/.*)?$/
const PYTHON_IMPORT =
  /^(?:(?:from\s+[\w.]+\s+)?import\s+[\w.*]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*|\s+["'][\w.]+["'],|__all__\s*=\s*\[|\])\s*(?:#.*)?$/
const RUST_MODULE =
  /^(?:pub(?:\([\w\s:]+\))?\s+)?(?:mod\s+\w+|use\s+[\w:{}*,\s]+|extern\s+crate\s+\w+)\s*;\s*(?:\/\/.*)?$/
const REMARK = /^\s*(?:\/\/|\/\*.*\*\/\s*$|#(?!\[))/

/** Files with one complete statement on each line, in any order. */
export function barrelForm(path: string, texts: readonly string[]): LineForm | undefined {
  const statement = statementOf(path.split("/").at(-1) ?? "")
  if (statement === undefined) return undefined
  const isBarrel = texts.every((text) =>
    text.split(/\r?\n/).every((line) => line.trim() === "" || REMARK.test(line) || statement.test(line)),
  )
  return isBarrel ? { key: (line) => line.trim() } : undefined
}

function statementOf(name: string): RegExp | undefined {
  if (/^(?:index|main|mod|exports)\.[cm]?[jt]sx?$/.test(name)) return SCRIPT_EXPORT
  if (name === "__init__.py") return PYTHON_IMPORT
  return /^(?:mod|lib|main)\.rs$/.test(name) ? RUST_MODULE : undefined
}
