// Every command under both of its names: help, success for programs and for people, and what it says without a
// required parameter. Most commands run in this process; those that start, watch or replace processes, and one of each
// other kind, are started as a program.
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from "bun:test"
import { dashedName } from "../../src/app/command.ts"
import { VISIBLE_COMMANDS } from "../../src/doors/cli/commands.ts"
import { flagsOf } from "../../src/doors/cli/flags.ts"
import type { CliResult } from "../support/run-cli.ts"
import { runInProcess } from "../support/run-in-process.ts"
import { type Bench, type Data, makeBench, readError, TEST_TIMEOUT_MS } from "./bench.ts"
import { CASES, type Case, MISSING, prepareShop } from "./command-cases.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

/** Started as a program, by one of their names. */
const AS_PROGRAM: readonly string[] = [
  ...["setup", "project create", "task create", "task claim", "task update", "task list", "project status"],
  ...["evidence run", "mailbox poll", "wave calculate", "verify task", "deliver", "undo", "export", "import", "doctor"],
  ...["agent exec", "agent cancel", "agent jobs", "worker", "worker setup", "swarm spawn", "swarm stop", "cancel"],
  ...["run", "plan", "logs", "attach", "watch", "events tail", "mcp", "config set"],
]

let shop: Bench
beforeAll(async () => {
  shop = makeBench(undefined, runInProcess)
  await prepareShop(shop)
})
afterAll(() => shop[Symbol.dispose]())

const words = (name: string) => name.split(" ")
const rows = VISIBLE_COMMANDS.map((row) => ({ name: row.name, dashed: dashedName(row), load: row.load }))
const dashedOf = (command: string) => rows.find((row) => row.name === command)?.dashed ?? command

describe("the table of cases", () => {
  it("starts only commands as a program that there are", () => {
    expect(AS_PROGRAM.filter((name) => rows.every((row) => row.name !== name))).toEqual([])
  })

  it("covers every command there is", () => {
    expect([...new Set(CASES.map((each) => each.command))].sort()).toEqual(rows.map((row) => row.name).sort())
  })

  it("leaves out something in every command that requires something", async () => {
    const requiring: string[] = []
    for (const row of rows) {
      const { fields } = await row.load()
      const isDetected = (field: string) => ["project", "team", "terminalId"].includes(field)
      if (flagsOf(fields).some((flag) => !flag.isOptional && !isDetected(flag.field))) requiring.push(row.name)
    }
    const covered = new Set(MISSING.map((each) => each.command))
    expect(requiring.filter((name) => !covered.has(name))).toEqual([])
  })

  it("uses every flag of every command", async () => {
    // Each has a test of its own: it does not end by itself, or needs a special state.
    const elsewhere = [
      "project status --watch",
      "events tail --follow",
      "export --watch",
      "logs --follow",
      "approvals --watch",
      "worker setup --keep-polling",
      "report --format",
      "plan --goal",
      "run --goal",
      "run --template",
      "run --resume",
      "run --cascade",
      "plan --explain",
      "coordinate --explain",
      "run --plans",
      "run --add",
      "run --new",
      "coordinate --new",
    ]
    const unused: string[] = []
    for (const row of rows) {
      const command = await row.load()
      const used = CASES.filter((each) => each.command === row.name).flatMap((each) => each.args)
      const seen = (flag: string) => used.includes(flag) || elsewhere.includes(`${row.name} ${flag}`)
      for (const flag of flagsOf(command.fields)) {
        const isShared = ["project", "team"].includes(flag.field) || flag.field === command.takesRest
        const isPositionalHere = row.name === "project get" // the same report as `project status`
        if (!isShared && !isPositionalHere && !seen(`--${flag.name}`)) unused.push(`${row.name} --${flag.name}`)
      }
    }
    expect(unused).toEqual([])
  })
})

describe.each(rows)("teamwork $name", ({ name, dashed }) => {
  it("explains itself under both names, with and without a project", async () => {
    const [byName, byDash, short, viaHelp] = await Promise.all([
      shop.run([...words(name), "--help"]),
      shop.run([dashed, "--help"]),
      shop.run([...words(name), "-h"]),
      shop.run(["help", ...words(name)]),
    ])
    expect(byName).toMatchObject({ exitCode: 0, stderr: "" })
    expect(byName.stdout).toStartWith(`Usage: teamwork ${name}`)
    expect(byName.stdout).toContain("--format")
    for (const other of [byDash, short, viaHelp]) expect(other).toMatchObject({ exitCode: 0, stdout: byName.stdout })
  })

  for (const [index, each] of CASES.filter((one) => one.command === name).entries()) {
    const title = each.args.length === 0 ? "without flags" : each.args.slice(0, 4).join(" ")
    it(`answers programs under both names (${index + 1}: ${JSON.stringify(title)})`, async () => {
      await Promise.all(
        [words(name), [dashed]].map(async (call, which) => {
          using bench = makeBench(
            shop,
            which === 0 && index === 0 && AS_PROGRAM.includes(name) ? undefined : runInProcess,
          )
          await using _ = await prepareCase(bench, each)
          expectAnswer(each, await bench.run([...call, ...(each.isDocument === true ? ["--json"] : []), ...each.args]))
        }),
      )
    })

    it(`answers people (${index + 1}: ${JSON.stringify(title)})`, async () => {
      using bench = makeBench(shop, runInProcess)
      await using _ = await prepareCase(bench, each)
      const dashes = each.args.indexOf("--")
      const end = dashes === -1 ? each.args.length : dashes
      const args = [...each.args.slice(0, end), "--format", "table", ...each.args.slice(end)]
      const result = await bench.run([dashed, ...args])
      expect(result).toMatchObject({ exitCode: 0 })
      expect(result.stdout).toMatch(each.table)
      // A pipe gets no colours.
      expect(result.stdout).not.toContain("\u001b")
    })
  }

  for (const { args, message } of MISSING.filter((one) => one.command === name)) {
    it(`says what is missing (${JSON.stringify(args.join(" "))})`, async () => {
      const [plain, json] = await Promise.all([
        shop.run([...words(name), ...args]),
        shop.run([dashedOf(name), ...args, "--json"]),
      ])
      expect(plain).toMatchObject({ exitCode: 2, stdout: "" })
      expect(plain.stderr).toMatch(/^Error: [^\n]+\n$/)
      expect(plain.stderr).toMatch(message)
      if (plain.stderr.includes("is missing")) expect(plain.stderr).toContain("; for example: ")
      expect(json.exitCode).toBe(2)
      expect(readError(json)).toMatchObject({ code: "usage", message: expect.stringMatching(message) })
    })
  }
})

describe("teamwork", () => {
  it("lists every command", async () => {
    const [bare, help, flag, short] = await Promise.all(
      [[], ["help"], ["--help"], ["-h"]].map((args) => shop.run(args)),
    )
    expect(bare).toMatchObject({ exitCode: 0, stderr: "" })
    for (const row of rows) expect(bare?.stdout).toContain(`\n  ${row.name} `)
    for (const other of [help, flag, short]) expect(other?.stdout).toBe(bare?.stdout ?? "")
  })

  it("lists the verbs of a noun, as help or because one is missing", async () => {
    const [help, flag, bare] = await Promise.all(
      [["help", "wave"], ["wave", "--help"], ["wave"]].map((args) => shop.run(args)),
    )
    expect(help?.stdout).toMatch(
      /^Usage: teamwork wave .*\n(.*\n)* {2}wave calculate .*\n {2}wave update .*\n {2}wave status /,
    )
    expect(help?.stdout).not.toContain("task claim ")
    expect([help?.exitCode, flag?.exitCode, bare?.exitCode]).toEqual([0, 0, 2])
    expect(flag?.stdout).toBe(help?.stdout ?? "")
    expect({ out: bare?.stdout, err: bare?.stderr }).toEqual({ out: "", err: help?.stdout ?? "" })
  })

  it("tells its version", async () => {
    const [flag, word] = await Promise.all([shop.run(["--version"]), shop.run(["version"])])
    expect(flag.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(word.stdout).toBe(flag.stdout)
  })

  it("takes values after = too, and flags that say false", async () => {
    using bench = makeBench(shop)
    expect(await bench.ok<object>("task", "create", "--title=--odd=title--", "--json=false")).toMatchObject({
      title: "--odd=title--",
    })
    expect(await bench.ok<object[]>("task", "list", "--available=false")).toHaveLength(5)
  })

  it("takes flags for every command before the command too", async () => {
    const [json, named] = await Promise.all([
      shop.run(["--json", "task", "get", "99"]),
      shop.run(["--project", "elsewhere", "--team=x", "task", "list"]),
    ])
    expect(JSON.parse(json.stderr).code).toBe("task.not_found")
    expect(named.stderr).toContain("project elsewhere/x does not exist")
  })

  it("prints documents as they are into a pipe, unless JSON is asked for", async () => {
    const [script, schema, board] = await Promise.all(
      [["completion", "bash"], ["config", "schema"], ["whiteboard"]].map((args) => shop.run(args)),
    )
    expect(script?.stdout).toStartWith("_teamwork() {\n")
    expect(schema?.stdout).toStartWith('{\n  "$schema"')
    expect(board?.stdout).toStartWith("# shop/main\n")
  })

  it("gives a report in the format that is asked for, and a pipe the text", async () => {
    const [bare, text, markdown, json, wrong] = await Promise.all(
      [[], ["--format", "text"], ["--format=markdown"], ["--format", "json"], ["--format", "html"]].map((args) =>
        shop.run(["report", ...args]),
      ),
    )
    expect(bare?.stdout).toStartWith("TEAM REPORT  shop/main\n")
    expect(text?.stdout.split("\n", 1)).toEqual(["TEAM REPORT  shop/main"])
    expect(markdown?.stdout).toStartWith("# Report of shop/main\n\nSearch page\n")
    expect(json?.json()).toMatchObject({ status: "success", data: { outcome: "running" } })
    expect(wrong).toMatchObject({ exitCode: 2, stdout: "" })
    expect(wrong?.stderr).toBe('Error: --format "html" is not one of text, markdown, json, table\n')
    // The others know no more formats than before.
    expect((await shop.run(["task", "list", "--format", "markdown"])).stderr).toContain("is not one of json, table")
  })

  it("gives both formats the same errors, as text unless JSON is asked for", async () => {
    const results = await Promise.all([
      shop.run(["task", "get", "99"]),
      shop.run(["task", "get", "99", "--format", "table"]),
      shop.run(["task", "get", "99", "--format", "json"]),
      shop.run(["task", "get", "99", "--format=json"]),
    ])
    const [plain, table, json, inline] = results
    for (const text of [plain, table])
      expect(text).toMatchObject({ exitCode: 1, stderr: "Error: task 99 does not exist; see: teamwork task list\n" })
    for (const text of [json, inline])
      expect(JSON.parse(text?.stderr ?? "")).toEqual({
        status: "error",
        code: "task.not_found",
        message: "task 99 does not exist; see: teamwork task list",
        details: { task_id: "99" },
        remedy: [{ operation: "task list", to: "see" }],
      })
  })
})

function expectAnswer(each: Case, result: CliResult): void {
  expect({ exitCode: result.exitCode, stderr: withoutProgress(result.stderr) }).toEqual({ exitCode: 0, stderr: "" })
  expect(result.stdout).toEndWith("}\n")
  const lines = result.stdout.trimEnd().split("\n")
  if (each.isStream !== true) expect(lines).toHaveLength(1)
  const answers = lines.map((line) => JSON.parse(line) as Data)
  const answer = answers.at(-1) as { status: string; data: unknown }
  expect(Object.keys(answer)).toEqual(["status", "data"])
  expect(answer.status).toBe("success")
  if (typeof each.data === "object") expect(answer.data).toMatchObject(each.data as object)
  else expect(answer.data).toEqual(each.data)
  if (each.command !== "config schema") expectSnakeCase(answer.data)
  expectFields(answer.data, each.fields)
  if (each.inner !== undefined) expectFields((answer.data as Data)[each.inner.of], each.inner.fields)
}

/** At the end of it what the case started is stopped. */
async function prepareCase(bench: Bench, { prepare, before = [], after = [] }: Case): Promise<AsyncDisposable> {
  prepare?.(bench)
  for (const step of before) await bench.ok(...step)
  return {
    async [Symbol.asyncDispose]() {
      for (const step of after) await bench.ok(...step)
    },
  }
}

/** Status lines of a waiting worker, and the output of a command that was run, are no errors. */
function withoutProgress(stderr: string): string {
  return stderr.replaceAll(/^(\[\d\d:\d\d:\d\d\] .*|it works)\n/gm, "")
}

function expectFields(value: unknown, fields: readonly string[] = []): void {
  const items = Array.isArray(value) ? value : [value]
  expect(items).not.toEqual([])
  if (fields.length > 0)
    for (const item of items) expect(Object.keys(item)).toEqual(expect.arrayContaining([...fields]))
}

function expectSnakeCase(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) expectSnakeCase(item)
  else if (typeof value === "object" && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      expect(key).toMatch(/^[a-z][a-z0-9_]*$/)
      expectSnakeCase(inner)
    }
}
