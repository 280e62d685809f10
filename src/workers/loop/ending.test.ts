import { expect, it } from "bun:test"
import { makeEnding } from "./ending.ts"
import type { WorkerPorts } from "./worker-ports.ts"

function begin() {
  const [drain, stop] = [new AbortController(), new AbortController()]
  let timeUp = () => {}
  const said: string[] = []
  const sleep: WorkerPorts["sleep"] = (_, signal) =>
    new Promise((resolve) => {
      timeUp = resolve
      signal?.addEventListener("abort", () => resolve())
    })
  const ports = { drain: drain.signal, stop: stop.signal, sleep, say: (line: string) => said.push(line) }
  const ending = makeEnding(ports as unknown as WorkerPorts, 1000)
  return { drain, stop, ending, said, timeUp: () => timeUp() }
}

it("takes no new task first, and stops when the time is up", async () => {
  const { drain, ending, said, timeUp } = begin()
  expect([ending.reason(), ending.drain.aborted, ending.stop.aborted]).toEqual([undefined, false, false])
  drain.abort()
  expect([ending.reason(), ending.drain.aborted, ending.stop.aborted]).toEqual(["drained", true, false])
  expect(said).toHaveLength(1)
  timeUp()
  await Promise.resolve()
  expect([ending.reason(), ending.stop.aborted]).toEqual(["drained", true])
})

it("stops at once when it is told so, and leaves it at the first reason otherwise", () => {
  const { drain, stop, ending } = begin()
  ending.shutDown()
  drain.abort()
  expect(ending.reason()).toBe("shutdown")
  stop.abort()
  expect([ending.reason(), ending.stop.aborted]).toEqual(["stopped", true])
})

it("does nothing more once it is disposed of", async () => {
  const { ending } = begin()
  ending.shutDown()
  ending[Symbol.dispose]()
  await Promise.resolve()
  expect(ending.stop.aborted).toBe(false)
})
