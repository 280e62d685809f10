import { describe, expect, it } from "bun:test"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { context, run } from "../support/stores.ts"
import { SIM_TEAM } from "./plans.ts"
import { makeRandom } from "./random.ts"
import { openSimStore } from "./store.ts"
import { type CallFault, forbidRealTimers, makeWorld, type SimProcess } from "./world.ts"

describe("simulated time", () => {
  it("goes on when nobody can, in the order of the times, and at one time in the order of the wishes", async () => {
    const world = makeWorld({ seed: 1 })
    const seen: string[] = []
    world.after(20, () => void seen.push(`b ${world.elapsedMs()}`))
    world.after(10, () => void seen.push(`a ${world.elapsedMs()}`))
    world.after(20, () => void seen.push(`c ${world.elapsedMs()}`))
    world.after(15, () => void seen.push("called off"))()
    while (await world.step());
    expect(seen).toEqual(["a 10", "b 20", "c 20"])
  })

  it("lets whoever is woken do all it can before the next step", async () => {
    const world = makeWorld({ seed: 1 })
    const seen: string[] = []
    world.spawn("a", async (process) => {
      await process.sleep(10)
      for (let count = 0; count < 50; count++) await null
      seen.push("a")
    })
    world.after(10.0001 + 3, () => void seen.push("later"))
    while (await world.step());
    expect(seen).toEqual(["a", "later"])
  })

  it("ends a sleep at once when its signal fires, and jumps the clock without waking anybody", async () => {
    const world = makeWorld({ seed: 1 })
    const before = world.clock.now()
    const stop = new AbortController()
    const process = world.spawn("a", async (self) => {
      await self.sleep(3_600_000, stop.signal)
    })
    world.after(50, () => world.jumpClock(7_200_000))
    world.after(100, () => stop.abort())
    while (process.state === "running") await world.step()
    expect(world.elapsedMs()).toBe(100)
    expect(world.clock.now() - before).toBe(7_200_100)
  })

  it("is the only time there is", () => {
    using _guard = forbidRealTimers(() => false)
    expect(() => setTimeout(() => {}, 1)).toThrow("through a port")
  })
})

describe("a simulated process", () => {
  const world = (fault: CallFault | undefined) => {
    const faults = [fault]
    return makeWorld({ seed: 1, faultAt: (_, label) => (label === "second" ? faults.shift() : undefined) })
  }
  const main = (effects: string[]) => async (process: SimProcess) => {
    await process.call("first", () => void effects.push("first"))
    await process.call("second", () => void effects.push("second")).catch(({ message }) => void effects.push(message))
    effects.push(`answered after ${Math.floor(process.startedAt)}`)
  }

  it.each<[string, CallFault | undefined, string[], string]>([
    ["nothing", undefined, ["first", "second", "answered after 0"], "ended"],
    ["its death before", "die-before", ["first"], "killed"],
    ["its death after", "die-after", ["first", "second"], "killed"],
    ["a call that fails", { error: new Error("busy") }, ["first", "busy", "answered after 0"], "ended"],
    ["being held", { hangMs: 60_000 }, ["first", "second", "answered after 0"], "ended"],
  ])("does what it does, with %s", async (_, fault, expected, state) => {
    const effects: string[] = []
    const one = world(fault)
    const process = one.spawn("p", main(effects))
    while (await one.step());
    expect({ effects, state: process.state }).toEqual({ effects: expected, state: state as never })
    expect(one.elapsedMs() > 60_000).toBe(typeof fault === "object" && "hangMs" in fault)
  })

  it("never goes on once it was killed, whatever it waits for", async () => {
    const one = makeWorld({ seed: 1 })
    const seen: string[] = []
    const process = one.spawn("p", async (self) => {
      await Promise.race([self.sleep(50), self.sleep(1000)])
      seen.push("went on")
    })
    one.after(10, () => process.kill())
    one.after(200, () => seen.push("over") as never)
    while (await one.step()) if (seen.length > 0) break
    expect(seen).toEqual(["over"])
  })
})

describe("the store of a simulation", () => {
  it("tells whoever watches of a commit, unless it is dead", async () => {
    const world = makeWorld({ seed: 1 })
    await using store = await openSimStore(world)
    const heard: string[] = []
    const watcher = (name: string) =>
      world.spawn(name, async (process) => {
        const watch = await store.of(process).watch()
        heard.push(`${name} ${await watch.next(1000)}`, `${name} ${await watch.next(1000)}`)
      })
    watcher("a")
    const dead = watcher("b")
    world.after(100, () => dead.kill())
    const writer = world.spawn("c", async (process) => {
      await process.sleep(200)
      await run(context(store.of(process)), createTeam, { ...SIM_TEAM, goal: "g" })
    })
    while (await world.step());
    expect(heard).toEqual(["a true", "a false"])
    expect(writer.state).toBe("ended")
  })
})

describe("chance", () => {
  it("follows from the seed, and each part has its own", () => {
    const draw = (random: ReturnType<typeof makeRandom>) => Array.from({ length: 5 }, () => random.int(1, 1000))
    expect(draw(makeRandom(1))).toEqual(draw(makeRandom(1)))
    expect(draw(makeRandom(1))).not.toEqual(draw(makeRandom(2)))
    const one = makeRandom(1)
    one.next()
    expect(draw(one.fork("a"))).toEqual(draw(makeRandom(1).fork("a")))
    expect(draw(makeRandom(1).fork("a"))).not.toEqual(draw(makeRandom(1).fork("b")))
    expect(makeRandom(3).shuffle([1, 2, 3, 4]).sort()).toEqual([1, 2, 3, 4])
  })
})
