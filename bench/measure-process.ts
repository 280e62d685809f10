// Runs a command and prints the most memory it held: `bun bench/measure-process.ts COMMAND...`. A process of its own,
// since Linux counts what the parent held when it started the child; so this one must stay small, and says how small.

export interface MemoryReport {
  readonly maxRssBytes: number
  /** What is measured for a program that does nothing: smaller figures cannot be told apart. */
  readonly floorBytes: number
}

if (import.meta.main) {
  const report: MemoryReport = {
    floorBytes: await maxRssOf(["true"]),
    maxRssBytes: await maxRssOf(process.argv.slice(2)),
  }
  console.log(JSON.stringify(report))
}

async function maxRssOf(command: string[]): Promise<number> {
  const child = Bun.spawn(command, { env: process.env, stdio: ["ignore", "pipe", "inherit"] })
  for await (const _ of child.stdout) {
    // read and forgotten, as a large output would fill this process
  }
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} ended with ${child.exitCode}`)
  return child.resourceUsage()?.maxRSS ?? 0
}
