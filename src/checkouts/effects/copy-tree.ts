import { mkdirSync, readdirSync } from "node:fs"
import { availableParallelism } from "node:os"
import type { Processes } from "../../lib/process/process.ts"
import type { Environment } from "../port.ts"

/** More parallel copies do not make the disk faster. */
const MOST_AT_ONCE = 4
/** Command lines have a maximum length. */
const MOST_NAMES = 400

interface CopyPorts {
  readonly processes: Processes
  readonly env: Environment
}

/**
 * Copies links, modes and times too. Shares blocks if the file system can, but never makes hard links, through
 * which an agent could write into the original. Uses `cp`, so that this process stays responsive.
 */
export async function copyTree({ processes, env }: CopyPorts, from: string, to: string): Promise<void> {
  mkdirSync(to, { recursive: true })
  const batches = spread(readdirSync(from), Math.min(MOST_AT_ONCE, availableParallelism() + 1))
  const run = async (names: readonly string[], flags: readonly string[]) =>
    processes.run({
      command: ["cp", ...flags, "--", ...names.map((name) => `./${name}`), to],
      cwd: from,
      env: { PATH: env.PATH, LC_ALL: "C" },
    })
  await Promise.all(
    batches.map(async (names) => {
      const best = await run(names, BEST_FLAGS)
      // A `cp` that rejects a flag has copied nothing.
      const ended = /unrecognized option|illegal option|invalid option/.test(best.tail)
        ? await run(names, ["-a"])
        : best
      if (ended.exitCode !== 0)
        throw new Error(`${from} could not be copied to ${to}: ${ended.tail.trim().split("\n").at(-1)}`)
    }),
  )
}

const BEST_FLAGS = process.platform === "darwin" ? ["-a", "-c"] : ["-a", "--reflink=auto"]

/** Takes names in turns, so that batches have similar sizes. */
function spread(names: readonly string[], atOnce: number): string[][] {
  const count = Math.max(Math.min(atOnce, names.length), Math.ceil(names.length / MOST_NAMES))
  const batches: string[][] = Array.from({ length: count }, () => [])
  for (const [index, name] of names.entries()) batches[index % count]?.push(name)
  return batches
}
