import { findFrame, findLine, nextText } from "./failure-lines.ts"
import type { FailureReader } from "./first-failure.ts"

/** `(fail) math > adds [0.33ms]`, below the error and the file's name. */
const readBun: FailureReader = (lines) => {
  const failed = findLine(lines, /^(?:\(fail\)|✗) (.+?)(?: \[[\d.]+m?s\])?$/)
  if (failed === undefined || findLine(lines, /^bun test v|^\(fail\)/) === undefined) return undefined
  const from =
    lines.slice(0, failed.at).findLastIndex((line) => /^(?:\((?:pass|fail|skip|todo)\)|[✓✗]) /.test(line)) + 1
  const error = findLine(lines, /^(?:error|[A-Z]\w*(?:Error|Exception)): (.*)/, from, failed.at)
  const header = lines.slice(0, failed.at).findLast((line) => /^\S+\.[cm]?[jt]sx?:$/.test(line))
  const frame = findFrame(lines, error?.at ?? from, failed.at)
  return {
    test: failed.match[1] ?? "",
    file: frame?.file ?? header?.slice(0, -1),
    line: frame?.line,
    message: error?.match[0].replace(/^error: /, ""),
  }
}

/** ` FAIL  src/a.test.ts > math > adds`, then the error and ` ❯ src/a.test.ts:5:15`. */
const readVitest: FailureReader = (lines) => {
  const failed = findLine(lines, /^\s*FAIL\s+(?:\|[^|]*\|\s+)?(\S+\.[cm]?[jt]sx?)(?: > (.+))?$/)
  if (failed === undefined || findLine(lines, /❯|⎯{3}/) === undefined) return undefined
  const end = findLine(lines, /^\s*FAIL\s|⎯{3}/, failed.at + 1)?.at
  const [, file = "", test = file] = failed.match
  const frame = findFrame(lines, failed.at + 1, end)
  return { test, file: frame?.file ?? file, line: frame?.line, message: nextText(lines, failed.at + 1, end) }
}

/** `  ● math › adds` below `FAIL src/a.test.js`. */
const readJest: FailureReader = (lines) => {
  const suite = findLine(lines, /^\s*FAIL\s+(?:.*\s)?(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?$/)
  const failed = suite && findLine(lines, /^\s{0,4}● (.+)$/, suite.at)
  if (suite === undefined || failed === undefined) return undefined
  const end = findLine(lines, /^\s{0,4}● |^(?:PASS|FAIL)\s/, failed.at + 1)?.at
  const frame = findFrame(lines, failed.at + 1, end)
  return {
    test: (failed.match[1] ?? "").replaceAll(" › ", " > "),
    file: frame?.file ?? suite.match[1],
    line: frame?.line,
    message: nextText(lines, failed.at + 1, end),
  }
}

/** `1) math` and `adds:` on lines of their own, behind `1 failing`. */
const readMocha: FailureReader = (lines) => {
  const failing = findLine(lines, /^\s*\d+ failing\b/)
  const first = failing && findLine(lines, /^\s*1\) (.+)$/, failing.at)
  if (first === undefined) return undefined
  const names = [first.match[1]?.trim() ?? ""]
  let at = first.at
  while (!names.at(-1)?.endsWith(":") && lines[at + 1]?.trim()) names.push(lines[++at]?.trim() ?? "")
  const end = findLine(lines, /^\s*2\) /, at + 1)?.at
  const test = names.join(" > ").replace(/:$/, "")
  return { test, ...findFrame(lines, at + 1, end), message: nextText(lines, at + 1, end) }
}

/** Of `node --test`: `test at b.test.mjs:5:3` and `✖ adds (1.2ms)`, behind `✖ failing tests:`. */
const readNodeSpec: FailureReader = (lines) => {
  const failing = findLine(lines, /^✖ failing tests:/)
  const place = failing && findLine(lines, /^test at (.+?):(\d+):\d+$/, failing.at)
  const failed = failing && findLine(lines, /^\s*✖ (.+?)(?: \([\d.]+m?s\))?$/, failing.at + 1)
  if (failed === undefined) return undefined
  const end = findLine(lines, /^test at /, failed.at)?.at
  const frame =
    findFrame(lines, failed.at + 1, end) ?? (place && { file: place.match[1], line: Number(place.match[2]) })
  return { test: failed.match[1] ?? "", ...frame, message: nextText(lines, failed.at + 1, end) }
}

/** `not ok 1 - adds` with its YAML block; the innermost comes first. */
const readTap: FailureReader = (lines) => {
  const failed = findLine(lines, /^(\s*)not ok \d+(?: -)? (?!.*# (?:TODO|SKIP))(.+)$/i)
  if (failed === undefined) return undefined
  const end = findLine(lines, /^\s*(?:\.\.\.|(?:not )?ok \d)/, failed.at + 1)?.at
  const [, file, line] = findLine(lines, /^\s*(?:location|at): '?(.+?):(\d+)(?::\d+)?'?$/, failed.at, end)?.match ?? []
  const error = findLine(lines, /^\s*(?:error|message): (.*)$/, failed.at, end)
  const said = error?.match[1]?.replace(/^(['"])(.*)\1$/, "$2")
  const isBlock = said !== undefined && /^[|>]/.test(said)
  // The place of the failure is better than that of the test.
  const frame = findStackLine(lines, failed.at, end)
  return {
    test: failed.match[2] ?? "",
    file: frame?.file ?? file,
    line: frame?.line ?? (line === undefined ? undefined : Number(line)),
    message: isBlock && error !== undefined ? nextText(lines, error.at + 1, end) : said,
  }
}

function findStackLine(lines: readonly string[], from: number, to: number | undefined) {
  const stack = findLine(lines, /^\s*stack: /, from, to)
  return (
    stack &&
    findFrame(
      lines.map((line) => line.replace(/^\s*/, "at ")),
      stack.at + 1,
      to,
    )
  )
}

export const SCRIPT_READERS: readonly FailureReader[] = [
  ...[readBun, readVitest, readJest, readMocha, readNodeSpec, readTap],
]
