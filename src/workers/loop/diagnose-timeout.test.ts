import { expect, it } from "bun:test"
import type { AgentEvent } from "../../agents/port.ts"
import { diagnoseTimeout, newTrace, traceEvent } from "./diagnose-timeout.ts"

interface Use {
  readonly input: string
  readonly ok?: boolean
  readonly output?: string
  readonly files?: readonly string[]
}

function diagnose(uses: readonly Use[]) {
  const trace = newTrace()
  for (const [index, { input, ok, output = "", files = [] }] of uses.entries()) {
    const id = `t${index}`
    const events: AgentEvent[] = [{ at: 0, type: "tool_use", id, name: "shell", files, input }]
    if (ok !== undefined) events.push({ at: 0, type: "tool_result", id, ok, output })
    for (const event of events) traceEvent(trace, event)
  }
  return diagnoseTimeout(trace)
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
  expect(diagnose([...edits(3), same, same, same, same])).toMatchObject({ cause: "technical difficulty" })
  expect(diagnose([...edits(1), failing]).advice).toContain("(npm test)")
})

it("takes steady progress for too much to do, and what did nothing too", () => {
  const found = diagnose(edits(30))
  expect(found).toMatchObject({
    cause: "scope too large",
    seen: "30 uses of tools, 30 files written, the last: edit 29",
  })
  expect(found.advice).toContain("It had written 30 files.")
  expect(diagnose([{ input: "sleep 10000" }]).seen).toBe(
    "1 uses of tools, 0 files written, the last: sleep 10000 (did not end)",
  )
  expect(diagnose([])).toMatchObject({ cause: "scope too large", seen: "0 uses of tools, 0 files written" })
})

it("keeps its words short, whatever a tool was given", () => {
  expect(diagnose([{ input: `${"x".repeat(500)}\n`, ok: true }]).seen).toHaveLength(167)
})
