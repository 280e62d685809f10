// What the requirements say of tasks, claims, roles, waves and workers, through the command line.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

async function makeProject(...titles: string[]): Promise<Bench> {
  const bench = makeBench()
  await bench.ok("project", "create", "--goal", "Search page")
  for (const title of titles) await bench.ok("task", "create", title)
  return bench
}

async function eventTypes(bench: Bench): Promise<string[]> {
  const { events } = await bench.ok<{ events: { type: string }[] }>("events", "tail", "--limit", "1000")
  return events.map((event) => event.type)
}

describe("deleting a task (R022)", () => {
  it("is for plans only, and not while others need it", async () => {
    using bench = await makeProject("One", "Two", "Three")
    await bench.ok("task", "update", "2", "--add-blocked-by", "1")
    expect(await bench.refused("task.delete_refused", "task", "delete", "1")).toContain("2 needs it")
    expect(await bench.ok("task", "delete", "3")).toEqual({ id: "3", freed: [] })
    await bench.refused("task.not_found", "task", "get", "3")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    const message = await bench.refused("task.delete_refused", "task", "delete", "2")
    expect(message).toContain("the project is in phase EXECUTION")
    expect(message).toContain("--status skipped")
  })

  it("is always possible with --force, and frees who waited", async () => {
    using bench = await makeProject("One", "Two")
    await bench.ok("task", "update", "2", "--add-blocked-by", "1")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    expect(await bench.ok("task", "delete", "1", "--force")).toEqual({ id: "1", freed: ["2"] })
    expect(await bench.ok("task", "get", "2")).toMatchObject({ blocked_by: [], unmet: 0 })
    expect(await bench.ok("task", "claim", "2", "--owner", "w1")).toMatchObject({ claimed_by: "w1" })
    expect(await bench.refused("claim.lost", "task", "heartbeat", "2", "--owner", "w9")).toContain("held by w1")
  })

  it("never gives the number of a deleted task to another one", async () => {
    using bench = await makeProject("One", "Two")
    await bench.ok("task", "delete", "2")
    expect(await bench.ok("task", "create", "Three")).toMatchObject({ id: "3" })
  })
})

describe("project and team (R034)", () => {
  it("are the repository's folder and branch, from any folder inside", async () => {
    using bench = makeBench()
    const repository = join(bench.cwd, "item-search")
    const inside = join(repository, "src", "deep")
    mkdirSync(inside, { recursive: true })
    git(repository, "init", "-q", "-b", "master")
    const where = async (cwd: string, ...flags: string[]) => {
      const { project, team } = (await bench.run(["setup", ...flags], { cwd })).json<{ data: Data }>().data
      return `${project}/${team}`
    }
    expect(await where(repository)).toBe("item-search/master")
    expect(await where(inside)).toBe("item-search/master")
    git(repository, "commit", "-q", "--allow-empty", "-m", "first")
    git(repository, "checkout", "-q", "-b", "feature/long name".replace(" ", "-"))
    expect(await where(inside)).toBe("item-search/feature-long-name")
    git(repository, "worktree", "add", "-q", join(bench.cwd, "elsewhere"), "-b", "other")
    expect(await where(join(bench.cwd, "elsewhere"))).toBe("item-search/other")
    git(repository, "worktree", "add", "-q", join(bench.cwd, "w1"), "-b", "teamwork/item-search/master/w1")
    expect(await where(join(bench.cwd, "w1"))).toBe("item-search/master")
    git(repository, "checkout", "-q", "--detach")
    expect(await where(repository)).toBe("item-search/main")
    expect(await where(repository, "--project", "p", "--team", "t")).toBe("p/t")
  })

  it("are shared by everybody who works in the repository", async () => {
    using bench = makeBench()
    git(bench.cwd, "init", "-q", "-b", "dev")
    await bench.ok("project", "create", "--goal", "x")
    const inside = join(bench.cwd, "src")
    mkdirSync(inside)
    expect(await bench.run(["task", "create", "from below"], { cwd: inside })).toMatchObject({ exitCode: 0 })
    expect(await bench.ok<Data[]>("task", "list", "--team", "dev")).toHaveLength(1)
  })

  it("may come from variables and files, in that order", async () => {
    using bench = makeBench()
    await bench.ok("config", "set", "defaults.project", "from-home")
    await bench.ok("config", "set", "defaults.team", "of-repository", "--repository")
    const setup = async (env: Record<string, string>, ...flags: string[]) =>
      (await bench.run(["setup", ...flags], { env })).json<{ data: Data }>().data
    expect(await setup({})).toMatchObject({ project: "from-home", team: "of-repository" })
    expect(await setup({ TEAMWORK_PROJECT: "from-env" })).toMatchObject({ project: "from-env", team: "of-repository" })
    expect(await setup({ TEAMWORK_PROJECT: "from-env" }, "--project", "flag")).toMatchObject({ project: "flag" })
  })
})

describe("a claim (R046, R051, R083)", () => {
  it("may be repeated by its owner, who may have more than one", async () => {
    using bench = await makeProject("One", "Two")
    const first = await bench.ok("task", "claim", "1", "--owner", "w1")
    const again = await bench.ok("task", "claim", "1", "--owner", "w1")
    expect(again).toMatchObject({ renewed: true, claim_token: first.claim_token, claimed_at: first.claimed_at })
    expect(await bench.ok("task", "claim", "2", "--owner", "w1")).toMatchObject({ claimed_by: "w1", renewed: false })
    expect((await eventTypes(bench)).filter((type) => type === "task.claimed")).toHaveLength(2)
    const message = await bench.refused("task.already_claimed", "task", "claim", "1", "--owner", "w2")
    expect(message).toMatch(/^task 1 is held by w1 until \d{4}-/)
  })

  it("goes to exactly one of many who ask at once", async () => {
    using bench = await makeProject("One", "Two", "Three")
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) => bench.run(["task", "claim", "--next", "--owner", `w${index}`, "--json"])),
    )
    const won = results.filter((result) => result.exitCode === 0)
    expect(won.map((result) => result.json<{ data: Data }>().data.id).sort()).toEqual(["1", "2", "3"])
    for (const lost of results.filter((result) => result.exitCode !== 0))
      expect(JSON.parse(lost.stderr)).toMatchObject({ code: "task.none_available" })
  })

  it("is known to be lost when it was released or given to another", async () => {
    using bench = await makeProject("One")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    await bench.ok("task", "heartbeat", "1", "--owner", "w1", "--token", "1")
    await bench.ok("task", "release", "1")
    expect(await bench.refused("claim.lost", "task", "heartbeat", "1", "--owner", "w1")).toContain("stop work on it")
    await bench.ok("task", "claim", "1", "--owner", "w2")
    for (const call of [
      ["task", "heartbeat", "1", "--owner", "w1"],
      ["task", "update", "1", "--owner", "w1", "--status", "resolved"],
      ["task", "release", "1", "--owner", "w1"],
      ["evidence", "add", "1", "--owner", "w1", "--add-evidence", "x"],
      ["task", "heartbeat", "1", "--owner", "w2", "--token", "1"],
    ])
      await bench.refused("claim.lost", ...call)
    expect(await bench.ok("task", "heartbeat", "1", "--owner", "w2", "--token", "2")).toMatchObject({ claim_token: 2 })
  })

  it("that ran out may be taken over, or finished by its holder as long as nobody did", async () => {
    using bench = await makeProject("One", "Two")
    for (const id of ["1", "2"]) await bench.ok("task", "claim", id, "--owner", "w1", "--lease-seconds", "0.001")
    expect(await bench.ok("task", "claim", "1", "--owner", "w2")).toMatchObject({
      claimed_by: "w2",
      taken_over_from: "w1",
      claim_token: 2,
    })
    await bench.refused("claim.lost", "task", "update", "1", "--owner", "w1", "--status", "resolved")
    expect(await bench.ok("task", "update", "2", "--owner", "w1", "--status", "resolved")).toMatchObject({
      status: "resolved",
    })
  })

  it("takes neither blocked nor paused tasks, nor tasks meant for others", async () => {
    using bench = await makeProject("One", "Two", "Three")
    await bench.ok("task", "update", "2", "--add-blocked-by", "1")
    await bench.ok("pause", "--task", "1", "--reason", "later")
    await bench.ok("task", "update", "3", "--assignee", "w9")
    expect(await bench.refused("task.not_ready", "task", "claim", "2", "--owner", "w1")).toContain("waits for 1")
    expect(await bench.refused("task.not_ready", "task", "claim", "1", "--owner", "w1")).toContain("is paused")
    expect(await bench.refused("task.not_ready", "task", "claim", "3", "--owner", "w1")).toContain("assigned to w9")
    await bench.refused("task.none_available", "task", "claim", "--next", "--owner", "w1")
    expect(await bench.ok("task", "claim", "--next", "--owner", "w9")).toMatchObject({ id: "3" })
    await bench.ok("resume", "--task", "1")
    expect(await bench.ok("task", "claim", "--next", "--owner", "w1")).toMatchObject({ id: "1" })
    await bench.ok("pause", "--worker-id", "w1")
    await bench.refused("worker.unavailable", "task", "claim", "--next", "--owner", "w1")
    await bench.ok("pause")
    await bench.refused("team.paused", "task", "claim", "--next", "--owner", "w2")
  })
})

describe("roles (R089-R093)", () => {
  it("that differ give a warning, or with --strict-role an error", async () => {
    using bench = await makeProject()
    await bench.ok("task", "create", "One", "--role", "backend")
    await bench.ok("task", "create", "Two", "--role", "backend")
    const claim = ["task", "claim", "--owner", "w1", "--role", "frontend"]
    expect(await bench.run([...claim, "--id", "1", "--strict-role"])).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: "Error: Task 1 role mismatch - task role: backend, worker role: frontend\n",
    })
    const warned = await bench.run([...claim, "--id", "1"])
    expect(warned).toMatchObject({
      exitCode: 0,
      stderr: "Warning: Role mismatch - task role: backend, worker role: frontend\n",
    })
    expect(warned.json()).toMatchObject({ data: { claimed_by: "w1" } })
    const unbound = await bench.run(["task", "claim", "2", "--owner", "w2"])
    expect(unbound).toMatchObject({ exitCode: 0, stderr: "" })
  })

  it("are fixed by the first claim that names one", async () => {
    using bench = await makeProject()
    for (const role of ["backend", "frontend", "worker"]) await bench.ok("task", "create", role, "--role", role)
    await bench.ok("task", "claim", "--next", "--owner", "w1", "--role", "backend")
    expect(await bench.refused("role.locked", "task", "claim", "2", "--owner", "w1", "--role", "frontend")).toContain(
      "w1 works as backend",
    )
    await bench.refused("role.locked", "worker", "setup", "--worker-id", "w1", "--role", "docs")
    // Work for anybody is work for every role; then there is nothing left, and no switch to another role.
    expect(await bench.ok("task", "claim", "--next", "--owner", "w1", "--role", "backend")).toMatchObject({ id: "3" })
    const none = await bench.run(["task", "claim", "--next", "--owner", "w1", "--role", "backend"])
    expect(none.stderr).toStartWith("Error: No tasks for role backend: ")
    expect(await bench.text("worker", "setup", "--worker-id", "w1")).toBe("Worker w1. No tasks for role backend\n")
  })
})

describe("waves", () => {
  it("are not needed: without them every ready task can be claimed (R060)", async () => {
    using bench = await makeProject("One", "Two")
    expect(await bench.text("wave", "status")).toStartWith("No waves yet.")
    await bench.refused("wave.not_found", "wave", "update", "1", "--status", "verified")
    for (const id of ["1", "2"]) {
      expect(await bench.ok("task", "claim", id, "--owner", "w1")).toMatchObject({ wave: null })
      await bench.ok("task", "update", id, "--owner", "w1", "--status", "resolved")
    }
    expect(await bench.ok("project", "get")).toMatchObject({ phase: "EXECUTION", waves: [] })
    await bench.ok("verdict", "record", "--scope", "final", "--status", "passed")
    expect(await bench.ok("project", "get")).toMatchObject({ phase: "COMPLETE" })
  })

  it("open one after the other, when the one before is verified (R058)", async () => {
    using bench = await makeProject("One", "Two", "Other")
    await bench.ok("task", "update", "2", "--add-blocked-by", "1")
    await bench.ok("wave", "calculate")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved")
    expect(await bench.refused("task.not_ready", "task", "claim", "2", "--owner", "w1")).toContain(
      "opens when wave 1 is verified",
    )
    expect(await bench.text("whiteboard")).toContain("- **2** Two: waits for wave 2")
    await bench.ok("task", "update", "3", "--status", "skipped")
    await bench.ok("verdict", "record", "--scope", "wave", "--subject", "1", "--status", "passed")
    expect(await bench.ok("wave", "status")).toMatchObject({ current_wave: 2, waves: [{ status: "verified" }, {}] })
    await bench.ok("task", "claim", "2", "--owner", "w1")
    await bench.ok("task", "update", "2", "--owner", "w1", "--status", "resolved")
    await bench.ok("wave", "update", "--wave", "2", "--status", "verified")
    expect(await bench.ok("project", "get")).toMatchObject({ phase: "VERIFICATION" })
    await bench.ok("verdict", "record", "--scope", "final", "--status", "failed", "--issue", "slow")
    expect(await bench.ok("project", "get")).toMatchObject({ phase: "EXECUTION" })
    expect(await bench.ok("task", "create", "Make it fast")).toMatchObject({ wave: 3 })
  })

  it("do not hold back a team that starts eagerly", async () => {
    using bench = await makeProject("One", "Two", "Other")
    await bench.ok("project", "update", "--schedule", "eager")
    await bench.ok("task", "update", "2", "--add-blocked-by", "1")
    await bench.ok("wave", "calculate")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved")
    expect(await bench.ok("task", "claim", "2", "--owner", "w1")).toMatchObject({ wave: 2 })
  })
})

describe("the loop of a terminal (R076-R078)", () => {
  it("exists from start to clear, for its own terminal only", async () => {
    using bench = makeBench()
    const loop = async (terminal: Record<string, string>, ...flags: string[]) =>
      (await bench.run(["loop-state", ...flags], { env: terminal })).json<{ data: Data }>().data
    const one = { TEAMWORK_TERMINAL_ID: "one" }
    expect(await loop(one, "--get")).toEqual({ active: false })
    const started = await loop(one, "--start", "--project", "p", "--team", "t", "--role", "docs")
    expect(started).toMatchObject({ active: true, project: "p", team: "t", role: "docs", terminal_id: "one" })
    expect(Object.keys(started).sort()).toEqual(["active", "project", "role", "started_at", "team", "terminal_id"])
    expect(await loop(one, "--get")).toEqual(started)
    expect(await loop({ TMUX_PANE: "%7" }, "--get")).toEqual({ active: false })
    expect(await loop(one, "--clear")).toEqual({ active: false, cleared: true })
    expect(await loop(one, "--clear")).toEqual({ active: false, cleared: false })
    expect(await loop(one, "--get")).toEqual({ active: false })
  })
})

describe("a worker (R088, R118)", () => {
  it("is kept up to date by claim and resolve, which also tells the lead", async () => {
    using bench = await makeProject("One")
    const worker = async () => (await bench.ok<{ workers: Data[] }>("swarm", "status")).workers[0]
    await bench.ok("worker", "setup", "--worker-id", "w1", "--session-id", "s1")
    expect(await worker()).toMatchObject({ id: "w1", status: "idle", current_task: null, tasks_completed: [] })
    await bench.ok("task", "claim", "1", "--owner", "s1", "--worker-id", "w1")
    expect(await worker()).toMatchObject({ status: "working", current_task: "1" })
    const heard = (await worker())?.last_heartbeat
    await bench.ok("task", "update", "1", "--owner", "s1", "--status", "resolved", "--worker-id", "w1")
    const after = await worker()
    expect(after).toMatchObject({ status: "idle", current_task: null, tasks_completed: ["1"] })
    expect(String(after?.last_heartbeat) >= String(heard)).toBe(true)
    expect(await bench.ok<Data[]>("mailbox", "read", "orchestrator")).toMatchObject([
      {
        from: "w1",
        to: "orchestrator",
        type: "idle_notification",
        payload: { worker_id: "w1", completed_task_id: "1", completed_status: "resolved" },
        read: false,
      },
    ])
  })

  it("tells the lead why it failed, and nobody anything without --worker-id", async () => {
    using bench = await makeProject("One", "Two")
    for (const id of ["1", "2"]) await bench.ok("task", "claim", id, "--owner", "w1")
    await bench.ok(
      "task",
      "update",
      "1",
      "--owner",
      "w1",
      "--status",
      "failed",
      "--worker-id",
      "w1",
      "--reason",
      "no disk",
    )
    await bench.ok("task", "update", "2", "--owner", "w1", "--status", "resolved")
    expect(await bench.ok<Data[]>("mailbox", "read", "lead")).toMatchObject([
      { payload: { worker_id: "w1", completed_task_id: "1", completed_status: "failed", failure_reason: "no disk" } },
    ])
  })

  it("gets the next free number", async () => {
    using bench = await makeProject()
    await bench.ok("worker", "setup", "--worker-id", "w2")
    const ids: unknown[] = []
    for (let count = 0; count < 3; count++) ids.push((await bench.ok<{ worker: Data }>("worker", "setup")).worker.id)
    expect(ids).toEqual(["w1", "w3", "w4"])
  })
})

describe("a fresh start (R139)", () => {
  const age = "update task set claimed_at = claimed_at - 3601000 where id = '1'"

  it("gives back what was claimed for too long, and writes it down", async () => {
    using bench = await makeProject("One", "Two")
    for (const id of ["1", "2"]) await bench.ok("task", "claim", id, "--owner", "w1")
    bench.tamper(age)
    expect(await bench.ok("worker", "setup")).toMatchObject({ released: ["1"], next: { id: "1" } })
    expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "open", claimed_by: null, claimed_at: null })
    expect(await bench.ok("task", "get", "2")).toMatchObject({ status: "in_progress", claimed_by: "w1" })
    expect(await bench.ok("events", "tail", "--type", "task.released")).toMatchObject({
      events: [{ by: "teamwork", data: { task: "1", owner: "w1", reason: "claimed for more than 3600 s" } }],
    })
    await bench.refused("claim.lost", "task", "heartbeat", "1", "--owner", "w1")
  })

  it("has an interval of its own, and 0 disables it", async () => {
    using bench = await makeProject("One")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    bench.tamper(age)
    for (const interval of ["0", "7200"])
      expect(await bench.ok("worker", "setup", "--fresh-start-interval", interval)).toMatchObject({ released: [] })
    const disabled = await bench.run(["worker", "setup"], { env: { TEAMWORK_TEAM_FRESH_START_INTERVAL_SECONDS: "0" } })
    expect(disabled.json()).toMatchObject({ data: { released: [] } })
    expect(await bench.ok("worker", "setup", "--fresh-start-interval", "3000")).toMatchObject({ released: ["1"] })
  })
})

describe("a project", () => {
  it("goes from plan to done, and on again when a task is added or reopened", async () => {
    using bench = await makeProject("One")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved")
    await bench.ok("verdict", "record", "--scope", "final", "--status", "passed")
    await bench.refused("task.not_ready", "task", "claim", "--next", "--owner", "w1")
    expect(await bench.ok("task", "reopen", "1", "--reason", "not yet")).toMatchObject({ attempt: 2, status: "open" })
    expect(await bench.ok("project", "get")).toMatchObject({ phase: "EXECUTION", status: "active" })
    expect(await bench.ok("task", "claim", "1", "--owner", "w2")).toMatchObject({ claim_token: 2 })
  })

  it("begins an empty run when it is cleaned, and keeps the one before", async () => {
    using bench = await makeProject("One", "Two")
    await bench.ok("task", "update", "2", "--add-blocked-by", "1")
    await bench.ok("wave", "calculate")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    expect(await bench.refused("team.busy", "project", "clean")).toContain("1 by w1")
    await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved")
    expect(await bench.ok("project", "clean")).toMatchObject({ run: 2, closed: 1, purged: false, tasks: 2 })
    expect(await bench.ok("project", "get")).toMatchObject({ goal: "Search page", phase: "PLANNING", waves: [] })
    expect(await bench.ok<Data[]>("task", "list")).toEqual([])
    expect(await bench.ok<Data[]>("task", "list", "--run", "1")).toMatchObject([
      { id: "1", status: "resolved", wave: 1 },
      { id: "2", status: "open", blocked_by: ["1"] },
    ])
    await bench.ok("project", "clean", "--purge")
    await bench.refused("team.not_found", "project", "get")
    expect(await bench.ok<Data[]>("project", "list")).toEqual([])
  })
})

describe("the way out of an error", () => {
  it("is for the team that was named, and leaves the password of a store out", async () => {
    using bench = makeBench()
    await bench.ok("project", "create", "--goal", "Other", "--team", "zz")
    await bench.ok("task", "create", "One", "--team", "zz")
    await bench.ok("task", "claim", "--next", "--owner", "w1", "--team", "zz")
    const refused = await bench.run(["task", "delete", "1", "--team=zz", "--project", "shop"])
    expect(refused.stderr).toMatch(/: teamwork task delete 1 --force --project shop --team zz\n$/)
    const secret = await bench.run(["task", "list", "--store", "postgres://me:hidden@127.0.0.1:1/none"])
    expect(secret.stderr).not.toContain("hidden")
  })
})
