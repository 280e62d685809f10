import { afterEach, describe, expect, it } from "bun:test"
import { BEGIN, claimed, sampleView, stepped } from "../../test/support/sample-view.ts"
import { makeTerminal } from "../../test/support/terminal.ts"
import { systemClock } from "../lib/clock.ts"
import type { Session } from "./command.ts"
import { makeWatcher, type Watcher } from "./live-screen.ts"

const HINT = "Ctrl+C ends it"
const open: Watcher[] = []
afterEach(() => {
  for (const watcher of open.splice(0)) watcher.close()
})

/** A watcher on a terminal of our own, or on a pipe. */
function watching(options: { isTerminal?: boolean; isJsonAsked?: boolean; steps?: boolean } = {}) {
  const { isTerminal = true, isJsonAsked = false, steps = false } = options
  let size = { columns: 90, rows: 30 }
  const terminal = makeTerminal(size)
  const writes: string[] = []
  const listeners = new Set<() => void>()
  const print = (text: string) => {
    writes.push(text)
    if (isTerminal && !isJsonAsked) terminal.feed(text)
  }
  const io = {
    ...{ isTerminal, color: false, size: () => size, out: (text: string) => print(`${text}\n`) },
    outParts: (parts: Iterable<string>) => print([...parts].join("")),
    onResize(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const session = { host: { io, clock: systemClock, env: {} }, isJsonAsked } as unknown as Session
  const watcher = makeWatcher(session, { hint: HINT, steps })
  open.push(watcher)
  const resize = (columns: number, rows: number) => {
    size = { columns, rows }
    for (const listener of listeners) listener()
  }
  return { watcher, terminal, writes, listeners, resize }
}

async function until(fits: () => boolean): Promise<void> {
  const deadline = performance.now() + 5000
  while (!fits()) {
    if (performance.now() > deadline) throw new Error("waited in vain")
    await Bun.sleep(5)
  }
}

const view = (...events: ReturnType<typeof claimed>[]) => ({
  ...sampleView(),
  events,
})

describe("a screen", () => {
  it("is drawn at once, and then not more often than five times a second", async () => {
    const { watcher, writes, terminal } = watching()
    const begin = performance.now()
    for (let index = 0; index < 200; index++) watcher.show(view(claimed(index, String(index), "w1")))
    // The clock that it goes by counts whole milliseconds.
    const madeMs = performance.now() - begin
    expect(writes.length).toBeWithin(1, 2 + Math.floor((madeMs + 1) / 200))
    await until(() => terminal.shown().includes("task 199 claimed by w1"))
    expect(writes.length).toBeLessThanOrEqual(2 + (performance.now() - begin) / 200)
    expect(terminal.shown().split("shop/main")).toHaveLength(2)
  })

  it("goes on with time by itself", async () => {
    const { watcher, terminal } = watching()
    watcher.show(view())
    const head = () => terminal.shown().split("\n")[0]
    expect(head()).toContain("  1m 40s  ")
    await until(() => / {2}1m (?:4[1-9]|5\d)s {2}/.test(head() ?? ""))
  })

  it("has our own lines above it, which stay", async () => {
    const { watcher, terminal } = watching()
    watcher.show(view())
    watcher.say("The team is paused")
    watcher.say("It goes on")
    const lines = terminal.shown().split("\n")
    expect(lines.slice(0, 2)).toEqual(["The team is paused", "It goes on"])
    expect(lines[2]).toStartWith("shop/main  EXECUTION")
    expect(lines.at(-1)).toBe(HINT)
  })

  it("says something before there is anything to show", () => {
    const { watcher, terminal } = watching()
    watcher.say("Starting")
    expect(terminal.shown()).toBe("Starting")
  })

  it("follows the size, and leaves the last state without the hint", async () => {
    const { watcher, terminal, resize, listeners } = watching()
    watcher.show(view())
    resize(50, 30)
    await until(() => terminal.shown().includes("WORKER  TASK               STEP   FOR\n"))
    watcher.close()
    expect(terminal.shown()).toStartWith("shop/main")
    expect(terminal.shown()).not.toContain(HINT)
    expect(listeners.size).toBe(0)
  })
})

describe("elsewhere", () => {
  it("lines are printed for what happens after the first look", () => {
    const { watcher, writes } = watching({ isTerminal: false })
    watcher.show(view(claimed(1, "old", "w1")))
    watcher.show(view(claimed(62, "3", "w1"), stepped(63, "3", "w1", "gate")))
    watcher.say("Draining")
    expect(writes).toEqual([
      "[09:01:40] shop/main: EXECUTION, 2/7 tasks done\n",
      "[09:01:02] task 3 claimed by w1\n",
      expect.stringMatching(/^\[\d\d:\d\d:\d\d\] Draining\n$/),
    ])
  })

  it("steps are told when asked for", () => {
    const { watcher, writes } = watching({ isTerminal: false, steps: true })
    watcher.show(view())
    watcher.show(view(stepped(63, "3", "w1", "gate")))
    expect(writes.at(-1)).toBe("[09:01:03] task 3: gate (w1)\n")
  })

  it("events are printed as they are for programs, and nothing else", () => {
    const { watcher, writes } = watching({ isJsonAsked: true })
    watcher.show(view(claimed(1, "old", "w1")))
    const event = claimed(62, "3", "w1")
    watcher.show(view(event))
    watcher.say("Draining")
    expect(writes).toEqual([`${JSON.stringify(event)}\n`])
    expect(Date.parse(event.timestamp)).toBe(BEGIN + 62_000)
  })
})
