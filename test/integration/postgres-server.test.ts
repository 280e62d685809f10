import { describe, expect, it } from "bun:test"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { freshSchema, startPostgres, testPostgres } from "../support/postgres.ts"
import { makeScratch, sandboxEnv, testBase } from "../support/sandbox.ts"

describe("the shared server", () => {
  it("answers, without waiting for the disk, and not as root", async () => {
    const server = await testPostgres()
    await using db = connect(server.url)
    expect(await db.sql`select 1 + 1 as sum`).toMatchObject([{ sum: 2 }])
    expect(await db.sql`show fsync`).toMatchObject([{ fsync: "off" }])
    expect(server.dataDir).toStartWith(`${testBase()}/`)
  })

  it("is started once, however many ask at the same time", async () => {
    const [first, second] = await Promise.all([testPostgres(), testPostgres()])
    expect(first.pid).toBe(second.pid)
  })
})

describe("freshSchema", () => {
  it("keeps two schemas apart", async () => {
    await using one = await freshSchema()
    await using two = await freshSchema()
    expect(one.schema).not.toBe(two.schema)
    await using first = connect(one.url)
    await using second = connect(two.url)
    await first.sql`create table things (name text)`
    await first.sql`insert into things values ('a')`
    await second.sql`create table things (name text)`
    expect(await first.sql`select * from things`).toHaveLength(1)
    expect(await second.sql`select * from things`).toHaveLength(0)
  })

  it("drops its schema with everything in it", async () => {
    const fresh = await freshSchema()
    await using db = connect(fresh.url)
    await db.sql`create table things (name text)`
    await fresh.drop()
    await fresh.drop()
    expect(await db.sql`select 1 from pg_namespace where nspname = ${fresh.schema}`).toHaveLength(0)
  })
})

describe("a server of one's own", () => {
  it("keeps fsync on when asked to, and leaves no process and no data when stopped", async () => {
    const server = await startPostgres({ fsync: true })
    const processes = await serverProcesses(server.url)
    expect(processes).toContain(server.pid)
    // Some of its helpers start a moment later.
    expect(processes.length).toBeGreaterThan(1)
    await server.stop()
    await server.stop()
    expect(processes.filter(isAlive)).toEqual([])
    expect(existsSync(server.dataDir)).toBe(false)
  })

  it.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)("is gone when its test process ends by %s", async (signal) => {
    using scratch = makeScratch()
    const script = join(scratch.path, "starts-and-hangs.ts")
    writeFileSync(
      script,
      `import { startPostgres } from ${JSON.stringify(join(import.meta.dir, "../support/postgres.ts"))}
       console.log(JSON.stringify(await startPostgres()))
       await new Promise(() => setInterval(() => {}, 1000))`,
    )
    const child = Bun.spawn([process.execPath, script], { env: sandboxEnv(), stderr: "inherit" })
    const server = await firstLine(child.stdout)
    const processes = await serverProcesses(server.url)
    expect(processes.filter(isAlive)).toEqual(processes)
    child.kill(signal)
    await child.exited
    await until(() => !processes.some(isAlive) && !existsSync(server.dataDir))
  })
})

/** Takes `?schema=` off the URL, as everyone who connects must. */
function connect(address: string): AsyncDisposable & { sql: postgres.Sql } {
  const url = new URL(address)
  const schema = url.searchParams.get("schema") ?? "public"
  url.searchParams.delete("schema")
  const sql = postgres(url.href, { max: 1, onnotice: () => {}, connection: { search_path: schema } })
  return { sql, [Symbol.asyncDispose]: () => sql.end() }
}

async function serverProcesses(url: string): Promise<number[]> {
  await using db = connect(url)
  const children = await db.sql<{ pid: number }[]>`select pid from pg_stat_activity where pid <> pg_backend_pid()`
  const [parent] = await db.sql<{ pid: number }[]>`
    select split_part(pg_read_file('postmaster.pid'), E'\n', 1)::int as pid`
  return [...(parent ? [parent.pid] : []), ...children.map((row) => row.pid)]
}

function isAlive(pid: number): boolean {
  const { stdout } = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)], { env: sandboxEnv() })
  const state = stdout.toString().trim()
  return state !== "" && !state.startsWith("Z")
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("did not happen in ten seconds")
    await Bun.sleep(20)
  }
}

async function firstLine(output: ReadableStream<Uint8Array>): Promise<{ url: string; dataDir: string }> {
  let text = ""
  for await (const chunk of output) {
    text += new TextDecoder().decode(chunk)
    if (text.includes("\n")) return JSON.parse(text)
  }
  throw new Error(`no line in: ${text}`)
}
