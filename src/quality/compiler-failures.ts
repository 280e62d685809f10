import { findLine } from "./failure-lines.ts"
import type { FailureReader } from "./first-failure.ts"

/** `src/a.ts(3,7): error TS2322: ...` and, for people, `src/a.ts:3:7 - error TS2322: ...`. */
const readTsc: FailureReader = (lines) => {
  const found = findLine(lines, /^(.+?)(?:\((\d+),\d+\):|:(\d+):\d+ -) error (TS\d+): (.*)$/)
  if (found === undefined) return undefined
  const [, file, line, other, test = "", message] = found.match
  return { test, file, line: Number(line ?? other), message }
}

/** ESLint: the file on a line of its own, then `  1:5  error  'x' is not used  no-unused-vars`. */
const readEslint: FailureReader = (lines) => {
  const found = findLine(lines, /^\s+(\d+):\d+\s+error\s+(.+?)(?:\s{2,}(\S+))?$/)
  if (found === undefined) return undefined
  const file = lines.slice(0, found.at).findLast((line) => /^\S.*\.\w+$/.test(line))
  const [, line, message = "", rule] = found.match
  return { test: rule ?? "error", file, line: Number(line), message }
}

/** Biome: `src/a.ts:3:7 lint/style/useConst ━━━━`, and what is wrong below. */
const readBiome: FailureReader = (lines) => {
  const found = findLine(lines, /^(\S+?)(?::(\d+):\d+)? (\S+\/\S+|format|organizeImports|parse) .*━{3}/)
  if (found === undefined) return undefined
  const [, file, line, test = ""] = found.match
  const message = findLine(lines, /^\s+× (.*)$/, found.at)?.match[1]
  return { test, file, line: line === undefined ? undefined : Number(line), message }
}

/** rustc: `error[E0425]: cannot find value` above ` --> src/lib.rs:1:21`. */
const readRustc: FailureReader = (lines) => {
  const place = findLine(lines, /^\s*--> (\S+?):(\d+):\d+$/)
  const error = place && lines.slice(0, place.at).findLast((line) => /^error(?:\[\w+\])?: /.test(line))
  if (place === undefined || error === undefined) return undefined
  const [, code, message] = /^error(?:\[(\w+)\])?: (.*)$/.exec(error) ?? []
  return { test: code ?? "error", file: place.match[1], line: Number(place.match[2]), message }
}

/** `src/a.c:3:7: error: ...`, as most compilers have it; Maven has `[ERROR] src/A.java:[3,7] ...`, Go leaves `error` out. */
const readPlain: FailureReader = (lines) => {
  const found =
    findLine(lines, /^([^\s:]+\.\w+):(\d+)(?::\d+)?: (?:fatal )?error:? (.*)$/i) ??
    findLine(lines, /^\[ERROR\] +([^\s:]+\.\w+):\[(\d+),\d+\] (.*)$/) ??
    findLine(lines, /^([^\s:]+\.[A-Za-z]{1,5}):(\d+)(?::\d+)?: (?!warning|note|info)(\S.*)$/)
  if (found === undefined) return undefined
  const [, file, line, message] = found.match
  return { test: "error", file, line: Number(line), message }
}

export const COMPILER_READERS: readonly FailureReader[] = [readTsc, readEslint, readBiome, readRustc, readPlain]
