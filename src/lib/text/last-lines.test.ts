import { expect, it } from "bun:test"
import { lastLines, linesAround } from "./last-lines.ts"

it("keeps the last lines that say something, without whole colour sequences", () => {
  const output = "\u001b[31mfirst\u001b[0m\n\n  second\r\n  second\r\n\u001b]0;title\u0007third\n\n"
  expect(lastLines(output)).toEqual(["first", "  second", "third"])
  expect(lastLines(output, 1)).toEqual(["third"])
  expect(lastLines("")).toEqual([])
})

it("cuts a line that no screen shows", () => {
  expect(lastLines("x".repeat(500))[0]?.length).toBe(200)
})

it("shows the lines around the one that matters, where it does not stand at the end", () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`)
  expect(linesAround(lines.join("\n"), "line 10", 6)).toEqual(lines.slice(8, 14))
  expect(linesAround(lines.join("\n"), "line 97", 6)).toEqual(lines.slice(94))
  expect(linesAround(lines.join("\n"), "nowhere", 6)).toEqual(lines.slice(94))
})

it("leaves out frames of the runtime's own code, so that the assertion is seen", () => {
  const output = [
    "AssertionError: 1990 == 1800",
    "    at discount (/shop/src/discount.js:4:3)",
    "    at Module._compile (node:internal/modules/cjs/loader:1521:14)",
    "    at node:internal/main/run_main_module:28:49",
    "    at run (/shop/node_modules/mocha/lib/runner.js:1:1)",
    "  actual: 1990,",
    "Node.js v20.20.2",
  ].join("\n")
  expect(lastLines(output)).toEqual([
    "AssertionError: 1990 == 1800",
    "    at discount (/shop/src/discount.js:4:3)",
    "  actual: 1990,",
  ])
})
