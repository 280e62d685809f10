import { heapStats } from "bun:jsc"
import { expect, it } from "bun:test"
import { firstSignal } from "./first-signal.ts"

it("fires once, with the first", () => {
  const [a, b] = [new AbortController(), new AbortController()]
  const { signal } = firstSignal(a.signal, b.signal)
  let times = 0
  signal.addEventListener("abort", () => times++)
  expect(signal.aborted).toBe(false)
  b.abort()
  expect(signal.aborted).toBe(true)
  a.abort()
  expect(times).toBe(1)
})

it("has fired when one of them had", () => {
  expect(firstSignal(new AbortController().signal, AbortSignal.abort()).signal.aborted).toBe(true)
})

it("no longer fires once it is disposed of", () => {
  const source = new AbortController()
  const first = firstSignal(source.signal)
  first[Symbol.dispose]()
  source.abort()
  expect(first.signal.aborted).toBe(false)
})

it("is forgotten with its sources, whatever its listeners know", async () => {
  const count = () => {
    Bun.gc(true)
    return heapStats().objectTypeCounts.AbortSignal ?? 0
  }
  const before = count()
  for (let made = 0; made < 500; made++) {
    const [a, b] = [new AbortController(), new AbortController()]
    firstSignal(a.signal, b.signal).signal.addEventListener("abort", () => b.abort())
  }
  await Bun.sleep(1)
  expect(count() - before).toBeLessThan(50)
})
