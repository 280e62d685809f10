/** Output of runners without and with tests. */
const SAYINGS: readonly (readonly [none: RegExp, some: RegExp])[] = [
  // pytest, unittest
  [/\bno tests ran\b|\bcollected 0 items\b/, /\bcollected [1-9]\d* items?\b|\b[1-9]\d* (?:passed|failed|error)/],
  [/^Ran 0 tests? in /m, /^Ran [1-9]\d* tests? in /m],
  // node --test and TAP
  [/^(?:#|ℹ) tests 0$/m, /^(?:#|ℹ) tests [1-9]/m],
  [/^1\.\.0\b/m, /^1\.\.[1-9]/m],
  // Jest, Vitest, Mocha, Bun, Deno
  [/^No tests? (?:files? )?found, exiting with code 0/m, /^ *Tests:? .*\b[1-9]\d* (?:passed|failed|total)/m],
  [/^ *0 passing\b/m, /^ *[1-9]\d* (?:passing|failing)\b/m],
  [/^Ran 0 tests across /m, /^Ran [1-9]\d* tests? across /m],
  [/\b0 passed(?: \(\d+ steps\))? \| 0 failed\b/, /\b[1-9]\d* (?:passed|failed)(?: \(\d+ steps?\))? \|/],
  // Go, Rust
  [
    /\[no test files\]|\[no tests to run\]|no tests to run$/m,
    /^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\))(?!.*\[no tests to run\])/m,
  ],
  [/^running 0 tests$/m, /^running [1-9]\d* tests?$/m],
  // RSpec, PHPUnit, Maven, .NET
  [/^0 examples, 0 failures/m, /^[1-9]\d* examples?, /m],
  [/^No tests executed!/m, /^OK \([1-9]|^Tests: [1-9]/m],
  [/^(?:\[INFO\] )?Tests run: 0,/m, /^(?:\[\w+\] )?Tests run: [1-9]/m],
  [/No test is available in |No test matches the given/, /\b(?:Passed|Failed): +[1-9]|^Total tests: [1-9]/m],
  // JUnit as XML
  [/<testsuites?\b[^>]*\btests="0"/, /<testcase\b/],
]

export function saysNoTests(output: string): boolean {
  const text = Bun.stripANSI(output).replaceAll("\r\n", "\n")
  const isNone = SAYINGS.some(([none]) => none.test(text))
  return isNone && !SAYINGS.some(([, some]) => some.test(text))
}
