// What only PostgreSQL can get wrong: late commits, row locks between connections, migrations by many at once, lost
// connections. What every store must do is in test/contract.
import { describe, expect, it } from "bun:test"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import postgres from "postgres"
import { type NewEvent, taskOfEvent } from "../../src/kernel/events.ts"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { LATEST_VERSION, loadMigrations } from "../../src/store/migrations/migrations.ts"
import type { Store } from "../../src/store/port.ts"
import { openPostgresStore } from "../../src/store/postgres/store.ts"
import { freshSchema, startPostgres, testPostgres } from "../support/postgres.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import {
  allEvents,
  claimRequest,
  finishRequest,
  getTask,
  makeTask,
  makeTeam,
  note,
  refusal,
  refusalCode,
  snapshot,
  until,
  untilExpired,
} from "../support/stores.ts"

interface Database extends AsyncDisposable {
  readonly url: string
  readonly schema: string
  open(maxConnections?: number): Promise<Store>
  /** A connection of our own, to stand in the store's way. */
  raw(): postgres.Sql
}

async function database(): Promise<Database> {
  const fresh = await freshSchema()
  // Tells the server's processes for this test from all others.
  const url = `${fresh.url}&application_name=${fresh.schema}`
  const stores: Store[] = []
  const clients: postgres.Sql[] = []
  return {
    url,
    schema: fresh.schema,
    async open(maxConnections) {
      const store = await openPostgresStore({ url, maxConnections })
      stores.push(store)
      return store
    },
    raw() {
      const client = connect(fresh.url)
      clients.push(client)
      return client
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.end({ timeout: 1 })
      for (const store of stores) await store[Symbol.asyncDispose]()
      await fresh.drop()
    },
  }
}

function connect(address: string): postgres.Sql {
  const url = new URL(address)
  const schema = url.searchParams.get("schema") ?? "teamwork"
  url.searchParams.delete("schema")
  return postgres(url.href, { max: 1, onnotice: () => {}, connection: { search_path: schema } })
}

const updated = (task: string): NewEvent => ({
  type: "task.updated",
  data: { task: parseTaskId(task), fields: [] },
})

function append(store: Store, key: number, task: string): Promise<void> {
  return store.write((tx) => tx.events.append(key, "w1", updated(task)))
}

async function follow(store: Store, key: number, after: string) {
  const { events, cursor } = await store.read((tx) => tx.events.list(key, { after, limit: 100 }))
  return { tasks: events.map((event): string | undefined => taskOfEvent(event)), cursor }
}

/** A transaction that is held open until told to end. */
async function hold(client: postgres.Sql, statement: string): Promise<(end: "commit" | "rollback") => Promise<void>> {
  await client.unsafe("begin")
  await client.unsafe(statement)
  return async (end) => void (await client.unsafe(end))
}

const insertEvent = (key: number, task: string) =>
  `insert into event (team_id, type, recorded_at, actor, data) values (${key}, 'task.updated', 1, 'w2', '{"task":"${task}","fields":[]}')`

describe("events of a transaction that commits late", () => {
  it("are not passed over, and the order stays", async () => {
    await using db = await database()
    const store = await db.open()
    const { key } = await makeTeam(store)
    await append(store, key, "before")
    const end = await hold(db.raw(), insertEvent(key, "late"))
    await append(store, key, "early")

    const first = await follow(store, key, "0")
    expect(first.tasks).toEqual(["before"])
    expect((await follow(store, key, first.cursor)).tasks).toEqual([])
    await end("commit")
    const second = await follow(store, key, first.cursor)
    expect(second.tasks).toEqual(["late", "early"])
    await append(store, key, "after")
    expect((await follow(store, key, second.cursor)).tasks).toEqual(["after"])
    expect((await follow(store, key, "0.0")).tasks).toEqual(["before", "late", "early", "after"])
  })

  it("wake a watcher when they become visible, though nobody tells of that", async () => {
    await using db = await database()
    const store = await db.open()
    const { key } = await makeTeam(store)
    const end = await hold(db.raw(), insertEvent(key, "undone"))
    await using watch = await store.watch()
    await append(store, key, "hidden")
    expect(await watch.next(1000)).toBe(true)
    expect((await follow(store, key, "0")).tasks).toEqual([])
    expect(await watch.next(200)).toBe(false)
    await end("rollback")
    // Where nothing is hidden it would look five seconds later.
    expect(await watch.next(4000)).toBe(true)
    expect((await follow(store, key, "0")).tasks).toEqual(["hidden"])
  })

  it("refuse a cursor that no answer gave", async () => {
    await using db = await database()
    const store = await db.open()
    expect(await refusalCode(follow(store, 1, "last week"))).toBe("input.invalid")
  })
})

describe("migration", () => {
  it("is done once by ten starters at once, who make the schema too", async () => {
    const server = await testPostgres()
    const url = `${server.url}?schema=begun_by_${process.pid}`
    const stores = await Promise.all(Array.from({ length: 10 }, () => openPostgresStore({ url })))
    const client = connect(url)
    try {
      const [first, last] = [stores[0], stores[9]] as [Store, Store]
      const { key } = await makeTeam(first)
      await makeTask(last, key, "1")
      expect(await client`select version from migration`).toHaveLength((await loadMigrations("postgres")).length)
      const { schemaVersion, place } = await first.inspect()
      expect(schemaVersion).toBe(LATEST_VERSION)
      expect(place).toStartWith("postgres://127.0.0.1:")
      expect(place).not.toContain("@")
    } finally {
      for (const store of stores) await store[Symbol.asyncDispose]()
      await client.unsafe(`drop schema begun_by_${process.pid} cascade`)
      await client.end()
    }
  })

  it("refuses a newer schema that breaks us, and lives with one that does not", async () => {
    await using db = await database()
    await db.open()
    const client = db.raw()
    await client`insert into migration values (98, 'harmless', 0, 1)`
    const store = await db.open()
    await makeTeam(store)
    expect((await store.inspect()).schemaVersion).toBe(98)
    await client`insert into migration values (99, 'breaking', 1, 1)`
    const error = await refusal(db.open())
    expect(error.code).toBe("store.too_new")
    expect(error.message).toContain("99")
  })
})

describe("between connections", () => {
  it("the counter of unmet needs is right when a need is resolved while a dependant is created", async () => {
    await using db = await database()
    const [creator, resolver] = [await db.open(), await db.open()]
    const { key } = await makeTeam(creator)
    for (let round = 0; round < 60; round += 1) {
      await makeTask(creator, key, `need-${round}`)
      await resolver.claimTask(claimRequest("w1", { taskId: `need-${round}` }))
      const create = () => makeTask(creator, key, `task-${round}`, { blockedBy: [`need-${round}`] })
      const resolve = () => resolver.finishTask(finishRequest(`need-${round}`, { owner: "w1" }))
      await Promise.all(round % 2 === 0 ? [create(), resolve()] : [resolve(), create()])
      expect((await getTask(creator, key, `task-${round}`)).unmet).toBe(0)
    }
    expect(await creator.write((tx) => tx.tasks.repairUnmet(key))).toEqual([])
  })

  it("each of 500 tasks gets exactly one owner from eight claimants", async () => {
    await using db = await database()
    const store = await db.open()
    const { key } = await makeTeam(store)
    await db.raw().unsafe(manyTasks(key, 500))
    const claimants = await Promise.all(Array.from({ length: 8 }, () => db.open(1)))
    const owners = new Map<string, string>()
    await Promise.all(
      claimants.map(async (claimant, number) => {
        for (;;) {
          const claimed = await claimant.claimTask(claimRequest(`w${number}`))
          if (claimed === undefined) return
          expect(owners.has(claimed.task.id)).toBe(false)
          owners.set(claimed.task.id, `w${number}`)
        }
      }),
    )
    expect(owners.size).toBe(500)
    for (const task of await store.read((tx) => tx.tasks.list(key)))
      expect(task.claimedBy).toBe(owners.get(task.id) ?? "")
    const events = (await allEvents(store, key)).filter((event) => event.type === "task.claimed")
    expect(new Set(events.map((event) => taskOfEvent(event))).size).toBe(500)
    expect(events).toHaveLength(500)
  })

  it("needs with the same dependants are resolved at once without a deadlock", async () => {
    await using db = await database()
    const needs = Array.from({ length: 8 }, (_, number) => `need-${number}`)
    const store = await db.open(1)
    const { key } = await makeTeam(store)
    for (const id of needs) await makeTask(store, key, id)
    for (let number = 0; number < 12; number += 1) {
      const blockedBy = number % 2 === 0 ? needs : needs.toReversed()
      await makeTask(store, key, `task-${number}`, { blockedBy })
    }
    const client = db.raw()
    const before = await countDeadlocks(client)
    const resolvers = await Promise.all(needs.map(() => openPostgresStore({ url: db.url, maxConnections: 1 })))
    for (let round = 0; round < 5; round += 1) {
      for (const id of needs) await store.claimTask(claimRequest("w1", { taskId: id }))
      await Promise.all(resolvers.map((each, number) => each.finishTask(finishRequest(needs[number] ?? ""))))
      for (const task of await store.read((tx) => tx.tasks.list(key))) expect(task.unmet).toBe(0)
      await store.write(async (tx) => {
        for (const id of needs) await tx.tasks.update(key, parseTaskId(id), { status: "open", claimedBy: null })
      })
      expect((await getTask(store, key, "task-0")).unmet).toBe(needs.length)
    }
    for (const each of resolvers) await each[Symbol.asyncDispose]() // a server process reports when it ends
    await until(async () => (await countProcesses(client, db.schema)) <= 1)
    expect(await countDeadlocks(client)).toBe(before)
  })

  it("the first claims and creates of dependants do not deadlock over the team's row", async () => {
    await using db = await database()
    const client = db.raw()
    const before = await countDeadlocks(client)
    const [creator, claimant] = [await openPostgresStore({ url: db.url }), await openPostgresStore({ url: db.url })]
    for (let round = 0; round < 20; round += 1) {
      const name = { team: `t${round}` }
      const { key } = await makeTeam(creator, name)
      await makeTask(creator, key, "1")
      await Promise.all([
        claimant.claimTask(claimRequest("w1", name)),
        creator.write(async (tx) => {
          await tx.teams.lock({ project: "house", ...name })
          await tx.tasks.dependants(key, parseTaskId("1"))
          await tx.tasks.setNeeds(key, parseTaskId("1"), [])
        }),
      ])
    }
    for (const each of [creator, claimant]) await each[Symbol.asyncDispose]() // a server process reports when it ends
    await until(async () => (await countProcesses(client, db.schema)) === 0)
    expect(await countDeadlocks(client)).toBe(before)
  })

  it("nobody hears of nothing while the only ready task is locked for a moment", async () => {
    await using db = await database()
    const [store, other] = [await db.open(), await db.open()]
    const { key } = await makeTeam(store)
    await makeTask(store, key, "1")
    const end = await hold(db.raw(), `select 1 from task where team_id = ${key} for share`)
    let answered = false
    const claim = store.claimTask(claimRequest("w1")).finally(() => {
      answered = true
    })
    for (let look = 0; look < 50; look += 1) await getTask(other, key, "1")
    expect(answered).toBe(false)
    await end("commit")
    expect((await claim)?.task.claimedBy).toBe("w1")
    expect(await other.claimTask(claimRequest("w2"))).toBeUndefined()
  })

  it("nobody hears of nothing while dependants of the ready tasks are being created", async () => {
    await using db = await database()
    const [creator, ...claimants] = await Promise.all(Array.from({ length: 5 }, () => db.open(2)))
    if (creator === undefined) throw new Error("no store")
    const { key } = await makeTeam(creator)
    await db.raw().unsafe(manyTasks(key, 80))
    let isDone = false
    const creating = (async () => {
      for (let number = 0; !isDone; number += 1) {
        await makeTask(creator, key, `d${number}`, {
          blockedBy: Array.from({ length: 80 }, (_, need) => `t${need + 1}`),
        })
      }
    })()
    const counts = await Promise.all(
      claimants.map(async (claimant, number) => {
        for (let count = 0; ; count += 1) {
          if ((await claimant.claimTask(claimRequest(`w${number}`))) === undefined) return count
        }
      }),
    )
    isDone = true
    await creating
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(80)
  })

  it("a claim of a named task waits for whoever has it locked", async () => {
    await using db = await database()
    const store = await db.open()
    const { key } = await makeTeam(store, { phase: "EXECUTION" })
    await makeTask(store, key, "1")
    const end = await hold(db.raw(), `select 1 from task where team_id = ${key} for update`)
    const claim = store.claimTask(claimRequest("w1", { taskId: "1" }))
    const client = db.raw() // inside of its transaction the first one would see the same again and again
    await until(async () => (await waiting(client, db.schema)) === 1)
    await end("commit")
    expect((await claim)?.task.claimedBy).toBe("w1")
  })

  it("a task is not resolved past blocked evidence that came while the statement waited", async () => {
    await using db = await database()
    const store = await db.open()
    const { key } = await makeTeam(store)
    await makeTask(store, key, "1")
    await store.claimTask(claimRequest("w1"))
    const client = db.raw()
    let finish: Promise<unknown> = Promise.resolve()
    await store.write(async (tx) => {
      await tx.tasks.lock(key, parseTaskId("1"))
      finish = store.finishTask(finishRequest("1", { owner: "w1" }))
      await until(async () => (await waiting(client, db.schema)) === 1)
      await tx.evidence.add(key, { taskId: parseTaskId("1"), attempt: 1, by: "w2", entries: [note("TODO", "TODO")] })
    })
    expect(await finish).toBeUndefined()
    expect((await getTask(store, key, "1")).status).toBe("in_progress")
  })

  it("a stale token changes nothing, and an expired claim is taken over", async () => {
    await using db = await database()
    const [first, second] = [await db.open(), await db.open()]
    const { key } = await makeTeam(first)
    await makeTask(first, key, "1")
    const old = await first.claimTask(claimRequest("w1", { leaseMs: 1 }))
    await untilExpired(first, key, "1")
    const taken = await second.claimTask(claimRequest("w2"))
    expect(taken).toMatchObject({ takenOverFrom: "w1", renewed: false, task: { claimedBy: "w2", claimToken: 2 } })
    const before = await snapshot(first, key)
    const request = { token: old?.task.claimToken ?? 0, evidence: [note("done")], result: "done" }
    expect(await first.finishTask(finishRequest("1", { ...request, owner: "w1" }))).toBeUndefined()
    expect(await first.finishTask(finishRequest("1", { ...request, owner: "w2" }))).toBeUndefined()
    expect(await snapshot(first, key)).toEqual(before)
  })

  it("evidence and events of a finish come in the order given", async () => {
    await using db = await database()
    const store = await db.open()
    const { key } = await makeTeam(store)
    await makeTask(store, key, "1")
    await store.claimTask(claimRequest("w1"))
    const evidence = Array.from({ length: 12 }, (_, number) => note(`step ${number} \ud83d`))
    const notice = { id: "m1", payload: { worker_id: "w1", completed_task_id: parseTaskId("1") } }
    await store.finishTask(finishRequest("1", { owner: "w1", evidence, notice }))
    const entries = await store.read((tx) => tx.evidence.list(key, parseTaskId("1")))
    expect(entries.map((entry) => entry.text)).toEqual(evidence.map((entry) => entry.text.toWellFormed()))
    const types = (await allEvents(store, key)).map((event) => event.type)
    expect(types.slice(-14)).toEqual([
      ...Array.from({ length: 12 }, () => "evidence.added" as const),
      "task.resolved",
      "message.sent",
    ])
  })
})

describe("watch", () => {
  it("wakes for a commit of another process's connection within a fraction of a second", async () => {
    await using db = await database()
    const [store, other] = [await db.open(), await db.open()]
    const { key } = await makeTeam(store)
    await using watch = await store.watch()
    const waits: number[] = []
    for (let round = 0; round < 40; round += 1) {
      const woken = watch.next(5000)
      await append(other, key, String(round))
      const start = performance.now()
      expect(await woken).toBe(true)
      waits.push(performance.now() - start)
    }
    waits.sort((a, b) => a - b)
    expect(waits[35]).toBeLessThan(500)
  })

  it("is told of a commit whose store was closed right after it", async () => {
    await using db = await database()
    const store = await db.open()
    const { key } = await makeTeam(store)
    await using watch = await store.watch()
    const other = await openPostgresStore({ url: db.url })
    await append(other, key, "1")
    await other[Symbol.asyncDispose]()
    // Who is not told looks after five seconds.
    expect(await watch.next(4000)).toBe(true)
  })

  it("sees a commit that nobody told of", async () => {
    await using db = await database()
    const store = await db.open()
    const { key } = await makeTeam(store)
    await using watch = await store.watch()
    while (await watch.next(50));
    await db.raw().unsafe(insertEvent(key, "untold"))
    expect(await watch.next(10_000)).toBe(true)
  })
})

describe("lost connections", () => {
  it("fail the transaction they were in and nothing else; watchers go on", async () => {
    await using db = await database()
    const [store, other] = [await db.open(), await db.open()]
    const { key } = await makeTeam(store)
    await makeTask(store, key, "1")
    await using watch = await store.watch()
    const client = db.raw()
    const kill = async () => {
      const killed = await client`
        select pid, pg_terminate_backend(pid) from pg_stat_activity where application_name = ${db.schema}`
      const alive = () => client`select 1 from pg_stat_activity where pid = any(${killed.map((each) => each.pid)})`
      await until(async () => (await alive()).length === 0)
    }
    const error = await refusal(
      store.write(async (tx) => {
        await tx.tasks.update(key, parseTaskId("1"), { title: "lost" })
        await kill()
        await tx.tasks.update(key, parseTaskId("1"), { title: "must not run outside of the transaction" })
      }),
    )
    expect(error.code).toBe("store.unavailable")
    expect((await getTask(store, key, "1")).title).toBe("paint")
    expect(await watch.next(5000)).toBe(true)
    while (await watch.next(300));
    await append(other, key, "1")
    expect(await watch.next(4000)).toBe(true)

    const sleeping = refusal(
      store.write((tx) =>
        tx.tasks
          .lock(key, parseTaskId("1"))
          .then(kill)
          .then(() => tx.now()),
      ),
    )
    expect((await sleeping).code).toBe("store.unavailable")
    expect((await store.claimTask(claimRequest("w1")))?.task.id).toBe(parseTaskId("1"))
  })

  it("leave no process behind when the store is closed", async () => {
    await using db = await database()
    const client = db.raw()
    const store = await openPostgresStore({ url: db.url })
    const { key } = await makeTeam(store)
    await Promise.all(Array.from({ length: 20 }, (_, number) => append(store, key, String(number))))
    await store.watch()
    await store[Symbol.asyncDispose]()
    await until(async () => (await countProcesses(client, db.schema)) === 0)
    expect(await refusalCode(makeTeam(store, { team: "closed" }))).toBe("store.unavailable")
  })

  it("let a program end by itself once it closed its store", async () => {
    await using db = await database()
    using scratch = makeScratch()
    const script = join(scratch.path, "opens-and-ends.ts")
    const source = JSON.stringify(join(import.meta.dir, "../../src/store/postgres/store.ts"))
    writeFileSync(
      script,
      `import { openPostgresStore } from ${source}
       const store = await openPostgresStore({ url: ${JSON.stringify(db.url)} })
       const watch = await store.watch()
       await store.write((tx) => tx.now())
       await watch.next(10)
       await store[Symbol.asyncDispose]()
       console.log("closed")`,
    )
    const child = Bun.spawn([process.execPath, script], { env: sandboxEnv(), stderr: "pipe" })
    const start = performance.now()
    expect(await child.stdout.text()).toBe("closed\n")
    expect(await child.exited).toBe(0)
    expect(await child.stderr.text()).toBe("")
    expect(performance.now() - start).toBeLessThan(5000)
  })
})

describe("what cannot be opened", () => {
  const open = (url: string) => refusal(openPostgresStore({ url }))

  it("gives the right code, a way out, and no password", async () => {
    const { url } = await testPostgres()
    const port = await closedPort()
    for (const [address, code, words] of [
      [`postgres://joe:hush@127.0.0.1:${port}/postgres`, "store.unavailable", "does not take connections"],
      ["postgres://joe:hush@no-such-host.invalid/postgres", "store.unavailable", "no-such-host.invalid"],
      [url.replace(/postgres$/, "no_such_database"), "store.unavailable", "no such database"],
      [url.replace("teamwork@", "nobody:hush@"), "store.unavailable", "user or password"],
      ["postgres:///hush", "config.bad_value", "postgres://USER"],
      ["postgres://joe:hush@[::1]:1/x", "config.bad_value", "name the host"],
      ["mysql://joe:hush@127.0.0.1/x", "config.bad_value", "postgres://USER"],
      [`${url}?schema=Robert');`, "config.bad_value", "small letters"],
      [`${url}?schema=${"x".repeat(64)}`, "config.bad_value", "at most 63"],
      [`${url}?schema=pg_mine`, "config.bad_value", "pg_"],
      [`${url}?schema=`, "config.bad_value", "small letters"],
    ] as const) {
      const error = await open(address)
      expect(`${error.code} for ${address}`).toBe(`${code} for ${address}`)
      expect(error.message).toContain(words)
      expect(error.message).toContain(";")
      expect(error.message).not.toMatch(/hush|\n/)
    }
  })

  it("tells a wrong password and missing rights", async () => {
    await using server = await startPostgres()
    const client = connect(server.url)
    await client.unsafe(`create role joe login password 'right'; create role guest login; create schema ours;
      create role reader login; alter role reader set default_transaction_read_only = on; grant create on database postgres to reader`)
    const rules = ["host all joe 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 trust", ""].join("\n")
    writeFileSync(join(server.dataDir, "pg_hba.conf"), rules)
    await client`select pg_reload_conf()`
    const as = (user: string, schema: string) => `${server.url.replace("teamwork@", `${user}@`)}?schema=${schema}`

    const wrong = await until(async () => {
      const error = await open(as("joe:wrong", "x"))
      return error.code === "store.unavailable" ? error : undefined
    })
    expect(wrong.message).toContain("password")
    expect(wrong.message).not.toContain("wrong")
    expect((await open(as("joe:right", "x"))).code).toBe("store.read_only")
    expect((await open(as("guest", "ours"))).code).toBe("store.read_only")

    await using store = await openPostgresStore({ url: as("reader", "theirs") })
    const { key } = await makeTeam(store)
    await makeTask(store, key, "1")
    expect(await refusalCode(store.claimTask(claimRequest("w1")))).toBe("store.read_only")
    await client.end()
  }, 30_000) // it starts a server of its own
})

function manyTasks(key: number, count: number): string {
  return `insert into task (team_id, id, title, description, role, complexity, acceptance, checks, files, assignee, status, unmet, created_at, updated_at)
    select ${key}, 't' || n, 'paint', '', 'worker', 'standard', '[]', '[]', '[]', '', 'open', 0, 1, 1 from generate_series(1, ${count}) n`
}

/** Server processes that wait for a lock. */
async function waiting(client: postgres.Sql, application: string): Promise<number> {
  const rows = await client`
    select 1 from pg_stat_activity where application_name = ${application} and wait_event_type = 'Lock'`
  return rows.length
}

async function countDeadlocks(client: postgres.Sql): Promise<unknown> {
  return (await client`select deadlocks::int as n from pg_stat_database where datname = current_database()`)[0]?.n
}

async function countProcesses(client: postgres.Sql, application: string): Promise<number> {
  return (await client`select 1 from pg_stat_activity where application_name = ${application}`).length
}

async function closedPort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve))
  const address = probe.address()
  await new Promise<void>((resolve) => probe.close(() => resolve()))
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}
