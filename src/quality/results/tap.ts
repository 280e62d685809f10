import { makeTally, nameOf, type Output, type Reading, type ResultReader } from "./tally.ts"

const POINT = /^( *)(not )?ok\b(?: +\d+)?(?: +-)?(?: +(.*))?$/
const DIRECTIVE = /(?:^|\s)(?<!\\)#\s*(skip|todo|time=)(.*)$/i
const PLAN = /^1\.\.(\d+)/

interface Point {
  readonly status: "passed" | "failed" | "skipped"
  readonly names: readonly string[]
  file?: string | undefined
}

interface Level {
  readonly indent: number
  readonly points: Point[]
}

/** Points wait in their level for the line of their group, which comes later. */
interface State {
  readonly levels: Level[]
  /** Opened by `{`, by indent. */
  readonly open: { readonly indent: number; readonly point: Point }[]
  /** The indent of a YAML block; null outside. */
  facts: number | null
  last: Point | undefined
  /** Without node suites and TODO tests. */
  notOk: number
  notOkToDo: number
  top: number
  /** The comment above a test is its name in tape. */
  heading: string
}

/** TAP 13 and 14, nested, of node, tap, tape, ava, mocha and vitest. */
export const readTap: ResultReader = {
  format: "tap",
  signs: ["ok ", "TAP version", "1.."],
  read(output) {
    const { lines } = output
    const points = lines.some((line) => /^(?:not )?ok \d/.test(line))
    const isTold = lines.some((line) => /^TAP version \d+/.test(line))
    const plans = lines.map((line) => PLAN.exec(line)?.[1]).filter((plan) => plan !== undefined)
    if (!points && !isTold) return undefined
    if (plans.length === 0 || lines.some((line) => /^Bail out!/.test(line))) return "unclear"
    const state = readLines(output)
    if (state.open.length > 0 || state.facts !== null) return "unclear"
    if (state.top !== plans.reduce((sum, plan) => sum + Number(plan), 0)) return "unclear"
    return tell(state, lines)
  },
}

function readLines(output: Output): State {
  const state: State = {
    levels: [],
    open: [],
    facts: null,
    last: undefined,
    notOk: 0,
    notOkToDo: 0,
    top: 0,
    heading: "",
  }
  const hasHeadings = !output.text.includes("# Subtest")
  for (const line of output.lines) {
    if (state.facts !== null) readFact(state, line, output)
    else if (/^ +---$/.test(line) && state.last !== undefined) state.facts = line.indexOf("-")
    else if (/^ *\}$/.test(line)) closeGroup(state, line.indexOf("}"))
    else if (hasHeadings && /^# (?!(?:tests|pass|fail|skip|todo|ok)\b)\S/.test(line)) state.heading = line.slice(2)
    else readPoint(state, line, output)
  }
  return state
}

function readFact(state: State, line: string, output: Output): void {
  const text = line.trimStart()
  const indent = line.length - text.length
  if (text === "..." && indent <= (state.facts ?? 0)) state.facts = null
  const [, file] = /^(?:location|at): ['"]?(.+?):\d+(?::\d+)?['"]?$/.exec(text) ?? []
  if (file !== undefined && state.last !== undefined && indent === state.facts) state.last.file ??= output.path(file)
  if (indent === state.facts && text === "type: 'suite'" && state.last?.status === "failed") state.notOk--
}

function readPoint(state: State, line: string, output: Output): void {
  const match = POINT.exec(line)
  if (match === null) return
  const [, space = "", not, said = ""] = match
  const indent = space.length
  const opens = said.endsWith(" {")
  const text = opens ? said.slice(0, -2) : said
  const [all = "", directive] = DIRECTIVE.exec(text) ?? []
  const name = withoutEscapes(directive === undefined ? text : text.slice(0, text.length - all.length)).trim()
  const isLeftOut = /^(?:skip|todo)$/i.test(directive ?? "")
  if (not !== undefined) isLeftOut ? state.notOkToDo++ : state.notOk++
  if (indent === 0) state.top++
  const heading = indent === 0 ? state.heading : ""
  const names = [heading, name.startsWith("/") ? output.path(name) : name]
  const point: Point = { names, status: isLeftOut ? "skipped" : not === undefined ? "passed" : "failed" }
  state.last = point
  if (opens) {
    state.open.push({ indent, point })
    // The parts of a failed group count.
    if (point.status === "failed") state.notOk--
  } else place(state, indent, point)
}

/** Takes the deeper points as its parts. */
function place(state: State, indent: number, group: Point): void {
  const inner: Point[] = []
  for (let top = state.levels.at(-1); top !== undefined && top.indent > indent; top = state.levels.at(-1)) {
    inner.unshift(...top.points)
    state.levels.pop()
  }
  let level = state.levels.at(-1)
  if (level?.indent !== indent) {
    level = { indent, points: [] }
    state.levels.push(level)
  }
  for (const point of inner) level.points.push({ ...point, names: [...group.names, ...point.names] })
  // A group may fail by itself, as in its set-up.
  const failsAlone = group.status === "failed" && !inner.some((point) => point.status === "failed")
  if (inner.length === 0 || failsAlone) level.points.push(group)
}

function closeGroup(state: State, indent: number): void {
  if (state.open.at(-1)?.indent !== indent) return
  const closed = state.open.pop()
  if (closed !== undefined) place(state, indent, closed.point)
}

function tell(state: State, lines: readonly string[]): Reading {
  const tally = makeTally()
  const points = state.levels[0]?.points ?? []
  for (const { status, names, file } of points)
    tally.add(status, nameOf(status === "failed" ? file : undefined, ...names))
  const count = (word: string) => {
    const found = lines.map((line) => new RegExp(`^# ${word}\\s+(\\d+)$`).exec(line)?.[1])
    return found.some(Boolean) ? found.reduce((sum, each) => sum + Number(each ?? 0), 0) : undefined
  }
  const failed = count("fail")
  const told = failed === undefined ? undefined : failed + (count("cancelled") ?? 0)
  if (told === undefined || told === state.notOk || told === state.notOk + state.notOkToDo) return tally
  return "unclear"
}

function withoutEscapes(name: string): string {
  return name.replaceAll(/\\([#\\])/g, "$1")
}
