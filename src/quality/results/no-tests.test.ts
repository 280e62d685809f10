import { expect, it } from "bun:test"
import { saysNoTests } from "./no-tests.ts"

it.each([
  ["pytest", "============ no tests ran in 0.01s ============"],
  ["unittest", "\n----\nRan 0 tests in 0.000s\n\nOK\n"],
  ["node", "ℹ tests 0\nℹ suites 0\nℹ pass 0\nℹ fail 0\n"],
  ["node as TAP", "TAP version 13\n1..0\n# tests 0\n# pass 0\n"],
  ["jest", "No tests found, exiting with code 0\n"],
  ["vitest", "No test files found, exiting with code 0\n"],
  ["mocha", "\n  0 passing (1ms)\n"],
  ["bun", " 0 pass\n 0 fail\nRan 0 tests across 1 file. [5.00ms]\n"],
  ["deno", "ok | 0 passed | 0 failed (0ms)\n"],
  ["go", "?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.002s [no tests to run]\n"],
  ["cargo", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored\n"],
  ["rspec", "No examples found.\n\n\nFinished in 0.0003 seconds\n0 examples, 0 failures\n"],
  ["phpunit", "No tests executed!\n"],
  ["maven", "[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0\n"],
  ["junit", '<testsuites tests="0"><testsuite name="a" tests="0"/></testsuites>'],
])("%s ran no test", (_, output) => expect(saysNoTests(output)).toBe(true))

it.each([
  ["nothing known", "done\n"],
  ["nothing", ""],
  ["pytest", "collected 3 items\n...\n3 passed in 0.1s\n"],
  ["node", "ℹ tests 4\nℹ pass 4\n"],
  ["jest", "Tests:       2 passed, 2 total\n"],
  ["mocha", "  3 passing (4ms)\n"],
  ["bun", "Ran 2 tests across 1 file. [5.00ms]\n"],
  ["go", "?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.002s\n"],
  ["go from the cache", "ok  \texample.com/b\t(cached)\nok  \texample.com/c\t0.002s [no tests to run]\n"],
  ["cargo with documents", "running 2 tests\ntest a ... ok\n\n   Doc-tests a\n\nrunning 0 tests\n"],
  ["two runners", "Ran 0 tests in 0.000s\nℹ tests 4\n"],
])("%s ran some, or does not say", (_, output) => expect(saysNoTests(output)).toBe(false))
