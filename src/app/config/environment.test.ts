import { expect, test } from "bun:test"
import { readEnvironment, teamworkHomeOf, userHomeOf } from "./environment.ts"

const TTY = { stdoutIsTTY: true, columns: 120 }

test("the terminal's name comes from the first variable that is set", () => {
  const all = { HOME: "/h", TEAMWORK_TERMINAL_ID: "mine", TMUX_PANE: "%7", TERM_SESSION_ID: "w0t1:AB CD/é😀" }
  expect(readEnvironment(all, TTY).terminalId).toBe("mine")
  const unnamed = { ...all, TEAMWORK_TERMINAL_ID: "" }
  expect(readEnvironment(unnamed, TTY).terminalId).toBe("7")
  const codex = { ...unnamed, CODEX_SESSION_ID: "c-1" }
  expect(readEnvironment(codex, TTY).terminalId).toBe("c-1")
  expect(readEnvironment({ ...codex, CLAUDE_CODE_SESSION_ID: "s-1" }, TTY).terminalId).toBe("s-1")
  expect(readEnvironment({ HOME: "/h", TERM_SESSION_ID: all.TERM_SESSION_ID }, TTY).terminalId).toBe("w0t1-AB-CD---")
  expect(readEnvironment({ HOME: "/h" }, TTY).terminalId).toBe(`pid-${process.ppid}`)
})

test("colour needs a terminal and no NO_COLOR", () => {
  expect(readEnvironment({ HOME: "/h" }, TTY).noColor).toBe(false)
  expect(readEnvironment({ HOME: "/h", NO_COLOR: "" }, TTY).noColor).toBe(false)
  expect(readEnvironment({ HOME: "/h", NO_COLOR: "1" }, TTY).noColor).toBe(true)
  expect(readEnvironment({ HOME: "/h" }, { stdoutIsTTY: false }).noColor).toBe(true)
})

test("the width is the terminal's, else COLUMNS, else 80", () => {
  expect(readEnvironment({ HOME: "/h", COLUMNS: "100" }, TTY).columns).toBe(120)
  const unknown = { stdoutIsTTY: true }
  expect(readEnvironment({ HOME: "/h", COLUMNS: "100" }, unknown).columns).toBe(100)
  for (const COLUMNS of ["wide", "0", "-5", "1.5", ""]) {
    expect(readEnvironment({ HOME: "/h", COLUMNS }, unknown).columns).toBe(80)
  }
})

test("F107: a pipe has no width, whatever COLUMNS says", () => {
  const pipe = { stdoutIsTTY: false }
  expect(readEnvironment({ HOME: "/h", COLUMNS: "80" }, pipe).columns).toBe(Number.POSITIVE_INFINITY)
  expect(readEnvironment({ HOME: "/h" }, pipe).columns).toBe(Number.POSITIVE_INFINITY)
})

test("a test's base folder stands in for both homes", () => {
  expect(userHomeOf({ HOME: "/h" })).toBe("/h")
  expect(userHomeOf({ HOME: "/h", TEAMWORK_HOME: "/t" })).toBe("/h")
  expect(userHomeOf({ HOME: "/h", TEAMWORK_TEST_BASE_DIR: "/b" })).toBe("/b")
  expect(teamworkHomeOf({ HOME: "/h" })).toBe("/h/.claude/teamwork")
  expect(teamworkHomeOf({ HOME: "/h", TEAMWORK_HOME: "/t" })).toBe("/t")
  expect(teamworkHomeOf({ HOME: "/h", TEAMWORK_HOME: "/t", TEAMWORK_TEST_BASE_DIR: "/b" })).toBe("/b")
})
