// Worktrees that set themselves up: from the user's checkout, from our cache, by the tool. Tools are small scripts.
import { describe, expect, it } from "bun:test"
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { AppError } from "../../src/kernel/errors.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { setUpWorkspaces, type WorkspaceOptions } from "../support/workspaces.ts"

const worker = "w1"

function project(version = "1.0.0"): Record<string, string> {
  return {
    "package.json": JSON.stringify({ dependencies: { small: version } }),
    "package-lock.json": JSON.stringify({
      ...{ lockfileVersion: 3, packages: { "": {}, "node_modules/small": { version } } },
    }),
    "index.js": "",
  }
}

function installed(version = "1.0.0"): Record<string, string> {
  const packages = { "node_modules/small": { version } }
  return {
    "node_modules/.package-lock.json": JSON.stringify({ packages }),
    "node_modules/small/package.json": JSON.stringify({ name: "small", version }),
    "node_modules/small/index.js": `module.exports = "${version}"\n`,
  }
}

/** A program of this name, alone on the PATH beside the system's own. */
function withTool(folder: string, name: string, script: string): Record<string, string> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, name), 0o755)
  return { PATH: `${folder}:${pathWithout(name)}` }
}

const pathWithout = (name: string) =>
  (process.env.PATH ?? "")
    .split(":")
    .filter((entry) => !existsSync(join(entry, name)) || ["/usr/bin", "/bin"].includes(entry))
    .join(":")

async function refusal(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (reason) => reason,
  )
  if (error instanceof AppError) return error
  throw new Error("it was not refused")
}

const automatic = (files: Record<string, string>, more: WorkspaceOptions = {}) =>
  setUpWorkspaces({ files, isAutomatic: true, ...more })

describe("F004 a worktree of a project whose dependencies are installed in the user's checkout", () => {
  it("has copies of them, and nothing of it can be committed", async () => {
    using world = await automatic(project())
    world.repository.write(installed())
    const exclude = join(world.repository.path, ".git/info/exclude")
    const before = existsSync(exclude) ? readFileSync(exclude, "utf8") : ""
    const { path, setupLog } = await world.workspaces.create({ worker })
    expect(setupLog).toBeNull()
    const file = "node_modules/small/index.js"
    expect(readFileSync(join(path, file), "utf8")).toContain("1.0.0")
    const [ours, users] = [lstatSync(join(path, file)), lstatSync(join(world.repository.path, file))]
    expect([ours.ino === users.ino, ours.nlink, users.nlink]).toEqual([false, 1, 1])
    const tree = world.tree(worker)
    tree.run("add", "--all")
    expect(tree.run("status", "--porcelain")).toBe("")
    expect(existsSync(exclude) ? readFileSync(exclude, "utf8") : "").toBe(before)
    expect(await world.workspaces.find(worker)).toMatchObject({ state: "clean" })
  })

  it("gets them from our cache once the user's checkout has others, and writes do not reach the cache", async () => {
    using world = await automatic(project())
    world.repository.write(installed())
    const { path } = await world.workspaces.create({ worker })
    writeFileSync(join(path, "node_modules/small/index.js"), "tampered")
    world.repository.write(installed("9.9.9"))
    await world.workspaces.create({ worker: "w2" })
    expect(world.tree("w2").read("node_modules/small/index.js")).toContain("1.0.0")
  })

  it("keeps them from task to task, and gets others when the lock file asks for others", async () => {
    using world = await automatic({ ...project(), ".gitignore": "node_modules\n" })
    world.repository.write(installed())
    await world.workspaces.create({ worker })
    const tree = world.tree(worker)
    const { ino } = lstatSync(join(tree.path, "node_modules/small/index.js"))
    mkdirSync(join(tree.path, "node_modules/.cache/x"), { recursive: true })
    tree.write({ "left.txt": "left" })
    expect(await world.workspaces.move({ worker })).toMatchObject({ isNew: false })
    expect(lstatSync(join(tree.path, "node_modules/small/index.js")).ino).toBe(ino)
    expect(existsSync(join(tree.path, "left.txt"))).toBe(false)
    // What an agent installed goes.
    tree.write({ "node_modules/other/package.json": "{}" })
    await world.workspaces.move({ worker })
    expect(existsSync(join(tree.path, "node_modules/other"))).toBe(false)
    expect(existsSync(join(tree.path, "node_modules/small"))).toBe(true)
    world.repository.commit("Newer", project("2.0.0"))
    world.repository.write(installed("2.0.0"))
    await world.workspaces.move({ worker, base: "main" })
    expect(tree.read("node_modules/small/index.js")).toContain("2.0.0")
    expect(tree.run("status", "--porcelain")).toBe("")
  })

  it("does not use what leads out of the repository, or was never installed to its end", async () => {
    using scratch = makeScratch()
    const env = withTool(scratch.path, "npm", "echo 'npm error nothing here' >&2; exit 1")
    using world = await automatic({ ...project(), ".gitignore": "node_modules\n" }, { env })
    world.repository.write(installed("0.9.0"))
    expect(await refusal(world.workspaces.create({ worker }))).toMatchObject({ code: "workspace.setup_failed" })
    world.repository.write(installed())
    symlinkSync(scratch.path, join(world.repository.path, "node_modules/outside"))
    const { code, message } = await refusal(world.workspaces.create({ worker }))
    expect(code).toBe("workspace.setup_failed")
    expect(message).toContain("ended with 1: npm error nothing here")
    expect(await world.workspaces.list()).toEqual([])
  })

  it("is left alone by `none`, and set up by a command of the user's own", async () => {
    using world = await automatic({ ...project(), ".gitignore": "node_modules\nmade\n" }, { setup: "none" })
    world.repository.write(installed())
    const { path } = await world.workspaces.create({ worker })
    expect(existsSync(join(path, "node_modules"))).toBe(false)
    const own = await world.from(world.repository.path, { isAutomatic: true, setup: "echo $TEAMWORK_PORT > made" })
    const other = await own.workspaces.create({ worker: "w2" })
    expect(existsSync(join(other.path, "node_modules"))).toBe(false)
    expect(Number(readFileSync(join(other.path, "made"), "utf8"))).toBeGreaterThanOrEqual(42_000)
  })
})

describe("a worktree of a project whose dependencies are installed nowhere", () => {
  const INSTALL =
    'echo "$@" >> "$RUNS"; mkdir -p node_modules/small; echo 1 > node_modules/small/package.json; echo x > index.js'

  it("has the tool install them once, and undoes what that changed", async () => {
    using scratch = makeScratch()
    const runs = join(scratch.path, "runs")
    const env = { ...withTool(join(scratch.path, "bin"), "npm", INSTALL), RUNS: runs }
    using world = await automatic(project(), { env })
    const workers = ["w1", "w2", "w3"]
    await Promise.all(workers.map((each) => world.workspaces.create({ worker: each })))
    expect(readFileSync(runs, "utf8").trim().split("\n")).toHaveLength(1)
    for (const each of workers) {
      expect(world.tree(each).read("node_modules/small/package.json")).toBe("1\n")
      expect(world.tree(each).read("index.js")).toBe("")
      expect(world.tree(each).run("status", "--porcelain")).toBe("")
    }
  })

  it("says which tool is missing, and is made without them", async () => {
    using scratch = makeScratch()
    const files = { ...project(), "pnpm-lock.yaml": "lockfileVersion: '9.0'\n" }
    using world = await automatic(files, { env: withTool(scratch.path, "true", "") })
    const { setupNotes } = await world.workspaces.create({ worker })
    expect(setupNotes).toEqual(["pnpm is not installed; install it, or set workspace.setup"])
  })

  it("fails with the last lines that the tool printed", async () => {
    using scratch = makeScratch()
    const env = withTool(
      scratch.path,
      "npm",
      "for i in 1 2 3; do echo line $i; done; echo npm error no network >&2; exit 7",
    )
    using world = await automatic(project(), { env })
    const { code, details } = await refusal(world.workspaces.create({ worker }))
    expect(code).toBe("workspace.setup_failed")
    expect(details.lines).toEqual(["line 1", "line 2", "line 3", "npm error no network"])
    expect(readFileSync(String(details.log), "utf8")).toContain("$ npm ci")
    expect(existsSync(world.workspaces.pathOf(worker))).toBe(false)
  })
})

describe("a Python environment", () => {
  const files = {
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "src/shop/__init__.py": "WHERE = __file__\n",
    ".gitignore": ".venv\n__pycache__\n",
  }

  it("imports from the checkout that it belongs to, never from the user's", async () => {
    using world = await automatic(files)
    const root = world.repository.path
    const run = (command: string[], cwd: string) => {
      const { success, stdout, stderr } = Bun.spawnSync(command, { cwd, env: sandboxEnv() })
      if (!success) throw new Error(stderr.toString())
      return stdout.toString().trim()
    }
    run(["python3", "-m", "venv", "--without-pip", ".venv"], root)
    const site = run([".venv/bin/python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], root)
    // As pip and setuptools write it: a path, a finder, a note on where it came from, and a program.
    mkdirSync(join(site, "shop-1.0.dist-info"))
    writeFileSync(
      join(site, "shop-1.0.dist-info/direct_url.json"),
      JSON.stringify({ url: `file://${root}`, dir_info: { editable: true } }),
    )
    writeFileSync(join(site, "shop.pth"), `${root}/src\n`)
    writeFileSync(join(site, "__editable___shop_finder.py"), `MAPPING = {'shop': '${root}/src/shop'}\n`)
    writeFileSync(join(root, ".venv/bin/where"), `#!${root}/.venv/bin/python\nimport shop; print(shop.WHERE)\n`, {
      mode: 0o755,
    })
    expect(run([".venv/bin/where"], root)).toBe(`${root}/src/shop/__init__.py`)
    for (const each of ["w1", "w2"]) {
      const { path, setupNotes } = await world.workspaces.create({ worker: each })
      expect(setupNotes).toBeUndefined()
      const inside = `${path}/src/shop/__init__.py`
      expect(run([`${path}/.venv/bin/where`], "/")).toBe(inside)
      expect(run([`${path}/.venv/bin/python`, "-c", "import shop; print(shop.WHERE)"], "/")).toBe(inside)
      const grep = Bun.spawnSync(["grep", "-rlI", `${root}/`, join(path, ".venv")], { env: sandboxEnv() })
      expect(grep.stdout.toString()).toBe("")
    }
    expect(dirname(site)).toContain(root)
  })
})
