import { describe, expect, it } from "bun:test"
import { takeTurns } from "./turns.ts"

describe("takeTurns", () => {
  it("hands on what the work returns", async () => {
    const turn = takeTurns()
    expect(await turn(async () => 5)).toBe(5)
  })

  it("runs one at a time, in the order they came", async () => {
    const turn = takeTurns()
    const story: string[] = []
    let running = 0
    const work = (name: string, steps: number) =>
      turn(async () => {
        running += 1
        expect(running).toBe(1)
        for (let step = 0; step < steps; step++) await Promise.resolve()
        story.push(name)
        running -= 1
      })
    await Promise.all([work("slow", 50), work("quick", 0), work("middle", 10)])
    expect(story).toEqual(["slow", "quick", "middle"])
  })

  it("does not begin before the one ahead has ended", async () => {
    const turn = takeTurns()
    const gate = Promise.withResolvers<void>()
    let hasBegun = false
    const first = turn(() => gate.promise)
    const second = turn(async () => {
      hasBegun = true
    })
    for (let step = 0; step < 20; step++) await Promise.resolve()
    expect(hasBegun).toBe(false)
    gate.resolve()
    await Promise.all([first, second])
    expect(hasBegun).toBe(true)
  })

  it("gives an error to its own caller and goes on", async () => {
    const turn = takeTurns()
    const failing = turn(async () => {
      throw new Error("mine")
    })
    const throwing = turn(() => {
      throw new Error("at once")
    })
    const fine = turn(async () => "fine")
    expect(await failing.catch((error: Error) => error.message)).toBe("mine")
    expect(await throwing.catch((error: Error) => error.message)).toBe("at once")
    expect(await fine).toBe("fine")
  })

  it("keeps two sets of turns apart", async () => {
    const [one, two] = [takeTurns(), takeTurns()]
    const never = one(() => new Promise<void>(() => {}))
    expect(await two(async () => "free")).toBe("free")
    expect(await Promise.race([never, Promise.resolve("still waiting")])).toBe("still waiting")
  })
})
