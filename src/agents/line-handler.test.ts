import { expect, it } from "bun:test"
import { makeSecrets } from "../lib/text/mask-secrets.ts"
import { makeEventStream } from "./event-stream.ts"
import { makeLineHandler } from "./line-handler.ts"
import { makeAgentJob, NO_LIMITS } from "./make-agent-job.ts"
import type { AgentEventBody } from "./port.ts"
import type { Translator } from "./program.ts"

const JOB = makeAgentJob({
  ...{ prompt: "", workspace: "/w", stateFolder: "/s", env: {} },
  limits: { ...NO_LIMITS, turns: 1 },
})

/** Says each word of a line, and calls a line a turn. */
function makeHandler(onEvent: (what: string) => void | Promise<void>) {
  let turns = 0
  const translator: Translator = {
    line: (text) => {
      turns++
      return text.split(" ").map((word): AgentEventBody => ({ type: "text", text: word }))
    },
    turns: () => turns,
    isOver: () => false,
    end: () => ({ reason: "done", retryAt: null, answer: "", structured: null, session: null, error: "" }),
  }
  const events = makeEventStream({
    ...{ clock: { now: () => 0 }, secrets: makeSecrets(), model: null },
    onEvent: (event) => onEvent(event.type === "text" ? event.text : event.type),
  })
  const stops: string[] = []
  const stopFor = ({ error }: { error: string }) => void stops.push(error)
  const handle = makeLineHandler({
    job: JOB,
    translator,
    events,
    recorder: undefined,
    sent: new Map(),
    stopFor,
    costSoFar: events.usage,
  })
  return { handle: (text: string) => handle({ text, isCut: false }), stops }
}

it("makes nobody wait when nobody wants to", () => {
  const seen: string[] = []
  const { handle, stops } = makeHandler((what) => void seen.push(what))
  expect(handle("a b")).toBeUndefined()
  expect(handle("c")).toBeUndefined()
  expect(seen).toEqual(["started", "a", "b", "c"])
  expect(stops).toEqual(["stopped after 1 turns"])
})

it("keeps the order, and looks at the limits, when each event has to wait", async () => {
  const seen: string[] = []
  const gates: (() => void)[] = []
  const { handle, stops } = makeHandler((what) => {
    seen.push(what)
    return what === "started" ? undefined : new Promise((resolve) => gates.push(resolve))
  })
  const letThrough = async (pending: Promise<void> | undefined) => {
    const done = pending?.then(() => "done")
    while ((await Promise.race([done, Promise.resolve("waits")])) === "waits") gates.shift()?.()
  }
  const first = handle("a b c")
  expect(seen).toEqual(["started", "a"])
  await letThrough(first)
  expect(seen).toEqual(["started", "a", "b", "c"])
  const second = handle("d")
  expect(stops).toEqual([])
  await letThrough(second)
  expect(stops).toEqual(["stopped after 1 turns"])
})
