/** The first failing test in an output, or the first error of a compiler or linter. */
export interface FirstFailure {
  /** The test with its groups, or the code of an error. */
  readonly test: string
  readonly file: string | null
  readonly line: number | null
  readonly message: string | null
}

type Lines = readonly string[]
type Groups = Readonly<Partial<Record<"test" | "file" | "line" | "message" | "owner", string>>>

/**
 * How a program reports a failure. The groups of all patterns are merged: `place` wins, then `head`, `above`,
 * `after`.
 */
interface Format {
  /** Must occur in the output, if other programs print lines like `head`. */
  readonly sign?: RegExp
  /** `head` is searched below this line. */
  readonly after?: RegExp
  /** The line just above `head`. */
  readonly under?: RegExp
  readonly head: RegExp
  /** The nearest match above `head`. */
  readonly above?: RegExp
  readonly needsAbove?: true
  /** The report starts below this line and ends at `head`. By default it follows `head`. */
  readonly begin?: RegExp
  readonly end?: RegExp
  /** The first or last match in the report. `frame`: a line of a JavaScript stack. */
  readonly place?: RegExp | "frame"
  readonly takesLast?: true
  /** Lines after `head` that are not part of the report. */
  readonly skip?: number
  /** `place`: the text at or below the place. By default the first text of the report. */
  readonly message?: RegExp | "place"
  readonly name?: (groups: Groups) => string | undefined
}

const JAVA = {
  place:
    /(?:^\s*at (?!.*(?:org\.junit|opentest4j|java\.base|jdk\.)).*\(| at )(?<file>\w+\.(?:java|kt)):(?<line>\d+)\)?$/,
  message: /^\s*(?<message>\S.*?)(?: at \w+\.(?:java|kt):\d+)?$/,
}
const CARGO = {
  end: /^---- .* stdout ----$/,
  place: /panicked at (?:'(?<message>.*)', )?(?<file>\S+?):(?<line>\d+):\d+:?$/,
  message: "place",
} as const
const isError = () => "error"

/** Test runners come first: their output may quote a compiler. */
const FORMATS: readonly (Format | ((lines: Lines) => Groups | undefined))[] = [
  // bun: `(fail) math > adds [0.33ms]` below the error, which stands below `a.test.ts:`
  {
    sign: /^bun test v|^\(fail\)/,
    head: /^(?:\(fail\)|✗) (?<test>.+?)(?: \[[\d.]+m?s\])?$/,
    above: /^(?<file>\S+\.[cm]?[jt]sx?):$/,
    begin: /^(?:\((?:pass|fail|skip|todo)\)|[✓✗]) /,
    place: "frame",
    message: /^(?:error: |(?=[A-Z]\w*(?:Error|Exception): ))(?<message>.*)/,
  },
  // Vitest: ` FAIL  src/a.test.ts > math > adds`, then the error and ` ❯ src/a.test.ts:5:15`
  {
    sign: /❯|⎯{3}/,
    head: /^\s*FAIL\s+(?:\|[^|]*\|\s+)?(?<file>\S+\.[cm]?[jt]sx?)(?: > (?<test>.+))?$/,
    end: /^\s*FAIL\s|⎯{3}/,
    place: "frame",
    name: ({ test, file }) => test ?? file,
  },
  // Jest: `  ● math › adds` below `FAIL src/a.test.js`
  {
    after: /^\s*FAIL\s+(?:.*\s)?(?<file>\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?$/,
    head: /^\s{0,4}● (?<test>.+)$/,
    end: /^\s{0,4}● |^(?:PASS|FAIL)\s/,
    place: "frame",
    name: ({ test }) => test?.replaceAll(" › ", " > "),
  },
  readMocha,
  // node --test: `test at b.test.mjs:5:3` and `✖ adds (1.2ms)` below `✖ failing tests:`
  {
    after: /^✖ failing tests:/,
    head: /^\s*✖ (?<test>.+?)(?: \([\d.]+m?s\))?$/,
    above: /^test at (?<file>.+?):(?<line>\d+):\d+$/,
    end: /^test at /,
    place: "frame",
  },
  readTap,
  readPytest,
  // unittest: `FAIL: test_adds (test_c.TestMath.test_adds)` with a traceback
  {
    under: /^={10,}$/,
    head: /^(?:FAIL|ERROR): (?<test>\S+)(?: \((?<owner>.+)\))?/,
    end: /^={10,}$|^Ran \d+ tests? in/,
    place: /^\s+File "(?<file>.+)", line (?<line>\d+)/,
    takesLast: true,
    skip: 2,
    message: /^(?<message>[A-Za-z_][\w.]*(?:: .*)?)$/,
    name: ({ test, owner }) =>
      owner === undefined || owner.endsWith(`.${test}`) ? (owner ?? test) : `${owner}.${test}`,
  },
  readGo,
  // cargo: `---- tests::adds stdout ----` with `thread 'tests::adds' panicked at src/lib.rs:7:9:`
  { head: /^---- (?<test>\S+)(?: .*)? stdout ----$/, ...CARGO },
  { head: /^test (?<test>\S+) \.\.\. FAILED$/, ...CARGO },
  // RSpec: `1) Shop sells` with `Failure/Error:` and `# ./spec/shop_spec.rb:4:in ...`
  {
    head: /^\s+Failure\/Error: (?<message>.*)$/,
    above: /^\s+\d+\) (?<test>.*)$/,
    needsAbove: true,
    end: /^\s+\d+\) |^Finished in /,
    place: /^\s+# (?<file>\S+):(?<line>\d+)(?::in|$)/,
    message: /^\s*(?!#)(?<message>\S.*)$/,
  },
  // PHPUnit: `1) ShopTest::testSells` below `There was 1 failure:`
  {
    after: /^There (?:was|were) \d+ (?:failure|error)s?:$/,
    head: /^1\) (?<test>.+)$/,
    end: /^2\) |^(?:FAILURES|ERRORS)!$/,
    place: /^(?<file>\S+\.php):(?<line>\d+)$/,
  },
  // Maven: `[ERROR] com.shop.PriceTest.adds -- Time elapsed: 0.01 s <<< FAILURE!`
  {
    head: /^(?:\[ERROR\] +)?(?<test>\S+?)(?:\((?<owner>\S+)\))?\s+(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!/,
    end: /^\[(?:ERROR|INFO)\]/,
    ...JAVA,
    name: ({ test, owner }) => (owner === undefined ? test : `${owner}.${test}`),
  },
  // Gradle: `PriceTest > adds() FAILED`
  { head: /^(?<test>\S.* > .+) FAILED$/, end: /^\S/, ...JAVA },
  // tsc: `src/a.ts(3,7): error TS2322: ...` or `src/a.ts:3:7 - error TS2322: ...`
  { head: /^(?<file>.+?)\((?<line>\d+),\d+\): error (?<test>TS\d+): (?<message>.*)$/ },
  { head: /^(?<file>.+?):(?<line>\d+):\d+ - error (?<test>TS\d+): (?<message>.*)$/ },
  // ESLint: the file on a line of its own, then `  1:5  error  'x' is not used  no-unused-vars`
  {
    head: /^\s+(?<line>\d+):\d+\s+error\s+(?<message>.+?)(?:\s{2,}(?<test>\S+))?$/,
    above: /^(?<file>\S.*\.\w+)$/,
    name: ({ test }) => test ?? "error",
  },
  // Biome: `src/a.ts:3:7 lint/style/useConst ━━━━`, with the message below
  {
    head: /^(?<file>\S+?)(?::(?<line>\d+):\d+)? (?<test>\S+\/\S+|format|organizeImports|parse) .*━{3}/,
    message: /^\s+× (?<message>.*)$/,
  },
  // rustc: `error[E0425]: cannot find value` above ` --> src/lib.rs:1:21`
  {
    head: /^\s*--> (?<file>\S+?):(?<line>\d+):\d+$/,
    above: /^error(?:\[(?<test>\w+)\])?: (?<message>.*)$/,
    needsAbove: true,
    name: ({ test }) => test ?? "error",
  },
  // Most compilers: `src/a.c:3:7: error: ...`; Maven: `[ERROR] src/A.java:[3,7] ...`; Go leaves `error` out
  { head: /^(?<file>[^\s:]+\.\w+):(?<line>\d+)(?::\d+)?: (?:fatal )?error:? (?<message>.*)$/i, name: isError },
  { head: /^\[ERROR\] +(?<file>[^\s:]+\.\w+):\[(?<line>\d+),\d+\] (?<message>.*)$/, name: isError },
  {
    head: /^(?<file>[^\s:]+\.[A-Za-z]{1,5}):(?<line>\d+)(?::\d+)?: (?!warning|note|info)(?<message>\S.*)$/,
    name: isError,
  },
]

const MAX_TEXT = 300

/** Paths in `folder`, where the command ran, become relative. */
export function findFirstFailure(output: string, folder: string): FirstFailure | undefined {
  const lines = Bun.stripANSI(output).split(/\r?\n/)
  for (const format of FORMATS) {
    const found = typeof format === "function" ? format(lines) : readFormat(lines, format)
    if (found?.test === undefined) continue
    const { test, file, line, message } = found
    return {
      test: short(test),
      file: file === undefined ? null : short(fromFolder(file, folder)),
      line: line === undefined ? null : Number(line),
      message: message === undefined || message.trim() === "" ? null : short(message),
    }
  }
  return undefined
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT - 1)}…` : line
}

function fromFolder(file: string, folder: string): string {
  const path = file.replace(/^file:\/\//, "").replace(/^\.\//, "")
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}

function readFormat(lines: Lines, format: Format): Groups | undefined {
  const { sign, after: start, begin, end, place: where, name } = format
  if (sign !== undefined && findLine(lines, sign) === undefined) return undefined
  const after = start && findLine(lines, start)
  const head = start !== undefined && after === undefined ? undefined : findLine(lines, format.head, after?.at)
  if (head === undefined || format.under?.test(lines[head.at - 1] ?? "") === false) return undefined
  const above = format.above && findLast(lines, format.above, 0, head.at)
  if (format.needsAbove && above === undefined) return undefined
  const from = begin === undefined ? head.at + (format.skip ?? 0) : (findLast(lines, begin, 0, head.at)?.at ?? -1)
  const to = begin === undefined ? end && findLine(lines, end, head.at)?.at : head.at
  const said = format.message instanceof RegExp ? findLine(lines, format.message, from, to) : undefined
  const place =
    where === "frame"
      ? findFrame(lines, said?.at === undefined ? from : said.at - 1, to)
      : where && (format.takesLast ? findLast : findLine)(lines, where, from, to)
  const groups = { ...after?.groups, ...above?.groups, ...head.groups, ...place?.groups, ...said?.groups }
  const text =
    format.message === undefined
      ? nextText(lines, from, to)
      : format.message === "place" && place !== undefined
        ? nextText(lines, place.at, to)
        : undefined
  return { ...groups, test: name === undefined ? groups.test : name(groups), message: groups.message ?? text }
}

interface FoundLine {
  readonly groups: Groups
  readonly at: number
}

function matchLine(line: string | undefined, pattern: RegExp): Groups | undefined {
  const match = pattern.exec(line ?? "")
  return match === null ? undefined : Object.fromEntries(Object.entries(match.groups ?? {}).filter(([, text]) => text))
}

function findLine(lines: Lines, pattern: RegExp, after = -1, to = lines.length): FoundLine | undefined {
  for (let at = after + 1; at < to; at++) {
    const groups = matchLine(lines[at], pattern)
    if (groups !== undefined) return { groups, at }
  }
  return undefined
}

function findLast(lines: Lines, pattern: RegExp, after: number, to = lines.length): FoundLine | undefined {
  for (let at = to - 1; at >= after; at--) {
    const groups = matchLine(lines[at], pattern)
    if (groups !== undefined) return { groups, at }
  }
  return undefined
}

function nextText(lines: Lines, after: number, to?: number): string | undefined {
  return findLine(lines, /^\s*(?<message>\S.*)$/, after, to)?.groups.message
}

const FRAME = /^\s*(?:at |❯ )(?:.*\()?(?:file:\/\/)?(?<file>[^\s():][^():]*|[A-Za-z]:[^():]+):(?<line>\d+)(?::\d+)?\)?$/

/** Skips frames of the runtime and of packages. */
function findFrame(lines: Lines, after: number, to?: number): FoundLine | undefined {
  for (let frame = findLine(lines, FRAME, after, to); frame !== undefined; frame = findLine(lines, FRAME, frame.at, to))
    if (!/node_modules|^node:|^internal/.test(frame.groups.file ?? "")) return frame
  return undefined
}

/** `1) math` and `adds:` on lines of their own, below `1 failing`. */
function readMocha(lines: Lines): Groups | undefined {
  const failing = findLine(lines, /^\s*\d+ failing\b/)
  const first = failing && findLine(lines, /^\s*1\) (?<test>.+)$/, failing.at)
  if (first === undefined) return undefined
  const names = [first.groups.test?.trim() ?? ""]
  let { at } = first
  while (!names.at(-1)?.endsWith(":") && lines[at + 1]?.trim()) names.push(lines[++at]?.trim() ?? "")
  const end = findLine(lines, /^\s*2\) /, at)?.at
  const test = names.join(" > ").replace(/:$/, "")
  return { test, ...findFrame(lines, at, end)?.groups, message: nextText(lines, at, end) }
}

/** `not ok 1 - adds` with its YAML block; the innermost test comes first. */
function readTap(lines: Lines): Groups | undefined {
  const failed = findLine(lines, /^\s*not ok \d+(?: -)? (?!.*# (?:TODO|SKIP))(?<test>.+)$/i)
  if (failed === undefined) return undefined
  const { at } = failed
  const end = findLine(lines, /^\s*(?:\.\.\.|(?:not )?ok \d)/, at)?.at
  const place = findLine(lines, /^\s*(?:location|at): '?(?<file>.+?):(?<line>\d+)(?::\d+)?'?$/, at, end)
  const error = findLine(lines, /^\s*(?:error|message): (?<message>.*)$/, at, end)
  const said = error?.groups.message?.replace(/^(['"])(.*)\1$/, "$2")
  const stack = findLine(lines, /^\s*stack: /, at, end)
  const frame =
    stack &&
    findFrame(
      lines.map((line) => line.replace(/^\s*/, "at ")),
      stack.at,
      end,
    )
  const message = error !== undefined && /^[|>]/.test(said ?? "") ? nextText(lines, error.at, end) : said
  return { ...failed.groups, ...place?.groups, ...frame?.groups, message }
}

/** `FAILED test_d.py::TestShop::test_sells[1] - ValueError: no stock`, and `test_d.py:3: ValueError` above it. */
function readPytest(lines: Lines): Groups | undefined {
  const failed = findLine(lines, /^(?:FAILED|ERROR) (?<file>[^\s:]+\.py)(?:::(?<test>\S.*?))?(?: - (?<message>.*))?$/)
  if (failed === undefined) return undefined
  const { file, test = file, message } = failed.groups
  const section = findLine(lines, /^_{3,} (?:ERROR (?:collecting|at \w+ of) )?.+? _{3,}$/)
  const end = section && findLine(lines, /^(?:_{3,} .* _{3,}|={3,} .* ={3,})$/, section.at)?.at
  // The last place is where it was raised.
  const place = section && findLast(lines, /^(?<file>\S+\.py):(?<line>\d+): \w/, section.at, end)
  const error = section && findLine(lines, /^E(?<message> {2}.*)/, section.at, end)
  return { file, ...place?.groups, test: test?.replaceAll("::", " > "), message: message ?? error?.groups.message }
}

/** `--- FAIL: TestAdds/empty (0.00s)` and `a_test.go:6: got 1, want 2`; a group stands above its parts. */
function readGo(lines: Lines): Groups | undefined {
  let failed = findLine(lines, /^\s*--- FAIL: (?<test>\S+)/)
  if (failed === undefined) return undefined
  const part = /^\s+--- FAIL: (?<test>\S+)/
  for (let inner: FoundLine | undefined = failed; inner; inner = findLine(lines, part, inner.at, inner.at + 2))
    failed = inner
  const { at, groups } = failed
  const end = findLine(lines, /^\s*(?:--- |FAIL|ok )/, at)?.at
  const place =
    findLine(lines, /^\s+(?<file>\S+\.go):(?<line>\d+): ?(?<message>.*)$/, at, end) ??
    // With -v it stands above.
    findLine(lines, /^\s+(?<file>\S+_test\.go):(?<line>\d+): ?(?<message>.*)$/, -1, at)
  const panic = findLine(lines, /^(?<message>panic: .*)$/, at - 1)
  const message = place === undefined ? panic?.groups.message : (place.groups.message ?? nextText(lines, place.at, end))
  return { ...groups, ...place?.groups, message }
}
