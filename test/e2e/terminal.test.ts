// What people see at a real terminal: tmux plays it, at 80 and at 200 columns.
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from "bun:test"
import { type Bench, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"
import { prepareShop } from "./command-cases.ts"
import { END, HAS_TMUX, openPane, WHY_NO_TMUX } from "./pane.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

const LONG =
  "日本語のとても長いタイトル、ünïcödé 🎉 and a tail that goes on and on and on until it is cut for good ".repeat(3)

let shop: Bench
beforeAll(async () => {
  shop = makeBench()
  await prepareShop(shop)
  await shop.ok("task", "create", LONG, "--role", "frontend", "--assignee", "somebody-with-a-long-name")
  await shop.ok("task", "create", "evil \u001b[31mred\u001b[0m \u0007bell", "--description", "before\u001b[2Jafter")
  await shop.ok("mailbox", "send", "--from", "w2", "--to", "w1", "--message", LONG)
  await shop.ok("evidence", "add", "1", "--add-evidence", LONG)
})
afterAll(() => shop[Symbol.dispose]())

describe("a pipe", () => {
  it("F107: gets every text whole, whatever COLUMNS says", async () => {
    const whole = LONG.trim().replaceAll(/\s+/g, " ")
    for (const command of ["task list", "mailbox read w1", "evidence list 1"]) {
      const args = [...command.split(" "), "--format", "table"]
      for (const env of [{}, { COLUMNS: "60" }]) {
        const { stdout } = await shop.run(args, { env })
        expect({ command, stdout }).toEqual({ command, stdout: expect.stringContaining(whole) })
        expect(stdout).not.toContain("…")
      }
    }
  })
})

describe.skipIf(!HAS_TMUX)(`a terminal${WHY_NO_TMUX}`, () => {
  for (const columns of [80, 200]) {
    it(`of ${columns} columns gets tables that fit`, async () => {
      const commands = ["task list", "project status --verbose", "swarm status", "mailbox read w1", "evidence list 1"]
      const line = commands.map((command) => `teamwork ${command}`).join("; ")
      using pane = openPane(shop, columns, line)
      const shown = (await pane.until((screen) => screen.includes(END))).split("\n")
      // A row that does not fit would go on in the next line, where no row begins.
      const list = shown.slice(0, 7)
      expect(list[0]).toMatch(/^ID +STATUS +WAVE +ROLE +OWNER +TITLE +NEEDS$/)
      expect(list.slice(1).map((row) => row.slice(0, 2).trim())).toEqual(["1", "2", "3", "4", "5", "6"])
      expect(list[5]).toContain("日本語のとても長い")
      expect(list[5]).toContain("…")
      for (const row of shown) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(columns)
      const cutRow = list[5] ?? ""
      expect(Bun.stringWidth(cutRow.trimEnd())).toBeGreaterThan(columns - 12)
      // As many lines as there are rows, and no more: nothing was wrapped.
      const lines = shown.slice(0, shown.indexOf(END)).filter((row) => row !== "")
      const plain = await Promise.all(commands.map((command) => shop.run([...command.split(" "), "--format", "table"])))
      const expected = plain.flatMap((result) => result.stdout.split("\n").filter((row) => row !== ""))
      expect(lines).toHaveLength(expected.length)
    })
  }

  it("gets colours, and none with NO_COLOR", async () => {
    using colored = openPane(shop, 120, "teamwork task list; teamwork doctor")
    using plain = openPane(shop, 120, "teamwork task list; teamwork doctor", { NO_COLOR: "1" })
    await colored.until((screen) => screen.includes(END))
    await plain.until((screen) => screen.includes(END))
    expect(colored.screen(true)).toContain("\u001b[36min_progress")
    expect(colored.screen(true)).toContain("\u001b[32mresolved")
    expect(colored.screen(true)).toContain("\u001b[1mID  STATUS")
    expect(plain.screen(true)).not.toContain("\u001b")
    expect(plain.screen()).toBe(colored.screen())
  })

  it("is not touched by control characters of foreign text", async () => {
    using pane = openPane(shop, 120, "teamwork task get 6; teamwork task list --status open")
    const shown = await pane.until((screen) => screen.includes(END))
    expect(shown).toContain("before[2Jafter")
    expect(shown).toContain("Task 6: evil [31mred[0m bell")
    expect(pane.screen(true)).not.toContain("\u001b[31m")
  })

  it("shows errors in a line, and help", async () => {
    using pane = openPane(shop, 80, "teamwork task get 99; teamwork task claim --help | head -1")
    const shown = await pane.until((screen) => screen.includes(END))
    expect(shown).toStartWith("Error: task 99 does not exist; see: teamwork task list\nUsage: teamwork task claim ")
  })

  it("is drawn anew by --watch when something changes, until Ctrl+C", async () => {
    using bench = makeBench(shop)
    using pane = openPane(bench, 80, "teamwork project status --watch")
    await pane.until((screen) => screen.includes("1/6 done"))
    await bench.ok("task", "create", "Seven")
    const shown = await pane.until((screen) => screen.includes("1/7 done"))
    expect(shown).toStartWith("shop/main  EXECUTION")
    expect(shown).not.toContain("1/6 done")
    pane.press("C-c")
    await pane.until((screen) => screen.includes(END))
  })

  it("ends a waiting worker with Ctrl+C", async () => {
    using bench = makeBench()
    using pane = openPane(bench, 80, "teamwork worker setup --loop --poll-interval 600; echo code $?")
    await pane.until((screen) => /^\[\d\d:\d\d:\d\d\] Waiting for project shop\/main\.\.\.$/m.test(screen))
    pane.press("C-c")
    const shown = await pane.until((screen) => screen.includes(END))
    expect(shown).toContain("No tasks (interrupted)\ncode 0\n")
  })
})
