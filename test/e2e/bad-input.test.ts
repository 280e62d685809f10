// Whatever is wrong, the user gets one line and a code, and nothing changes.
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from "bun:test"
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { LATEST_VERSION } from "../../src/store/migrations/migrations.ts"
import type { CliResult, RunCliOptions } from "../support/run-cli.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { type Bench, type Data, IS_ROOT, makeBench, readError, TEST_TIMEOUT_MS } from "./bench.ts"
import { prepareShop } from "./command-cases.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

let shop: Bench
let eventsBefore: Data
beforeAll(async () => {
  shop = makeBench()
  await prepareShop(shop)
  eventsBefore = await shop.ok("events", "tail", "--limit", "1000")
})
afterAll(() => shop[Symbol.dispose]())

interface Expected {
  readonly exit: 1 | 2
  readonly code: string
  readonly says: RegExp | string
}

/** One line for people, one line of JSON for programs, the right exit code, and the same words in both. */
async function expectRefusal(
  bench: Bench,
  args: readonly string[],
  expected: Expected,
  options: RunCliOptions = {},
): Promise<void> {
  const [plain, json] = await Promise.all([bench.run(args, options), bench.run([...args, "--json"], options)])
  expectOneLine(plain)
  const error = readError(json)
  expect({ plain: plain.exitCode, json: json.exitCode, code: error.code }).toEqual({
    plain: expected.exit,
    json: expected.exit,
    code: expected.code,
  })
  if (typeof expected.says === "string") expect(plain.stderr).toContain(expected.says)
  else expect(plain.stderr).toMatch(expected.says)
}

function expectOneLine(result: CliResult): void {
  expect(result.stdout).toBe("")
  expect(result.stderr).toMatch(/^Error: [^\n]{3,1000}\n$/)
  expect(result.stderr).not.toMatch(/\bat .*:\d+:\d+|unexpected:|TEAMWORK_DEBUG/)
  expect(result.stderr.slice(0, -1)).not.toMatch(/\p{Cc}/u)
}

describe("a wrong call changes nothing and says why in a line", () => {
  const usage = (says: Expected["says"]): Expected => ({ exit: 2, code: "usage", says })
  const invalid = (says: Expected["says"]): Expected => ({ exit: 2, code: "input.invalid", says })
  const failure = (code: string, says: Expected["says"]): Expected => ({ exit: 1, code, says })
  const long = "a".repeat(10_000)
  const send = ["mailbox", "send", "--from", "w1", "--to", "w2"]
  const cases: [string, string[], Expected][] = [
    ["an unknown command", ["frobnicate"], usage('unknown command "frobnicate". Known: agent, approvals, approve, ')],
    ["a mistyped verb", ["task", "lst"], usage('unknown command "task lst"; did you mean: teamwork task list?')],
    ["a mistyped noun", ["tsak", "list"], usage("did you mean: teamwork task list?")],
    ["a mistyped dashed name", ["task-clam", "--id", "1"], usage("did you mean: teamwork task-claim?")],
    ["help for an unknown command", ["help", "projct"], usage("did you mean: teamwork project?")],
    ["a command with control characters", ["ta\u001b[31msk\nx"], usage(/unknown command "ta\\u001b\[31msk\\nx"/)],
    ["an unknown flag", ["task", "list", "--avialable"], usage(/unknown flag .*did you mean --available\?.*--help/)],
    ["a flag nobody could mean", ["task", "list", "--zzzzzzzz=1"], usage(/unknown flag "--zzzzzzzz"; see: teamwork/)],
    ["a short flag", ["task", "list", "-x"], usage(/unknown flag "-x"/)],
    [
      "a worker by a name of the lead",
      ["join", "--worker-id", "team-lead"],
      invalid(/cannot be the name of a worker.*--worker-id/),
    ],
    [
      "a worker that is everybody",
      ["worker", "setup", "--worker-id", "all"],
      invalid('"all" cannot be the name of a worker'),
    ],
    ["a server for such a worker", ["mcp", "--as", "orchestrator"], invalid("leave --as out to serve the lead")],
    ["one of a list", ["init", "--for", "codex,nope"], invalid('--for "nope" is not one of')],
    [
      "a setting that does not fit another",
      ["config", "set", "claim.renewSeconds", "500"],
      { exit: 2, code: "config.bad_value", says: /must be less than .*found 500 and 120; fix one of them with/ },
    ],
    [
      "a setting that no command could use",
      ["config", "set", "defaults.project", "a/b"],
      { exit: 2, code: "config.bad_value", says: 'defaults.project "a/b" is not valid; use letters' },
    ],
    ["a missing value", ["task", "get", "--id"], usage("--id needs a value")],
    [
      "a value that looks like a flag",
      ["task", "create", "--title", "--role", "backend"],
      usage("--title needs a value (for one that starts with --, write --title=--role)"),
    ],
    ["a flag given twice", ["task", "get", "--id", "1", "--id", "2"], usage("--id was given 2 times")],
    ["a value given with and without its flag", ["task", "get", "1", "--id", "2"], usage("--id was given 2 times")],
    ["one word too many", ["task", "get", "1", "2"], usage('unexpected argument "2"')],
    ["a value for a flag that takes none", ["task", "list", "--available=maybe"], usage("--available takes no value")],
    ["an unknown format", ["task", "list", "--format", "yaml"], invalid(/--format "yaml" is not one of json, table/)],
    ["an id that climbs", ["task", "get", "../x"], invalid('"../x" is not valid')],
    ["an id with a path", ["task", "get", "a/b"], invalid('"a/b" is not valid')],
    ["an empty id", ["task", "get", ""], invalid('"" is not valid')],
    ["an id of 10 kB", ["task", "get", long], invalid(/"a{40}\.\.\." is not valid/)],
    ["a full-width digit", ["task", "get", "１"], invalid('"１" is not valid')],
    ["a look-alike letter", ["task", "claim", "1", "--owner", "wоrker"], invalid('"wоrker" is not valid')],
    ["an id with a line break", ["task", "get", "1\n2"], invalid('"1\\n2" is not valid')],
    ["an id like a lock file", ["task", "create", "x", "--id", "a.lock"], invalid('"a.lock" is not valid')],
    ["a bad project name", ["setup", "--project", "../up"], invalid('"../up" is not valid')],
    ["a bad team name", ["project", "status", "--team", ".."], invalid('".." is not valid')],
    ["a bad id in a list", ["task", "create", "x", "--blocked-by", "1,../2"], invalid("--blocked-by")],
    ["an empty title", ["task", "create", "  "], invalid("must not be empty")],
    ["a title with two lines", ["task", "create", "a\nb"], invalid("must be a single line")],
    ["a title of 10 kB", ["task", "create", long], invalid("must be at most 500 characters")],
    ["a payload that is not JSON", [...send, "--payload", "{bad"], invalid('--payload "{bad" is not JSON')],
    ["a payload that is a list", [...send, "--payload", "[1]"], invalid('--payload "[1]" is not an object')],
    ["a payload that is null", [...send, "--payload", "null"], invalid("message is missing")],
    ["a payload without its fields", [...send, "--payload", '{"x":1}'], invalid("text message: message is missing")],
    ["a payload with a wrong field", [...send, "--payload", '{"message":5}'], invalid("message is not a text")],
    [
      "a shutdown response that does not say yes or no",
      [...send, "--type", "shutdown_response", "--payload", '{"request_id":"r"}'],
      invalid("approved is missing"),
    ],
    ["message and payload", [...send, "--message", "a", "--payload", "{}"], usage("--message is the whole content")],
    ["an unknown message type", [...send, "--type", "txt", "--message", "a"], invalid("did you mean text?")],
    [
      "a broadcast by a worker",
      ["mailbox", "send", "--from", "w1", "--to", "all", "--message", "x"],
      failure("message.not_allowed", "only the lead"),
    ],
    ["an unknown status", ["task", "update", "1", "--status", "resolvd"], invalid("did you mean resolved?")],
    ["an unknown role", ["task", "create", "x", "--role", "bakend"], invalid("did you mean backend?")],
    ["an unknown complexity", ["task", "create", "x", "--complexity", "standart"], invalid("did you mean standard?")],
    ["a number that is none", ["wave", "update", "one", "--status", "failed"], invalid('--wave "one" is not a number')],
    ["an infinite number", ["mailbox", "poll", "w9", "--timeout", "Infinity"], invalid("is not a number")],
    ["a number out of range", ["task", "list", "--limit", "0"], invalid('--limit "0" is less than 1')],
    ["half a number", ["task", "list", "--limit", "1.5"], invalid("is not a whole number")],
    [
      "a task that needs itself",
      ["task", "create", "x", "--id", "9", "--blocked-by", "9"],
      failure("need.cycle", "9 -> 9"),
    ],
    [
      "a need that does not exist",
      ["task", "create", "x", "--id", "9", "--blocked-by", "1,77"],
      failure("need.missing", "task 9 needs 77, which does not exist"),
    ],
    [
      "a new need that does not exist",
      ["task", "update", "2", "--add-blocked-by", "77"],
      failure("need.missing", "task 2 needs 77, which does not exist"),
    ],
    [
      "a circle",
      ["task", "update", "1", "--add-blocked-by", "2"],
      failure("need.cycle", /cycle: (1 -> 2 -> 1|2 -> 1 -> 2)/),
    ],
    [
      "a need that is none",
      ["task", "update", "2", "--remove-blocked-by", "4"],
      failure("need.missing", "its needs are 1"),
    ],
    [
      "a second task with the same id",
      ["task", "create", "x", "--id", "1"],
      failure("task.exists", "task 1 exists already"),
    ],
    ["a second project", ["project", "create", "--goal", "x"], failure("team.exists", "shop/main exists already")],
    [
      "a project that does not exist",
      ["task", "list", "--project", "nope"],
      failure("team.not_found", "project nope/main does not exist"),
    ],
    ["a task that does not exist", ["task", "claim", "99", "--owner", "w3"], failure("task.not_found", "task 99")],
    ["a task that waits", ["task", "claim", "2", "--owner", "w3"], failure("task.not_ready", "task 2 waits for 1")],
    [
      "a task of somebody else",
      ["task", "claim", "1", "--owner", "w3"],
      failure("task.already_claimed", "held by w1 until"),
    ],
    [
      "a step that is not allowed",
      ["task", "update", "4", "--status", "resolved"],
      failure("task.transition", "claim it first"),
    ],
    [
      "F030: a result that says FAILED",
      [
        ...["task", "update", "1", "--owner", "w1", "--status", "resolved"],
        "--result",
        "Half. FAILED: x\nFAILED task #1: no database",
      ],
      failure("task.transition", "its result says that it failed (no database)"),
    ],
    [
      "work on a task without an owner",
      ["task", "update", "4", "--status", "in_progress"],
      failure("task.transition", "task claim"),
    ],
    [
      "release into another status",
      ["task", "update", "1", "--release", "--status", "failed"],
      usage("--release gives"),
    ],
    [
      "a write by a stranger",
      ["task", "update", "1", "--owner", "w9", "--title", "mine"],
      failure("claim.lost", "held by w1"),
    ],
    [
      "a write with an old token",
      ["task", "heartbeat", "1", "--owner", "w1", "--token", "7"],
      failure("claim.lost", "token 1"),
    ],
    [
      "a wave that does not exist",
      ["wave", "update", "9", "--status", "failed"],
      failure("wave.not_found", "waves 1 to 2"),
    ],
    [
      "an unfinished wave",
      ["wave", "update", "1", "--status", "verified"],
      failure("wave.transition", "2 of its 3 tasks"),
    ],
    [
      "a wave out of turn",
      ["wave", "update", "2", "--status", "failed"],
      failure("wave.transition", "wave 1 is in_progress"),
    ],
    [
      "a final verdict too early",
      ["verdict", "record", "--scope", "final", "--status", "passed"],
      failure("task.not_ready", "3 of 4"),
    ],
    [
      "a passed verdict with a failed check",
      ["verdict", "record", "--scope", "task", "--subject", "3", "--status", "passed", "--check", "a=failed"],
      invalid("its check a failed"),
    ],
    [
      "a check in the wrong form",
      ["verdict", "record", "--scope", "task", "--subject", "3", "--status", "passed", "--check", "ok"],
      usage("name=passed"),
    ],
    ["an unknown worker", ["pause", "--worker-id", "w77"], failure("worker.not_found", "worker w77")],
    ["task and worker at once", ["pause", "--task", "4", "--worker-id", "w1"], usage("not both")],
    [
      "evidence that does not exist",
      ["evidence", "withdraw", "1", "9"],
      failure("evidence.not_found", "has no evidence 9"),
    ],
    [
      "an unknown field",
      ["project", "status", "--field", "stats.progres"],
      failure("view.no_field", "stats has total, open"),
    ],
    [
      "a field below a number",
      ["project", "status", "--field", "stats.total.x"],
      failure("view.no_field", "no fields"),
    ],
    ["a cursor that is none", ["events", "tail", "--after", "x'; drop table task"], invalid("is not a cursor")],
    ["two actions at once", ["loop-state", "--get", "--clear"], usage("use one of")],
    [
      "an unknown setting",
      ["config", "set", "team.maxAgent", "3"],
      { exit: 2, code: "config.unknown_key", says: "did you mean team.maxAgents?" },
    ],
    [
      "a value that does not fit",
      ["config", "set", "team.maxAgents", "0"],
      { exit: 2, code: "config.bad_value", says: "from 1 to 64" },
    ],
    [
      "a store of an unknown kind",
      ["setup", "--store", "mysql://x"],
      { exit: 2, code: "config.bad_value", says: "sqlite:PATH or postgres://" },
    ],
    ["a task without words", ["route", "  "], invalid("is empty")],
    ["an unknown shell", ["completion", "fiish"], invalid("did you mean fish?")],
  ]

  for (const [what, args, expected] of cases) {
    it(what, async () => {
      const before = shop.dump()
      await expectRefusal(shop, args, expected)
      expect(shop.dump()).toEqual(before)
    })
  }

  it("and all of them together left no event", async () => {
    expect(await shop.ok("events", "tail", "--limit", "1000")).toEqual(eventsBefore)
  })

  it("words behind -- where none belong", async () => {
    const result = await shop.run(["task", "create", "--", "foo"])
    expectOneLine(result)
    expect(result).toMatchObject({ exitCode: 2, stderr: "Error: teamwork task create takes nothing behind --\n" })
  })

  it("a reason with two lines makes no error of two lines", async () => {
    using bench = makeBench(shop)
    await bench.ok("pause", "--reason", "first\nsecond\u001b[2J")
    await expectRefusal(bench, ["task", "claim", "4", "--owner", "w3"], {
      exit: 1,
      code: "team.paused",
      says: "is paused (first second[2J); continue it with: teamwork resume",
    })
  })

  it("a NUL in a name, which only a file can carry", async () => {
    using bench = makeBench(shop)
    const before = bench.dump()
    writeFileSync(join(bench.home, "config.json"), JSON.stringify({ defaults: { project: "a\u0000b" } }))
    await expectRefusal(bench, ["task", "list"], { exit: 2, code: "input.invalid", says: '"a\\u0000b" is not valid' })
    expect(bench.dump()).toEqual(before)
  })
})

describe("a database file that is none", () => {
  const place = (bench: Bench) => join(bench.home, "teamwork.db")
  const contents: [string, () => Uint8Array][] = [
    ["random bytes", () => crypto.getRandomValues(new Uint8Array(20_000))],
    ["a text file", () => Buffer.from("This is my diary. ".repeat(500))],
    ["a short text file", () => Buffer.from("hello\n")],
    ["a database with a broken head", () => Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(8192, 7)])],
  ]
  for (const [what, content] of contents) {
    it(`is refused and left alone: ${what}`, async () => {
      using bench = makeBench()
      const bytes = content()
      writeFileSync(place(bench), bytes)
      for (const args of [["setup"], ["project", "create", "--goal", "x"]])
        await expectRefusal(bench, args, { exit: 1, code: "store.not_a_database", says: "teamwork.db is" })
      expect(readFileSync(place(bench)).equals(bytes)).toBe(true)
      const doctor = await bench.run(["doctor"])
      expect(doctor.exitCode).toBe(1)
      expect(doctor.json()).toMatchObject({ status: "success", data: { healthy: false } })
    })
  }

  it("is a new store when it is empty", async () => {
    using bench = makeBench()
    writeFileSync(place(bench), "")
    expect(await bench.ok("setup")).toMatchObject({ exists: false })
    await bench.ok("project", "create", "--goal", "x")
    expect(await bench.ok("project", "get")).toMatchObject({ goal: "x" })
  })

  it("is refused when a folder is in its place", async () => {
    using bench = makeBench()
    mkdirSync(place(bench))
    await expectRefusal(bench, ["setup"], { exit: 1, code: "store.unavailable", says: "teamwork.db is a folder" })
    expect(statSync(place(bench)).isDirectory()).toBe(true)
  })

  it("is refused when its end is missing", async () => {
    using bench = makeBench(shop)
    const size = statSync(place(bench)).size
    truncateSync(place(bench), Math.floor(size / 3))
    const before = readFileSync(place(bench))
    for (const args of [
      ["task", "list"],
      ["task", "create", "x"],
      ["task", "claim", "--next", "--owner", "w3"],
    ])
      await expectRefusal(bench, args, { exit: 1, code: "store.not_a_database", says: "is damaged" })
    expect(readFileSync(place(bench)).equals(before)).toBe(true)
  })
})

describe("a store from the future", () => {
  const raise = (bench: Bench, breaking: 0 | 1) => {
    using db = new Database(join(bench.home, "teamwork.db"))
    db.run("insert into migration (version, name, breaking, applied_at) values (99, 'future', ?, 0)", [breaking])
    db.run("pragma user_version = 99")
  }

  it("is refused when it breaks us", async () => {
    using bench = makeBench(shop)
    raise(bench, 1)
    const before = bench.dump()
    for (const args of [
      ["task", "list"],
      ["task", "create", "x"],
    ])
      await expectRefusal(bench, args, {
        exit: 1,
        code: "store.too_new",
        says: `newer teamwork (schema 99, this one knows ${LATEST_VERSION}); update teamwork`,
      })
    expect(bench.dump()).toEqual(before)
  })

  it("works when it does not", async () => {
    using bench = makeBench(shop)
    raise(bench, 0)
    await bench.ok("task", "claim", "4", "--owner", "w3")
    expect(await bench.ok("task", "update", "4", "--owner", "w3", "--status", "resolved")).toMatchObject({
      status: "resolved",
    })
  })
})

describe("a place that cannot be used", () => {
  it("is a home that is a file", async () => {
    using bench = makeBench()
    rmSync(bench.home, { recursive: true })
    writeFileSync(bench.home, "not a folder")
    await expectRefusal(bench, ["setup"], { exit: 1, code: "store.unavailable", says: "teamwork.db cannot be made" })
    expect(readFileSync(bench.home, "utf8")).toBe("not a folder")
  })

  it("may be a home that does not exist yet", async () => {
    using bench = makeBench()
    const home = join(bench.home, "not", "yet")
    expect(await bench.run(["project", "create", "--goal", "x"], { home })).toMatchObject({ exitCode: 0 })
    expect(statSync(join(home, "teamwork.db")).isFile()).toBe(true)
  })

  it("is a PostgreSQL nobody runs", async () => {
    using bench = makeBench()
    await expectRefusal(bench, ["setup", "--store", "postgres://me:secret@127.0.0.1:1/teamwork"], {
      exit: 1,
      code: "store.unavailable",
      says: /^Error: postgres:\/\/127\.0\.0\.1:1\/teamwork\S* does not take connections.*; check that the server runs/,
    })
    const { stderr } = await bench.run(["setup", "--store", "postgres://me:secret@127.0.0.1:1/teamwork", "--json"])
    expect(stderr).not.toContain("secret")
  })

  it("is a read-only home", async () => {
    using bench = makeBench(shop)
    const before = bench.dump()
    chmodSync(join(bench.home, "teamwork.db"), 0o444)
    chmodSync(bench.home, 0o555)
    try {
      for (const args of [
        ["task", "create", "x"],
        ["task", "claim", "4", "--owner", "w3"],
        ["task", "list"],
      ])
        await expectRefusal(
          bench,
          args,
          { exit: 1, code: "store.read_only", says: "check its permissions, or set TEAMWORK_HOME or --store" },
          { obeysPermissions: true },
        )
      await expectRefusal(
        bench,
        ["config", "set", "team.maxAgents", "3"],
        { exit: 2, code: "config.bad_file", says: "permission denied" },
        { obeysPermissions: true },
      )
    } finally {
      chmodSync(bench.home, 0o755)
    }
    expect(bench.dump()).toEqual(before)
  })

  const canMount = IS_ROOT && process.platform === "linux" && tryMount()
  it.skipIf(!canMount)(
    `is a full disk: nothing that was acknowledged is lost${canMount ? "" : " (skipped: mounting needs root on Linux)"}`,
    async () => {
      using bench = makeBench()
      const mount = (...args: string[]) => Bun.spawnSync(args, { env: sandboxEnv() }).success
      expect(mount("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", bench.home)).toBe(true)
      try {
        await expectSurvivesFullDisk(bench)
      } finally {
        expect(mount("umount", bench.home)).toBe(true)
      }
    },
    60_000,
  )
})

async function expectSurvivesFullDisk(bench: Bench): Promise<void> {
  const ballast = join(bench.home, "ballast")
  writeFileSync(ballast, Buffer.alloc(512 * 1024))
  await bench.ok("project", "create", "--goal", "x")
  const acknowledged: string[] = []
  const description = "d".repeat(30_000)
  let refusal: CliResult | undefined
  while (refusal === undefined && acknowledged.length < 100) {
    const result = await bench.run(["task", "create", `Task ${acknowledged.length}`, "--description", description])
    if (result.exitCode === 0) acknowledged.push(result.json<{ data: { id: string } }>().data.id)
    else refusal = result
  }
  expect(acknowledged.length).toBeGreaterThan(3)
  expectOneLine(refusal ?? ({ stdout: "", stderr: "never full" } as CliResult))
  await expectRefusal(bench, ["task", "create", "y", "--description", description], {
    exit: 1,
    code: "store.full",
    says: "nothing was changed; free some space and try again",
  })
  rmSync(ballast)
  const tasks = await bench.ok<{ id: string; description: string }[]>("task", "list")
  expect(tasks.map((task) => task.id)).toEqual(acknowledged)
  expect(tasks.every((task) => task.description === description)).toBe(true)
  expect(await bench.ok("doctor")).toMatchObject({ healthy: true })
  const { events } = await bench.ok<{ events: unknown[] }>(
    "events",
    "tail",
    "--type",
    "task.created",
    "--limit",
    "1000",
  )
  expect(events).toHaveLength(acknowledged.length)
  await bench.ok("task", "create", "room again")
}

describe("a broken configuration", () => {
  const files: [string, (bench: Bench) => string][] = [
    ["home", (bench) => join(bench.home, "config.json")],
    ["repository", (bench) => join(bench.cwd, "teamwork.json")],
  ]
  const problems: [string, string, Expected][] = [
    [
      "a file that is not JSON",
      '{\n  "team": {,}\n}',
      { exit: 2, code: "config.bad_file", says: /\.json:2:12: not valid JSON/ },
    ],
    [
      "a file that is no object",
      "[]",
      { exit: 2, code: "config.bad_file", says: /\.json:1: the file must be an object/ },
    ],
    ["an empty file", "", { exit: 2, code: "config.bad_file", says: /\.json:1:1: not valid JSON/ }],
    [
      "an unknown key",
      '{\n  "team": {\n    "maxAgent": 3\n  }\n}',
      {
        exit: 2,
        code: "config.unknown_key",
        says: /\.json:3: unknown key team\.maxAgent; did you mean team\.maxAgents\?/,
      },
    ],
    [
      "a value of the wrong kind",
      '{\n  "team": {\n\n    "maxAgents": "3"\n  }\n}',
      {
        exit: 2,
        code: "config.bad_value",
        says: /\.json:4: team\.maxAgents: expected a whole number from 1 to 64, found "3"/,
      },
    ],
  ]
  for (const [place, fileOf] of files) {
    for (const [what, text, expected] of problems) {
      it(`names file and line: ${what} (${place})`, async () => {
        using bench = makeBench(shop)
        const before = bench.dump()
        writeFileSync(fileOf(bench), text)
        await expectRefusal(bench, ["task", "create", "x"], expected)
        expect(bench.dump()).toEqual(before)
        expect(readFileSync(fileOf(bench), "utf8")).toBe(text)
        const doctor = await bench.run(["doctor"])
        expect(doctor.exitCode).toBe(1)
        expect(doctor.stdout).toContain('{"check":"configuration","status":"problem"')
      })
    }
  }

  it("can be mended with the program itself", async () => {
    using bench = makeBench(shop)
    writeFileSync(join(bench.home, "config.json"), '{ "team": { "maxAgent": 3, "maxAgents": 3 } }')
    await bench.refused("config.unknown_key", "task", "list")
    expect(await bench.ok("config", "unset", "team.maxAgent")).toMatchObject({ changed: true })
    expect(await bench.ok<object[]>("task", "list")).toHaveLength(4)
  })

  it("names a variable that does not fit", async () => {
    using bench = makeBench(shop)
    await expectRefusal(
      bench,
      ["task", "list"],
      { exit: 2, code: "config.bad_value", says: "TEAMWORK_TEAM_MAX_AGENTS: expected a whole number" },
      { env: { TEAMWORK_TEAM_MAX_AGENTS: "many" } },
    )
    await expectRefusal(
      bench,
      ["task", "list"],
      { exit: 2, code: "input.invalid", says: '"../up" is not valid' },
      { env: { TEAMWORK_PROJECT: "../up" } },
    )
  })
})

function tryMount(): boolean {
  using bench = makeBench()
  const run = (...args: string[]) => Bun.spawnSync(args, { env: sandboxEnv(), stderr: "ignore" }).success
  return run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", bench.home) && run("umount", bench.home)
}
