import type { BenchCase } from "../lib/bench-case.ts"
import { timeClaim } from "../lib/claims.ts"
import { median, show, takeTurns } from "../lib/measure.ts"
import { FROM_SOURCE, timeProcess } from "../lib/program.ts"
import { halfDone, seedHome } from "../lib/seed.ts"

const RUNS = 50

export const startup: BenchCase = {
  name: "startup",
  summary: "task claim --next as a process, against a node that does nothing",
  async run({ sandbox, binary, say }) {
    const built = [await binary()]
    const small = await seedHome(sandbox, halfDone(10))
    say("making 100,000 tasks")
    const large = await seedHome(sandbox, halfDone(100_000))
    const node = async () => (await timeProcess(["node", "-e", "0"], small)).ms
    say(`${RUNS} starts of each`)
    const times = await takeTurns(
      {
        node,
        built: () => timeClaim(built, small),
        source: () => timeClaim(FROM_SOURCE, small),
        builtLarge: () => timeClaim(built, large),
        sourceLarge: () => timeClaim(FROM_SOURCE, large),
      },
      RUNS,
    )
    const ms = (side: keyof typeof times) => median(times[side])
    const pair = (a: keyof typeof times, b: keyof typeof times) => ({
      value: ms(a) / ms(b),
      unit: "x" as const,
      figures: `${show(ms(a))} ms against ${show(ms(b))} ms`,
    })
    return [
      { what: "built binary against node", ...pair("built", "node") },
      { what: "from source against node", ...pair("source", "node") },
      { what: "built, 100,000 tasks against 10", ...pair("builtLarge", "built"), limit: { atMost: 1.5 } },
      { what: "source, 100,000 tasks against 10", ...pair("sourceLarge", "source"), limit: { atMost: 1.5 } },
    ]
  },
}
