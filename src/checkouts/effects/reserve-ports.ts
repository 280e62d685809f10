import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import * as v from "valibot"
import { holdLock } from "../../lib/file-lock.ts"
import { readText } from "../../lib/read-files.ts"

export interface PortRange {
  readonly first: number
  readonly last: number
}

/** A server, its debugger, a database and some spare ones. */
const PORTS_EACH = 20
const HIGHEST_PORT = 65_535
const PATIENCE_MS = 10_000

interface PortPorts {
  readonly home: string
  readonly base: number
  readonly sleep: (ms: number) => Promise<unknown>
}

/**
 * Unique among all checkouts of all teams on this machine, and constant while the folder exists. Undefined if no
 * range is left or another process keeps the list locked.
 */
export async function reservePorts({ home, base, sleep }: PortPorts, folder: string): Promise<PortRange | undefined> {
  const known = findPorts(home, folder)
  if (known !== undefined) return known
  mkdirSync(home, { recursive: true })
  using lock = await holdLock(`${home}/ports.lock`, { patienceMs: PATIENCE_MS, sleep })
  if (lock === undefined) return undefined
  const taken = readTaken(home).filter(([path]) => path !== folder && existsSync(path))
  const used = new Set(taken.map(([, first]) => first))
  for (let first = base; first + PORTS_EACH - 1 <= HIGHEST_PORT; first += PORTS_EACH) {
    if ([...used].some((other) => Math.abs(other - first) < PORTS_EACH) || !(await areFree(first))) continue
    const draft = `${home}/ports.json.${process.pid}`
    writeFileSync(draft, JSON.stringify(Object.fromEntries([...taken, [folder, first]]), null, 2), { mode: 0o600 })
    renameSync(draft, `${home}/ports.json`)
    return { first, last: first + PORTS_EACH - 1 }
  }
  return undefined
}

export function findPorts(home: string, folder: string): PortRange | undefined {
  const first = readTaken(home).find(([path]) => path === folder)?.[1]
  return first === undefined ? undefined : { first, last: first + PORTS_EACH - 1 }
}

/** Folder of a checkout -> its first port. */
const Ranges = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.number()))

function readTaken(home: string): [string, number][] {
  const { output, success } = v.safeParse(Ranges, readText(`${home}/ports.json`))
  return success ? Object.entries(output) : []
}

async function areFree(first: number): Promise<boolean> {
  const all = Array.from({ length: PORTS_EACH }, (_, index) => isFree(first + index))
  return (await Promise.all(all)).every(Boolean)
}

/** On any address. */
async function isFree(port: number): Promise<boolean> {
  const onHost = (host: string) =>
    new Promise<boolean>((resolve) => {
      const server = createServer()
      server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "EADDRINUSE"))
      server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
    })
  return (await onHost("127.0.0.1")) && (await onHost("0.0.0.0")) && (await onHost("::"))
}
