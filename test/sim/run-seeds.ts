// Runs the simulation for some seeds, in a process of its own: `bun run-seeds.ts SEED...`. One line of JSON for each
// seed that failed, and one at the end with how many ran.
import { compareRuns, SimulationFailed, simulate } from "./simulation.ts"

/** Every so many seeds one is run twice, to see that both are the same. */
const TWICE_EVERY = 20

if (import.meta.main) {
  const seeds = Bun.argv.slice(2).map(Number)
  let steps = 0
  for (const seed of seeds) {
    try {
      const result = await simulate(seed)
      steps += result.steps
      if (seed % TWICE_EVERY === 0) compareRuns(result, await simulate(seed))
    } catch (error) {
      const message = error instanceof SimulationFailed ? error.message : `seed ${seed}: ${describe(error)}`
      console.log(JSON.stringify({ seed, message }))
    }
  }
  console.log(JSON.stringify({ runs: seeds.length, steps }))
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
