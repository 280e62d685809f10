import { describe, expect, it } from "bun:test"
import { findMissingProgram } from "./missing-program.ts"

const missing = (output: string, exitCode: number | null = 127, command = ["sh", "-c", "x"]) =>
  findMissingProgram({ reason: "exited", exitCode, command, output })

describe("findMissingProgram", () => {
  it.each([
    ["sh: 1: ava: not found\n", 127, "ava"],
    ["\n> x@1.0.0 test\n> ava\n\nsh: 1: ava: not found\n", 127, "ava"],
    ["/bin/sh: 1: ruff: not found\n", 127, "ruff"],
    ["bash: line 1: go: command not found\n", 127, "go"],
    ["zsh:1: command not found: cargo\n", 127, "cargo"],
    ["/usr/bin/env: ‘node’: No such file or directory\n", 127, "node"],
    ["make: pytest: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n", 2, "pytest"],
    ["sh: 1: tsc: not found\nmake: *** [Makefile:2: build] Error 127\n", 2, "tsc"],
    ["/usr/bin/python3: No module named pytest\n", 1, "pytest"],
    ['npm error npx canceled due to missing packages and no YES option: ["eslint@9.1.0"]\n', 1, "eslint"],
    ["error: Failed to spawn: `pytest`\n  Caused by: No such file or directory (os error 2)\n", 2, "pytest"],
    ["Command not found: pytest\n", 1, "pytest"],
    ['error Command "eslint" not found.\n', 1, "eslint"],
    ["error: no such command: `clippy`\n", 101, "clippy"],
    ["error: 'cargo-clippy' is not installed for the toolchain 'stable'\n", 1, "cargo-clippy"],
  ])("F001 F002: reads the program from %j", (output, exitCode, program) => {
    expect(missing(output, exitCode)).toBe(program)
  })

  it("names the program that could not be started", () => {
    expect(findMissingProgram({ reason: "not-found", exitCode: null, command: ["go", "test"], output: "" })).toBe("go")
  })

  it.each([
    ["what passed", "sh: 1: ava: not found\n", 0],
    ["a test that failed", "1 test failed: command not found: x\n", 1],
    ["a script of the repository that is not there", "sh: 1: ./check.sh: not found\n", 127],
    ["a path of the repository", "sh: 1: scripts/check: not found\n", 127],
    ["a dependency that a test misses", "ModuleNotFoundError: No module named 'requests'\n", 1],
    ["a command that was stopped", "sh: 1: ava: not found\n", null],
  ])("finds none in %s", (_, output, exitCode) => {
    expect(missing(output, exitCode)).toBeUndefined()
  })
})
