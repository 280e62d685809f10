import { makeTally, nameOf, type ResultReader, sumIn } from "./tally.ts"

const PYTEST_END =
  /^(?:=+ )?((?:\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun|subtests passed)(?:, )?)+|no tests ran) in [\d.]+s/
const PYTEST_STOPPED = /^!+ .*(?:stopping after|KeyboardInterrupt|Exit:).* !+$/
/** `FAILED test_a.py::TestShop::test_sells[a - b] - ValueError: no stock` */
const PYTEST_TOLD = /^(FAILED|ERROR) ([^[]+?(?:\[.*?\])?)(?: - .*)?$/
const PYTEST_LINE =
  /^(?:\[gw\d+\] \[ *\d+%\] (PASSED|SKIPPED|XFAIL|XPASS) (.+?)|(\S.*?) (PASSED|SKIPPED|XFAIL|XPASS)(?: \(.*\))?(?: +\[ *\d+%\])?)$/

const readPytest: ResultReader = {
  format: "pytest",
  signs: [" in "],
  read({ lines, path }) {
    const ends = lines.map((line) => PYTEST_END.exec(line)?.[1]).filter((end) => end !== undefined)
    const hasBegun = lines.some((line) => /^=+ test session starts =+$/.test(line))
    if (ends.length === 0) return hasBegun ? "unclear" : undefined
    if (lines.some((line) => PYTEST_STOPPED.test(line))) return "unclear"
    const tally = makeTally()
    const failed = new Set<string>()
    let [told, isSummary] = [0, false]
    for (const line of lines) {
      if (/^=+ short test summary info =+$/.test(line)) isSummary = true
      else if (PYTEST_END.test(line)) isSummary = false
      const id = isSummary ? PYTEST_TOLD.exec(line)?.[2] : undefined
      if (id !== undefined) {
        told++
        failed.add(pytestName(id, path))
      }
      const [, gwEnd, gwId, ownId, ownEnd] = isSummary ? [] : (PYTEST_LINE.exec(line) ?? [])
      const name = gwId ?? ownId
      if (name === undefined || !name.includes("::")) continue
      tally.add((gwEnd ?? ownEnd) === "PASSED" ? "passed" : "skipped", pytestName(name, path))
    }
    // Listed twice if its clean-up fails too.
    for (const name of failed) tally.add("failed", name)
    return sumIn(ends, /failed/) + sumIn(ends, /errors?/) === told ? tally : "unclear"
  },
}

function pytestName(id: string, path: (path: string) => string): string {
  const [file = "", ...parts] = id.split("::")
  return nameOf(path(file), ...parts)
}

/** `FAIL: test_adds (test_c.TestMath.test_adds)` below a line of `=`. */
const readUnittest: ResultReader = {
  format: "unittest",
  signs: ["Ran "],
  read({ lines }) {
    if (!lines.some((line) => /^Ran \d+ tests? in [\d.]+s$/.test(line))) return undefined
    const ends = lines.filter((line) => /^(?:OK|FAILED|NO TESTS RAN)(?: \(.*\))?$/.test(line))
    const runs = lines.filter((line) => /^Ran \d+ tests? in /.test(line))
    if (ends.length !== runs.length || ends.some((line) => line.includes("unexpected successes="))) return "unclear"
    const tally = makeTally()
    for (const [at, line] of lines.entries()) {
      const [, failed, owner] = /^(?:FAIL|ERROR): (\S+)(?: (\(.+))?$/.exec(line) ?? []
      if (failed !== undefined && /^={10,}$/.test(lines[at - 1] ?? "")) tally.add("failed", ofUnit(failed, owner))
      const [, name, of, end] = /^(\w+) (\(\S+\)) \.\.\. (ok|skipped|expected failure)\b.*$/.exec(line) ?? []
      if (name !== undefined) tally.add(end === "skipped" ? "skipped" : "passed", ofUnit(name, of))
    }
    const told = ends.reduce((sum, line) => sum + numberAt(line, "failures") + numberAt(line, "errors"), 0)
    return told === tally.failed.length ? tally : "unclear"
  },
}

function numberAt(line: string, word: string): number {
  return Number(new RegExp(`[( ]${word}=(\\d+)`).exec(line)?.[1] ?? 0)
}

/** Older Python names the class without the method. Subtests have values. */
function ofUnit(name: string, said: string | undefined): string {
  const [, owner = "", values = ""] = /^\(([^()\s]+)\)(?: (.*))?$/.exec(said ?? "") ?? []
  const whole = owner === "" || owner.endsWith(`.${name}`) ? owner || name : `${owner}.${name}`
  return values === "" ? whole : `${whole} ${values}`
}

export const PYTHON_READERS: readonly ResultReader[] = [readPytest, readUnittest]
