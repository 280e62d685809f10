import { mkdirSync, readdirSync } from "node:fs"
import { availableParallelism } from "node:os"
import type { Processes } from "../../lib/process/process.ts"
import type { Environment } from "../port.ts"

/** Copies of one folder that run at the same time; more only make the disk busier. */
const MOST_AT_ONCE = 4
/** Names in one command line: a system takes no longer ones. */
const MOST_NAMES = 400

interface CopyPorts {
  readonly processes: Processes
  readonly env: Environment
}

/**
 * Copies a folder with everything in it: links as links, modes, times. The copies share blocks on disk where the file
 * system can do that and are files of their own everywhere: never hard links, through which somebody could write into
 * the original. In programs of the system, so that this process stays responsive, and several at once.
 */
export async function copyTree({ processes, env }: CopyPorts, from: string, to: string): Promise<void> {
  mkdirSync(to, { recursive: true })
  const batches = spread(readdirSync(from), Math.min(MOST_AT_ONCE, availableParallelism() + 1))
  const run = async (names: readonly string[], flags: readonly string[]) =>
    processes.run({
      command: ["cp", ...flags, "--", ...names.map((name) => `./${name}`), to],
      ...{ cwd: from, env: { PATH: env.PATH, LC_ALL: "C" } },
    })
  await Promise.all(
    batches.map(async (names) => {
      const best = await run(names, BEST_FLAGS)
      // A `cp` that does not know the flag has copied nothing yet.
      const ended = /unrecognized option|illegal option|invalid option/.test(best.tail)
        ? await run(names, ["-a"])
        : best
      if (ended.exitCode !== 0)
        throw new Error(`${from} could not be copied to ${to}: ${ended.tail.trim().split("\n").at(-1)}`)
    }),
  )
}

const BEST_FLAGS = process.platform === "darwin" ? ["-a", "-c"] : ["-a", "--reflink=auto"]

/** Names in as many batches as may run at once, in turns: large and small ones lie beside each other. */
function spread(names: readonly string[], atOnce: number): string[][] {
  const count = Math.max(Math.min(atOnce, names.length), Math.ceil(names.length / MOST_NAMES))
  const batches: string[][] = Array.from({ length: count }, () => [])
  for (const [index, name] of names.entries()) batches[index % count]?.push(name)
  return batches
}
