// A repository with nothing configured: its worktrees and gate checkouts are set up by themselves.
import { describe, expect, it } from "bun:test"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeRepository, type Repository } from "../support/repository.ts"
import { type Data, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

/** Its test fails without its one dependency, which is a part of the repository as well. */
const FILES = {
  "package.json": JSON.stringify({
    ...{ name: "shop", version: "1.0.0", type: "module" },
    scripts: { test: "node test.js" },
    dependencies: { small: "file:libs/small" },
  }),
  "package-lock.json": JSON.stringify({
    ...{ name: "shop", version: "1.0.0", lockfileVersion: 3, requires: true },
    packages: {
      "": { name: "shop", version: "1.0.0", dependencies: { small: "file:libs/small" } },
      "libs/small": { name: "small", version: "1.0.0" },
      "node_modules/small": { resolved: "libs/small", link: true },
    },
  }),
  "libs/small/package.json": JSON.stringify({ name: "small", version: "1.0.0", type: "module", main: "index.js" }),
  "libs/small/index.js": "export const one = 1\n",
  "test.js": 'import { one } from "small"\nif (one !== 1) process.exit(1)\n',
  ".gitignore": "node_modules\n.env\n",
}

const PLAN = `goal: Two files
tasks:
  - id: "1"
    title: Write one
    files: [one.txt]
    run: echo "$TEAMWORK_PORT $TEAMWORK_PORT_END" > one.txt
  - id: "2"
    title: Write two
    files: [two.txt]
    run: echo "$TEAMWORK_PORT $TEAMWORK_PORT_END" > two.txt
`

function runPlan(bench: ReturnType<typeof makeBench>, repository: Repository, path?: string) {
  const plan = join(bench.home, "plan.yml")
  writeFileSync(plan, PLAN)
  const args = ["run", plan, "--no-cascade", "--no-review", "--workers", "2"]
  return bench.run(args, { cwd: repository.path, ...(path === undefined ? {} : { env: { PATH: path } }) })
}

describe("F004 a run in a repository with dependencies and nothing configured", () => {
  it.each(["npm installs them", "the user's checkout has them"])(
    "delivers where %s",
    async (where) => {
      using bench = makeBench()
      using repository = makeRepository({ files: FILES })
      if (where !== "npm installs them") {
        mkdirSync(join(repository.path, "node_modules"))
        symlinkSync("../libs/small", join(repository.path, "node_modules/small"))
      }
      const { exitCode, stdout, stderr } = await runPlan(bench, repository)
      expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0 })
      const ports = ["one.txt", "two.txt"].map((file) => readFileSync(join(repository.path, file), "utf8").trim())
      for (const range of ports) {
        const [first = 0, last = 0] = range.split(" ").map(Number)
        expect(last - first).toBe(19)
      }
      expect(repository.run("status", "--porcelain")).toBe("")
      expect(existsSync(join(repository.path, "node_modules"))).toBe(where !== "npm installs them")
      const files = repository.run("ls-tree", "-r", "--name-only", "HEAD").split("\n")
      expect(files.filter((file) => file.includes("node_modules"))).toEqual([])
    },
    4 * TEST_TIMEOUT_MS,
  )
})

describe("teamwork doctor", () => {
  const setupOf = async (bench: ReturnType<typeof makeBench>, repository: Repository, env: Record<string, string>) => {
    const result = await bench.run(["doctor"], { cwd: repository.path, env })
    const { findings } = result.json<{ data: { findings: Data[] } }>().data
    return findings.filter(({ check }) => check === "set-up").map(({ status, detail }) => `${status} ${detail}`)
  }

  it(
    "shows what a checkout would get, which tool is missing, and which files are not copied",
    async () => {
      using bench = makeBench()
      using repository = makeRepository({ files: FILES })
      repository.write({ ".env": "KEY=1" })
      const ignored = "warning .env is ignored by git and not copied to checkouts; add it to workspace.copy to copy it"
      expect(await setupOf(bench, repository, {})).toEqual([
        expect.stringMatching(
          /^ok npm \(package-lock.json\): the first checkout runs npm ci .*; the others get a copy$/,
        ),
        ignored,
      ])
      repository.commit("Another package manager", { "pnpm-lock.yaml": "lockfileVersion: '9.0'\n" })
      const missing = "warning pnpm (pnpm-lock.yaml): pnpm is not installed; install it, or set workspace.setup"
      expect(await setupOf(bench, repository, { PATH: "/usr/bin:/bin" })).toEqual([missing, ignored])
      const off = { TEAMWORK_WORKSPACE_SETUP: "none", TEAMWORK_WORKSPACE_COPY: '[".env"]' }
      expect(await setupOf(bench, repository, off)).toEqual([expect.stringMatching(/^ok workspace.setup turns it off/)])
      const own = { TEAMWORK_WORKSPACE_SETUP: "make setup", TEAMWORK_WORKSPACE_COPY: '[".env"]' }
      expect(await setupOf(bench, repository, own)).toEqual(["ok each checkout runs workspace.setup: make setup"])
    },
    TEST_TIMEOUT_MS,
  )
})

it(
  "tells once in a run which tool the set-up of worktrees lacks",
  async () => {
    using bench = makeBench()
    const files = {
      "package.json": '{"name":"shop","scripts":{"test":"true"},"dependencies":{"small":"1"}}',
      "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
    }
    using repository = makeRepository({ files })
    const { exitCode, stdout, stderr } = await runPlan(bench, repository, onlyPrograms(bench.home, ["git", "sh"]))
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0 })
    expect(stdout.match(/set-up: pnpm is not installed/g)).toHaveLength(1)
  },
  TEST_TIMEOUT_MS,
)

/** A PATH with these programs alone. */
function onlyPrograms(home: string, names: readonly string[]): string {
  const folder = join(home, "bin")
  mkdirSync(folder, { recursive: true })
  for (const name of names)
    writeFileSync(join(folder, name), `#!/bin/sh\nexec ${Bun.which(name)} "$@"\n`, { mode: 0o755 })
  return folder
}
