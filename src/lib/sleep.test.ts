import { describe, expect, it } from "bun:test"
import { sleep } from "./sleep.ts"

const LONG_MS = 60_000

describe("sleep", () => {
  it("takes about the time it was asked to", async () => {
    const started = performance.now()
    await sleep(20)
    expect(performance.now() - started).toBeGreaterThanOrEqual(19)
  })

  it("lets others run meanwhile", async () => {
    let ran = false
    setTimeout(() => {
      ran = true
    }, 0)
    await sleep(5)
    expect(ran).toBe(true)
  })

  it("ends at once when the signal fires", async () => {
    const controller = new AbortController()
    const started = performance.now()
    const sleeping = sleep(LONG_MS, controller.signal)
    controller.abort()
    await sleeping
    expect(performance.now() - started).toBeLessThan(LONG_MS / 2)
  })

  it("does not begin when the signal has fired already", async () => {
    await sleep(LONG_MS, AbortSignal.abort())
  })

  it("leaves no listener behind, however it ended", async () => {
    const counting = countListeners()
    await sleep(1, counting.signal)
    expect(counting.listeners()).toBe(0)
    const second = countListeners()
    const sleeping = sleep(LONG_MS, second.signal)
    expect(second.listeners()).toBe(1)
    second.controller.abort()
    await sleeping
    expect(second.listeners()).toBe(0)
  })
})

function countListeners(): { signal: AbortSignal; controller: AbortController; listeners: () => number } {
  const controller = new AbortController()
  const { signal } = controller
  let count = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    count += 1
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    count -= 1
    remove(...args)
  }
  return { signal, controller, listeners: () => count }
}
