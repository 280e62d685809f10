import { manyLines } from "./table.ts"

const MOST_LINES = 15
const LONGEST_LINE = 200

/** The last lines of an output, without colours, empty lines and repeats; very long lines are cut. */
export function lastLines(output: string, most = MOST_LINES): string[] {
  return cleanLines(output).slice(-most)
}

/** The lines around the first one that contains the text; without one, the last lines. */
export function linesAround(output: string, text: string, most = MOST_LINES): string[] {
  const lines = cleanLines(output)
  const at = lines.findIndex((line) => line.includes(text))
  if (at === -1 || at >= lines.length - most) return lines.slice(-most)
  const from = Math.max(0, at - Math.floor(most / 3))
  return lines.slice(from, from + most)
}

/** Splits a reason: what happened in the first line, and below it the last lines of output. */
export function splitReason(reason: string): { readonly what: string; readonly lines: readonly string[] } {
  const [what = "", ...rest] = reason.split("\n")
  return { what: what.trim(), lines: lastLines(rest.map((line) => line.replace(/^ {4}/, "")).join("\n")) }
}

export function firstLine(reason: string | null | undefined): string {
  return reason?.split("\n", 1)[0] ?? ""
}

/** Stack frames of the runtime and of packages, and the version line: they hide what matters. */
const NOISE = /^\s*at (?:.*[( ])?(?:node|bun|deno|ext|internal):|^\s*at .*\/node_modules\/|^Node\.js v\d/

function cleanLines(output: string): string[] {
  const lines = manyLines(Bun.stripANSI(output))
    .split("\n")
    .map((line) => line.trimEnd())
  const said = lines.filter((line, index) => line.trim() !== "" && line !== lines[index - 1] && !NOISE.test(line))
  return said.map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line))
}
