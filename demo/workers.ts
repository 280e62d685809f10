// The worker processes as the demo sees them: started, heard, killed.
import { join } from "node:path"
import { print, type Stage } from "./stage.ts"

export interface Worker {
  readonly name: string
  readonly pid: number
  /** Ids of the tasks it was told are resolved by it, in this order. */
  readonly resolved: readonly string[]
  kill(): void
  readonly ended: Promise<unknown>
}

export function startWorker(stage: Stage, worker: { name: string; role: string; dawdlesFrom: number }): Worker {
  const { name, role, dawdlesFrom } = worker
  const script = join(import.meta.dir, "worker.ts")
  const child = Bun.spawn([process.execPath, script, stage.repository, name, role, String(dawdlesFrom)], {
    cwd: stage.repository,
    env: stage.env,
    stdio: ["pipe", "pipe", "inherit"],
    detached: true, // a process group of its own: the command it runs ends with it
  })
  const resolved: string[] = []
  const heard = hear(child.stdout, (line) => {
    print(`${name.padStart(5)} | ${line}`)
    const id = /^Task (\S+) is resolved/.exec(line)?.[1]
    if (id !== undefined) resolved.push(id)
  })
  return {
    name,
    pid: child.pid,
    resolved,
    kill() {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGKILL")
    },
    ended: Promise.all([child.exited, heard]),
  }
}

/** For an end before the end; those that are gone already do not mind. */
export async function stopWorkers(workers: readonly Worker[]): Promise<void> {
  for (const worker of workers) worker.kill()
  for (const worker of workers) await worker.ended
}

async function hear(output: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of output) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) onLine(line)
  }
}
