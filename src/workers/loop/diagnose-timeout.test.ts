import { expect, it } from "bun:test"
import type { AgentEvent } from "../../agents/port.ts"
import { diagnoseRun, newTrace, traceEvent } from "./diagnose-timeout.ts"

interface Use {
  readonly input: string
  readonly ok?: boolean
  readonly output?: string
  readonly files?: readonly string[]
}

function diagnose(uses: readonly Use[]) {
  const trace = newTrace(-1000)
  for (const [index, { input, ok, output = "", files = [] }] of uses.entries()) {
    const id = `t${index}`
    const events: AgentEvent[] = [{ at: 0, type: "tool_use", id, name: "shell", files, input }]
    if (ok !== undefined) events.push({ at: 0, type: "tool_result", id, ok, output })
    for (const event of events) traceEvent(trace, event)
  }
  return diagnoseRun(trace, { reason: "timed-out", at: 0 })
}

const edits = (count: number): Use[] =>
  Array.from({ length: count }, (_, index) => ({ input: `edit ${index}`, ok: true, files: [`src/${index}.ts`] }))

it("finds that something was missing which the task could not make", () => {
  const found = diagnose([
    ...edits(2),
    { input: "npm test", ok: false, output: "Error: connect ECONNREFUSED 127.0.0.1:5432" },
  ])
  expect(found).toMatchObject({
    cause: "dependency blocked",
    seen: "3 uses of tools, 2 files written, the last: npm test (failed)",
  })
  expect(found.advice).toContain('"ECONNREFUSED" from: npm test')
})

it("does not blame what was mended since", () => {
  const missing = { input: "npm test", ok: false, output: "Cannot find module 'x'" }
  expect(diagnose([missing, ...edits(4)])).toMatchObject({ cause: "scope too large" })
})

it("finds that it went in circles", () => {
  const failing = { input: "npm test", ok: false, output: "expected 1, got 2" }
  expect(diagnose([failing, failing, failing])).toMatchObject({ cause: "technical difficulty" })
  const same = { input: "cat a.ts", ok: true }
  expect(diagnose([...edits(3), same, same, same, same])).toMatchObject({ cause: "loop" })
  expect(diagnose([...edits(1), failing]).advice).toContain("(npm test)")
})

it("takes steady progress for too much to do", () => {
  const found = diagnose(edits(30))
  expect(found).toMatchObject({
    cause: "scope too large",
    seen: "30 uses of tools, 30 files written, the last: edit 29",
  })
  expect(found.advice).toContain("It had written 30 files.")
  expect(diagnose([{ input: "sleep 10000" }]).seen).toBe(
    "1 uses of tools, 0 files written, the last: sleep 10000 (did not end)",
  )
})

it("keeps its words short, whatever a tool was given", () => {
  expect(diagnose([{ input: `${"x".repeat(500)}\n`, ok: true }]).seen).toHaveLength(167)
})

const MINUTE = 60_000

function diagnoseAt(events: readonly [minute: number, event: object][], reason: "timed-out" | "hung" | "looping") {
  const trace = newTrace(0)
  for (const [minute, event] of events) traceEvent(trace, { at: minute * MINUTE, ...event } as AgentEvent)
  return diagnoseRun(trace, { reason, at: 30 * MINUTE })
}

const use = (id: string, input: string, files: readonly string[] = []) => ({
  ...{ type: "tool_use", id, name: "shell", files, input },
})
const result = (id: string, output = "") => ({ type: "tool_result", id, ok: true, output })

it("F041: tells a hang of the model from one of a tool, and from too much to do", () => {
  const model = diagnoseAt(
    [
      [1, use("1", "edit a", ["a"])],
      [1, result("1")],
    ],
    "timed-out",
  )
  expect(model).toMatchObject({ cause: "hang" })
  expect(model.seen).toStartWith("no output for 1740 s, the model did not answer; 1 uses of tools")
  const tool = diagnoseAt([[1, use("1", "npm run dev")]], "timed-out")
  expect(tool).toMatchObject({ cause: "hang" })
  expect(tool.seen).toContain("a tool did not end")
  expect(tool.advice).toContain("This did not end: npm run dev")
  expect(diagnoseAt([], "timed-out")).toMatchObject({ cause: "hang" })
  // It only waited for its provider, which is no work.
  expect(diagnoseAt([[29, { type: "waiting" }]], "timed-out")).toMatchObject({ cause: "hang" })
  const busy = Array.from({ length: 29 }, (_, n): [number, object][] => [
    [n, use(String(n), `edit ${n}`, [`${n}.ts`])],
    [n, result(String(n))],
  ])
  expect(diagnoseAt(busy.flat(), "timed-out")).toMatchObject({ cause: "scope too large" })
})

it("F041: tells a loop, and being busy without getting on", () => {
  expect(
    diagnoseAt(
      [
        [29, use("1", "cat a")],
        [29, result("1")],
      ],
      "looping",
    ),
  ).toMatchObject({ cause: "loop" })
  const reads = Array.from({ length: 290 }, (_, n): [number, object][] => [
    [n / 10, use(String(n), `cat ${n % 9}`)],
    [n / 10, result(String(n))],
  ])
  const stalled = diagnoseAt(reads.flat(), "timed-out")
  expect(stalled).toMatchObject({ cause: "no progress" })
  expect(stalled.seen).toEndWith("nothing new for 1752 s")
})
