// Files that several tasks change: the engine merges them. Real processes, real git, and the script agent.
import { describe, expect, it } from "bun:test"
import { join } from "node:path"
import { until } from "../support/stores.ts"
import { makeRepository, type PlannedTask, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

const LONG_MS = 4 * TEST_TIMEOUT_MS
const RUN = ["run", "--no-review", "--no-cascade", "--workers", "3"]

const MANIFEST = {
  name: "shop",
  version: "1.0.0",
  scripts: { test: "true" },
  dependencies: { "@shop/base": "file:libs/base" },
}

/** A package below `libs`, to depend on without a network. */
function library(name: string): Record<string, string> {
  return { [`libs/${name}/package.json`]: `{ "name": "@shop/${name}", "version": "1.0.0" }\n` }
}

function manifest(change: object = {}): string {
  return `${JSON.stringify({ ...MANIFEST, ...change }, null, 2)}\n`
}

/** A command that changes `package.json` as an agent would. */
function edit(code: string): string {
  const program = `const fs = require("fs"); const p = JSON.parse(fs.readFileSync("package.json", "utf8")); ${code}; fs.writeFileSync("package.json", JSON.stringify(p, null, 2) + "\\n")`
  return `node -e '${program}'`
}

function planFor(bench: Bench, tasks: readonly PlannedTask[]): string {
  return writePlan(join(bench.cwd, "../plan.json"), tasks)
}

function read(bench: Bench, path: string): Record<string, Record<string, unknown>> {
  return JSON.parse(git(bench.cwd, "show", `main:${path}`)) as Record<string, Record<string, unknown>>
}

async function countRuns(bench: Bench): Promise<number> {
  const { events } = await bench.ok<{ events: Data[] }>("events", "tail", "--type", "run.started", "--limit", "1000")
  return events.length
}

async function listFixes(bench: Bench): Promise<string[]> {
  const tasks = await bench.ok<Data[]>("task", "list")
  return tasks.map((task) => String(task.id)).filter((id) => id.startsWith("fix-"))
}

describe("F011: shared files in a run", () => {
  it(
    "a task adds the dependency that it uses, and it is delivered",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { "package.json": manifest(), ...library("base"), ...library("dates") })
      const plan = planFor(bench, [
        {
          id: "dates",
          files: ["src/dates.js"],
          run: [
            edit('p.dependencies["@shop/dates"] = "file:libs/dates"'),
            "mkdir -p src && echo 'require(1)' > src/dates.js",
          ],
        },
      ])
      const { exitCode, stdout } = await bench.run([...RUN, plan])
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect(read(bench, "package.json").dependencies).toHaveProperty("@shop/dates")
      expect(git(bench.cwd, "show", "main:src/dates.js")).toBe("require(1)")
      expect(await countRuns(bench)).toBe(1)
    },
    LONG_MS,
  )

  it(
    "three tasks add dependencies and scripts side by side, and the lock file is made anew",
    async () => {
      using bench = makeBench()
      const names = ["cart", "dates", "zones"]
      makeRepository(bench.cwd, {
        ...Object.assign({}, ...["base", ...names].map(library)),
        "package.json": manifest(),
        ".gitignore": "node_modules\n",
      })
      await Bun.$`npm install --package-lock-only --ignore-scripts --offline --no-audit --no-fund`
        .cwd(bench.cwd)
        .quiet()
      git(bench.cwd, "add", "--all")
      git(bench.cwd, "commit", "--quiet", "-m", "Lock")
      const plan = planFor(
        bench,
        names.map((name) => ({
          id: name,
          files: [`src/${name}.js`, "package.json"],
          run: [
            edit(`p.dependencies["@shop/${name}"] = "file:libs/${name}"; p.scripts["${name}"] = "echo ${name}"`),
            ...(name === "zones"
              ? []
              : ["npm install --package-lock-only --ignore-scripts --offline --no-audit --no-fund"]),
            `mkdir -p src && echo ${name} > src/${name}.js`,
          ],
        })),
      )
      const { exitCode, stdout } = await bench.run([...RUN, plan])
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      const merged = read(bench, "package.json")
      expect(merged.dependencies).toEqual({
        ...MANIFEST.dependencies,
        ...Object.fromEntries(names.map((name) => [`@shop/${name}`, `file:libs/${name}`])),
      })
      expect(merged.scripts).toMatchObject(Object.fromEntries(names.map((name) => [name, `echo ${name}`])))
      expect(git(bench.cwd, "show", "main:package.json")).toBe(JSON.stringify(merged, null, 2))
      const lock = read(bench, "package-lock.json")
      expect(lock.packages?.[""]).toMatchObject({ dependencies: merged.dependencies })
      for (const name of names) expect(lock.packages).toHaveProperty([`libs/${name}`])
      expect(await listFixes(bench)).toEqual([])
      expect(await countRuns(bench)).toBe(3)
      expect(stdout).toContain("package-lock.json made anew by npm")
    },
    LONG_MS,
  )

  it(
    "asks which of two versions holds, waits without a run, and goes on with the answer",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { "package.json": manifest({ dependencies: { dayjs: "^1.0.0" } }) })
      const plan = planFor(bench, [
        { id: "1", run: [edit('p.dependencies.dayjs = "^1.11.0"'), "echo one > f1"] },
        { id: "2", run: [edit('p.dependencies.dayjs = "^2.0.0"'), "echo two > f2"] },
      ])
      await using team = bench.start([...RUN, plan], {
        TEAMWORK_TEAM_MONITOR_INTERVAL_MS: "200",
        // The versions are made up, and no registry is asked.
        TEAMWORK_WORKSPACE_SETUP: "none",
      })
      const [asked] = await until(async () => {
        const open = await bench.ok<Data[]>("approvals").catch(() => [])
        return open.length > 0 ? open : undefined
      }, "the question")
      expect(asked).toMatchObject({ scope: "shared-file", subject: "package.json: dependencies.dayjs" })
      expect(String(asked?.question)).toContain("^2.0.0")
      expect(await countRuns(bench)).toBe(2)
      await bench.ok("approve", String(asked?.number))
      expect({ exitCode: await team.exited, out: team.out }).toMatchObject({ exitCode: 0 })
      const wanted = String(asked?.question).includes('task 2: "^2.0.0"') ? "^2.0.0" : "^1.11.0"
      expect(read(bench, "package.json").dependencies).toEqual({ dayjs: wanted })
      expect([git(bench.cwd, "show", "main:f1"), git(bench.cwd, "show", "main:f2")]).toEqual(["one", "two"])
      expect(await countRuns(bench)).toBe(2)
      expect(await listFixes(bench)).toEqual([])
    },
    LONG_MS,
  )

  it(
    "F010: delivers a commit that changes nothing but the version in package.json",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { "package.json": manifest() })
      const plan = planFor(bench, [{ id: "1", files: [], run: [edit('p.version = "1.0.1"')] }])
      const { exitCode, stdout } = await bench.run([...RUN, plan])
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect(git(bench.cwd, "show", "main:package.json")).toBe(manifest({ version: "1.0.1" }).trimEnd())
    },
    LONG_MS,
  )

  it(
    "three tasks add exports to one barrel",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { "src/index.ts": 'export * from "./base"\n' })
      const names = ["a", "b", "c"]
      const plan = planFor(
        bench,
        names.map((name) => ({
          id: name,
          files: [`src/${name}.ts`, "src/index.ts"],
          run: [
            `echo "export const ${name} = 1" > src/${name}.ts`,
            `echo 'export { ${name} } from "./${name}"' >> src/index.ts`,
          ],
        })),
      )
      const { exitCode, stdout } = await bench.run([...RUN, plan])
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      const lines = git(bench.cwd, "show", "main:src/index.ts").split("\n")
      expect(lines.sort()).toEqual([
        'export * from "./base"',
        ...names.map((name) => `export { ${name} } from "./${name}"`),
      ])
      expect(await listFixes(bench)).toEqual([])
      expect(await countRuns(bench)).toBe(3)
    },
    LONG_MS,
  )

  it(
    "a task whose whole work lies in files of another open task waits for the answer, and spends no run on it",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const gate = join(bench.cwd, "../go")
      const plan = planFor(bench, [
        { id: "1", files: ["f1", "g1"], run: [`until [ -e ${gate} ]; do sleep 0.1; done`, "echo one > f1"] },
        { id: "2", files: ["f2"], run: ["echo two > g1"] },
      ])
      await using team = bench.start([...RUN, plan], { TEAMWORK_TEAM_MONITOR_INTERVAL_MS: "200" })
      const [asked] = await until(async () => {
        const open = await bench.ok<Data[]>("escalations").catch(() => [])
        return open.length > 0 ? open : undefined
      }, "the question")
      expect(String(asked?.summary)).toContain("teamwork ownership grant 2 1")
      expect(await bench.ok("task", "get", "2")).toMatchObject({ status: "paused" })
      // The other task may only begin by now.
      await until(async () => (await countRuns(bench)) === 2, "one run for each task")
      await bench.ok("ownership", "grant", "2", "1")
      await until(async () => (await countRuns(bench)) === 3, "the next run")
      await Bun.write(gate, "")
      expect({ exitCode: await team.exited, out: team.out }).toMatchObject({ exitCode: 0 })
      expect([git(bench.cwd, "show", "main:f1"), git(bench.cwd, "show", "main:g1")]).toEqual(["one", "two"])
      expect(await countRuns(bench)).toBe(3)
    },
    LONG_MS,
  )

  it(
    "what is set aside is told in the result of the task, in the run and in the report",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const plan = planFor(bench, [
        { id: "1", run: ["echo one > f1", "echo mine > other"] },
        { id: "2", files: ["whole"], run: ["echo two > unowned"] },
      ])
      const { exitCode, stdout } = await bench.run([...RUN, plan])
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect(stdout).toContain("task 1: set aside what it does not own: other")
      expect(String((await bench.ok("task", "get", "1")).result)).toContain(
        "NOT delivered, as it is not the task's: other",
      )
      expect(await bench.text("report")).toContain("NOT delivered")
      // No task owns it, and it is all that the task did.
      expect(git(bench.cwd, "show", "main:unowned")).toBe("two")
      expect(await countRuns(bench)).toBe(2)
    },
    LONG_MS,
  )
})
