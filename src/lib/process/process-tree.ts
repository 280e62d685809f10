import { readdirSync, readFileSync } from "node:fs"

type Env = Readonly<Record<string, string | undefined>>

/** All descendants, including those in other groups or sessions. */
export function descendantsOf(pid: number, env: Env): number[] {
  const pairs = listing(["ps", "-A", "-o", "pid=", "-o", "ppid="], env).map((line) => line.split(/\s+/).map(Number))
  const children = Map.groupBy(pairs, ([, parent]) => parent)
  const found: number[] = []
  for (let level = [pid]; level.length > 0; ) {
    level = level.flatMap((parent) => (children.get(parent) ?? []).flatMap(([child]) => child ?? []))
    found.push(...level)
  }
  return found
}

/** Every process with `NAME=value` in its environment: also finds those that left their group and lost their parent. */
export function processesMarked(marker: string, env: Env): number[] {
  return processesByMark([marker], env).get(marker) ?? []
}

/** The same for several marks at once, by mark. */
export function processesByMark(markers: readonly string[], env: Env): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (const { pid, environment } of listEnvironments(env)) {
    for (const marker of markers) {
      if (environment.includes(`\0${marker}\0`)) found.set(marker, [...(found.get(marker) ?? []), pid])
    }
  }
  return found
}

function listEnvironments(env: Env): { readonly pid: number; readonly environment: string }[] {
  let pids: string[]
  try {
    pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  } catch {
    return listing(["ps", "axeww", "-o", "pid=,command="], env).map((line) => ({
      pid: Number.parseFloat(line),
      environment: `\0${line.replaceAll(" ", "\0")}\0`,
    }))
  }
  const found = pids.map((pid) => ({ pid, environment: environmentOf(pid) }))
  return found.map(({ pid, environment }) => ({
    pid: Number(pid),
    environment: environment === "\0" ? environmentSoon(pid) : environment,
  }))
}

/** A process that just starts has no environment for a moment, and must not be missed. */
function environmentSoon(pid: string): string {
  for (let looks = 0; looks < MAX_LOOKS && isStarting(pid); looks++) Bun.sleepSync(1)
  return environmentOf(pid)
}

const MAX_LOOKS = 100

/** Whether the kernel is still loading it: it has memory, but its environment has no end yet. */
function isStarting(pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // Counted after the name, which may contain anything: the size of its memory, and the end of its environment.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return fields[20] !== "0" && fields[48] === "0"
  } catch {
    return false
  }
}

/** Sends the signal to a group and to other processes. */
export function killAll(group: number, others: readonly number[], signal: NodeJS.Signals): void {
  for (const target of [-group, ...others]) {
    try {
      process.kill(target, signal)
    } catch {
      // It has ended already.
    }
  }
}

function environmentOf(pid: string): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`
  } catch {
    // It ended meanwhile, or belongs to another user.
    return ""
  }
}

function listing(command: string[], env: Env): string[] {
  try {
    const { stdout } = Bun.spawnSync(command, { env, stderr: "ignore" })
    return stdout
      .toString()
      .split("\n")
      .map((line) => line.trim())
  } catch {
    // There is no ps: only the group is found.
    return []
  }
}
