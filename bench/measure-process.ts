// Runs a command and prints what it took, most of all the memory it held: `bun bench/measure-process.ts COMMAND...`. A process of its own,
// since Linux counts what the parent held when it started the child; so this one must stay small, and says how small.

export interface MemoryReport extends Usage {
  /** What is measured for a program that does nothing: smaller figures cannot be told apart. */
  readonly floorBytes: number
}

/** Of a process and of all that it started and waited for. */
interface Usage {
  /** Of the largest one. */
  readonly maxRssBytes: number
  readonly cpuMs: number
  readonly wallMs: number
}

if (import.meta.main) {
  const report: MemoryReport = {
    floorBytes: (await usageOf(["true"])).maxRssBytes,
    ...(await usageOf(process.argv.slice(2))),
  }
  console.log(JSON.stringify(report))
}

async function usageOf(command: string[]): Promise<Usage> {
  const start = performance.now()
  const child = Bun.spawn(command, { env: process.env, stdio: ["ignore", "pipe", "inherit"] })
  for await (const _ of child.stdout) {
    // read and forgotten, as a large output would fill this process
  }
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} ended with ${child.exitCode}`)
  const wallMs = performance.now() - start
  const { maxRSS = 0, cpuTime } = child.resourceUsage() ?? {}
  return { maxRssBytes: maxRSS, cpuMs: Number(cpuTime?.total ?? 0) / 1000, wallMs }
}
