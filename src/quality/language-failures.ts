import { findLine, nextText } from "./failure-lines.ts"
import type { FailureReader } from "./first-failure.ts"

/** `FAILED test_d.py::TestShop::test_sells[1] - ValueError: no stock`, and `test_d.py:3: ValueError` above. */
const readPytest: FailureReader = (lines) => {
  const failed = findLine(lines, /^(?:FAILED|ERROR) ([^\s:]+\.py)(?:::(\S.*?))?(?: - (.*))?$/)
  if (failed === undefined) return undefined
  const [, file = "", name = file, message] = failed.match
  const section = findLine(lines, /^_{3,} (?:ERROR (?:collecting|at \w+ of) )?(.+?) _{3,}$/)
  const end = section && findLine(lines, /^(?:_{3,} .* _{3,}|={3,} .* ={3,})$/, section.at + 1)?.at
  const places = section === undefined ? [] : lines.slice(section.at, end)
  // The last one is where it was raised.
  const place = places.findLast((line) => /^\S+\.py:\d+: \w/.test(line))
  const [, at, line] = /^(\S+\.py):(\d+): /.exec(place ?? "") ?? []
  return {
    test: name.replaceAll("::", " > "),
    file: at ?? file,
    line: line === undefined ? undefined : Number(line),
    message: message ?? places.find((each) => each.startsWith("E  "))?.slice(1),
  }
}

/** `FAIL: test_adds (test_c.TestMath.test_adds)` with a traceback. */
const readUnittest: FailureReader = (lines) => {
  const failed = findLine(lines, /^(?:FAIL|ERROR): (\S+)(?: \((.+)\))?/)
  if (failed === undefined || !/^={10,}$/.test(lines[failed.at - 1] ?? "")) return undefined
  const end = findLine(lines, /^={10,}$|^Ran \d+ tests? in/, failed.at + 1)?.at
  const [, name = "", owner] = failed.match
  const frame = lines.slice(failed.at, end).findLast((line) => /^\s+File ".+", line \d+/.test(line))
  const [, file, line] = /File "(.+)", line (\d+)/.exec(frame ?? "") ?? []
  const message = findLine(lines, /^[A-Za-z_][\w.]*(?:: .*)?$/, failed.at + 3, end)?.match[0]
  const test = owner === undefined || owner.endsWith(`.${name}`) ? (owner ?? name) : `${owner}.${name}`
  return { test, file, line: line === undefined ? undefined : Number(line), message }
}

/** `--- FAIL: TestAdds/empty (0.00s)` and `a_test.go:6: got 1, want 2`; that of a group stands above its parts. */
const readGo: FailureReader = (lines) => {
  let failed = findLine(lines, /^\s*--- FAIL: (\S+)/)
  for (;;) {
    const inner = failed && findLine(lines, /^\s+--- FAIL: (\S+)/, failed.at + 1, failed.at + 2)
    if (inner === undefined) break
    failed = inner
  }
  if (failed === undefined) return undefined
  const end = findLine(lines, /^\s*(?:--- |FAIL|ok )/, failed.at + 1)?.at
  const place = findLine(lines, /^\s+(\S+\.go):(\d+): ?(.*)$/, failed.at + 1, end)
  // With -v it stands above.
  const before = place ?? findLine(lines, /^\s+(\S+_test\.go):(\d+): ?(.*)$/, 0, failed.at)
  const panic = findLine(lines, /^panic: (.*)$/, failed.at)?.match[0]
  const [, file, line, said] = before?.match ?? []
  const message = said === "" && before !== undefined ? nextText(lines, before.at + 1, end) : (said ?? panic)
  return { test: failed.match[1] ?? "", file, line: line === undefined ? undefined : Number(line), message }
}

/** `---- tests::adds stdout ----` with `thread 'tests::adds' panicked at src/lib.rs:7:9:`. */
const readCargo: FailureReader = (lines) => {
  const failed = findLine(lines, /^---- (\S+)(?: .*)? stdout ----$/) ?? findLine(lines, /^test (\S+) \.\.\. FAILED$/)
  if (failed === undefined) return undefined
  const end = findLine(lines, /^---- .* stdout ----$/, failed.at + 1)?.at
  const panic = findLine(lines, /panicked at (?:'(.*)', )?(\S+?):(\d+):\d+:?$/, failed.at, end)
  const [, old, file, line] = panic?.match ?? []
  const message = old ?? (panic && nextText(lines, panic.at + 1, end))
  return { test: failed.match[1] ?? "", file, line: line === undefined ? undefined : Number(line), message }
}

/** `1) Shop sells` with `Failure/Error:` and `# ./spec/shop_spec.rb:4:in ...`. */
const readRspec: FailureReader = (lines) => {
  const reason = findLine(lines, /^\s+Failure\/Error: (.*)$/)
  const failed = reason && lines.slice(0, reason.at).findLast((line) => /^\s+\d+\) /.test(line))
  if (reason === undefined || failed === undefined) return undefined
  const end = findLine(lines, /^\s+\d+\) |^Finished in /, reason.at)?.at
  const [, file, line] = findLine(lines, /^\s+# (\S+):(\d+)(?::in|$)/, reason.at, end)?.match ?? []
  const said = nextText(lines, reason.at + 1, end)
  const message = said === undefined || said.startsWith("#") ? reason.match[1] : said
  return { test: failed.replace(/^\s+\d+\) /, ""), file, line: line === undefined ? undefined : Number(line), message }
}

/** `1) ShopTest::testSells` behind `There was 1 failure:`. */
const readPhpunit: FailureReader = (lines) => {
  const told = findLine(lines, /^There (?:was|were) \d+ (?:failure|error)s?:$/)
  const failed = told && findLine(lines, /^1\) (.+)$/, told.at)
  if (failed === undefined) return undefined
  const end = findLine(lines, /^2\) |^(?:FAILURES|ERRORS)!$/, failed.at + 1)?.at
  const [, file, line] = findLine(lines, /^(\S+\.php):(\d+)$/, failed.at, end)?.match ?? []
  const message = nextText(lines, failed.at + 1, end)
  return { test: failed.match[1] ?? "", file, line: line === undefined ? undefined : Number(line), message }
}

/** `[ERROR] com.shop.PriceTest.adds -- Time elapsed: 0.01 s <<< FAILURE!`, as Maven's surefire says it. */
const readMaven: FailureReader = (lines) => {
  const failed = findLine(
    lines,
    /^(?:\[ERROR\] +)?(\S+?)(?:\((\S+)\))?\s+(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!/,
  )
  if (failed === undefined) return undefined
  const [, name = "", owner] = failed.match
  const end = findLine(lines, /^\[(?:ERROR|INFO)\]/, failed.at + 1)?.at
  return { test: owner === undefined ? name : `${owner}.${name}`, ...javaFailure(lines, failed.at + 1, end) }
}

/** `PriceTest > adds() FAILED`, as Gradle says it. */
const readGradle: FailureReader = (lines) => {
  const failed = findLine(lines, /^(\S.* > .+) FAILED$/)
  if (failed === undefined) return undefined
  const end = findLine(lines, /^\S/, failed.at + 1)?.at
  return { test: failed.match[1] ?? "", ...javaFailure(lines, failed.at + 1, end) }
}

/** Frames of the test's own class come last of those before the runner's. */
function javaFailure(lines: readonly string[], from: number, to = lines.length) {
  const said = nextText(lines, from, to)
  const frame = findLine(
    lines,
    /(?:^\s*at (?!.*(?:org\.junit|opentest4j|java\.base|jdk\.)).*\(| at )(\w+\.(?:java|kt)):(\d+)\)?$/,
    from,
    to,
  )
  const [, file, line] = frame?.match ?? []
  return {
    file,
    line: line === undefined ? undefined : Number(line),
    message: said?.replace(/ at \w+\.(?:java|kt):\d+$/, ""),
  }
}

export const LANGUAGE_READERS: readonly FailureReader[] = [
  ...[readPytest, readUnittest, readGo, readCargo, readRspec, readPhpunit, readMaven, readGradle],
]
