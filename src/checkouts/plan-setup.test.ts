import { describe, expect, it } from "bun:test"
import { findNeededIgnored } from "./needed-ignored.ts"
import { listSetupSteps, planSetup, readInputs } from "./plan-setup.ts"
import type { SetupFiles, SetupUnit } from "./setup-unit.ts"

type Tree = Readonly<Record<string, string>>

function filesOf(tree: Tree): SetupFiles {
  return {
    async list(folder) {
      const prefix = folder === "" ? "" : `${folder}/`
      const inside = Object.keys(tree).filter((path) => path.startsWith(prefix))
      return [...new Set(inside.map((path) => path.slice(prefix.length).replace(/\/.*$/, "/")))]
    },
    read: async (path) => tree[path] ?? "",
  }
}

const plan = (tree: Tree, userHas: readonly string[] = []) => planSetup(filesOf(tree), (path) => userHas.includes(path))
const PACKAGE = JSON.stringify({ dependencies: { small: "1.0.0" } })
const NPM_LOCK = JSON.stringify({ packages: { "": {}, "node_modules/small": { version: "1.0.0" } } })

describe("what a tree needs installed", () => {
  it.each<[string, Tree, string, string]>([
    ["npm", { "package.json": PACKAGE, "package-lock.json": NPM_LOCK }, "package-lock.json", "npm ci --include=dev"],
    ["npm", { "package.json": PACKAGE, "npm-shrinkwrap.json": NPM_LOCK }, "npm-shrinkwrap.json", "npm ci"],
    ["npm", { "package.json": PACKAGE }, "package.json", "npm install --no-save --no-package-lock"],
    ["pnpm", { "package.json": PACKAGE, "pnpm-lock.yaml": "x" }, "pnpm-lock.yaml", "pnpm install --frozen-lockfile"],
    [
      "yarn",
      { "package.json": PACKAGE, "yarn.lock": "# yarn lockfile v1\n" },
      "yarn.lock",
      "yarn install --frozen-lockfile",
    ],
    ["yarn", { "package.json": PACKAGE, "yarn.lock": "__metadata:\n" }, "yarn.lock", "yarn install --immutable"],
    [
      "yarn",
      { "package.json": PACKAGE, "yarn.lock": "__metadata:\n", ".yarnrc.yml": "yarnPath: .yarn/releases/yarn-4.cjs\n" },
      "yarn.lock",
      "node .yarn/releases/yarn-4.cjs install --immutable",
    ],
    ["bun", { "package.json": PACKAGE, "bun.lock": "{}" }, "bun.lock", "bun install --frozen-lockfile"],
    ["bun", { "package.json": PACKAGE, "bun.lockb": "x" }, "bun.lockb", "bun install --frozen-lockfile"],
    ["uv", { "pyproject.toml": "", "uv.lock": "" }, "uv.lock", "uv sync --frozen --offline"],
    ["poetry", { "pyproject.toml": "", "poetry.lock": "" }, "poetry.lock", "poetry install"],
    ["pip", { "requirements.txt": "", "requirements-dev.txt": "" }, "requirements-dev.txt", "python3 -m venv .venv"],
    ["cargo", { "Cargo.toml": "", "Cargo.lock": "" }, "Cargo.lock", "cargo fetch --locked --offline"],
    ["go", { "go.mod": "", "go.sum": "" }, "go.sum", "go mod download"],
    ["bundler", { Gemfile: "", "Gemfile.lock": "" }, "Gemfile.lock", "bundle install --local"],
    ["composer", { "composer.json": "", "composer.lock": "" }, "composer.lock", "composer install"],
  ])("F004 %s", async (ecosystem, tree, basis, command) => {
    const units = await plan(tree)
    expect(units).toMatchObject([{ ecosystem, basis, folder: "" }])
    expect(listSetupSteps(units)[0]?.command).toStartWith(command)
    const deeper = Object.fromEntries(Object.entries(tree).map(([path, text]) => [`web/${path}`, text]))
    expect(await plan({ ...deeper, "README.md": "" })).toMatchObject([{ ecosystem, basis, folder: "web" }])
  })

  it("is nothing where nothing is asked for, or all of it is committed", async () => {
    expect(await plan({ "a.txt": "" })).toEqual([])
    expect(await plan({ "package.json": "{}" })).toEqual([])
    expect(await plan({ "package.json": "not JSON" })).toEqual([])
    expect(
      await plan({ "package.json": PACKAGE, "package-lock.json": JSON.stringify({ packages: { "": {} } }) }),
    ).toEqual([])
    const committed = { "package.json": PACKAGE, "package-lock.json": NPM_LOCK, "node_modules/small/index.js": "" }
    expect(await plan(committed)).toEqual([])
    expect(await plan({ "go.mod": "", "go.sum": "", "vendor/modules.txt": "" })).toEqual([])
    expect(await plan({ "Cargo.toml": "" })).toEqual([])
  })

  it("counts several kinds side by side, and folders only where the top has none", async () => {
    const both = { "package.json": PACKAGE, "package-lock.json": NPM_LOCK, "requirements.txt": "" }
    expect((await plan(both)).map((unit) => unit.ecosystem)).toEqual(["npm", "pip"])
    const deeper = {
      "web/package.json": PACKAGE,
      "web/package-lock.json": NPM_LOCK,
      "api/go.mod": "",
      "api/go.sum": "",
    }
    expect((await plan(deeper)).map((unit) => unit.folder)).toEqual(["api", "web"])
    expect((await plan({ ...both, ...deeper })).map((unit) => unit.folder)).toEqual(["", ""])
    expect(await plan({ "docs/requirements.txt": "" })).toEqual([])
  })

  it("takes a Python project without requirements where the user's checkout has an environment", async () => {
    const project = { "pyproject.toml": "[project]\nname = 'x'\n" }
    expect(await plan(project)).toEqual([])
    expect(await plan(project, [".venv/pyvenv.cfg"])).toMatchObject([{ ecosystem: "pip", places: [".venv"] }])
    expect(await plan(project, ["venv/pyvenv.cfg"])).toMatchObject([{ ecosystem: "pip", places: ["venv"] }])
    const [unit] = await plan(project, [".venv/pyvenv.cfg"])
    expect(unit?.ways[0]?.at(-1)).toContain("--editable")
  })

  it("lists the project's own scripts, but not those that write hooks of git", async () => {
    const scripts = { prepare: "husky", postinstall: "node make.js", test: "x" }
    const tree = { "package.json": JSON.stringify({ dependencies: { a: "1" }, scripts }) }
    const steps = listSetupSteps(await plan(tree))
    expect(steps.map((step) => step.command)).toEqual([expect.stringMatching(/^npm install /), "node make.js"])
    expect(steps[1]?.reason).toBe("script postinstall of package.json")
  })
})

describe("the inputs of an installation", () => {
  const inputsOf = async (tree: Tree) => {
    const [unit] = await plan(tree)
    return readInputs(filesOf(tree), unit as SetupUnit)
  }
  const tree = (version: string, wanted: string) => ({
    "package.json": JSON.stringify({ version, dependencies: { small: wanted }, description: version }),
    "package-lock.json": JSON.stringify({
      version,
      packages: { "": { version }, "node_modules/small": { version: wanted }, "packages/own": { version } },
    }),
  })

  it("are the same for another release of the project, and others for another dependency", async () => {
    expect(await inputsOf(tree("1.0.0", "1.0.0"))).toBe(await inputsOf(tree("2.0.0", "1.0.0")))
    expect(await inputsOf(tree("1.0.0", "1.0.0"))).not.toBe(await inputsOf(tree("1.0.0", "1.0.1")))
  })

  it("have patches and settings of the package manager among them", async () => {
    const base = tree("1.0.0", "1.0.0")
    expect(await inputsOf({ ...base, "patches/small.patch": "a" })).not.toBe(
      await inputsOf({ ...base, "patches/small.patch": "b" }),
    )
    expect(await inputsOf({ ...base, ".npmrc": "legacy-peer-deps=true" })).not.toBe(await inputsOf(base))
  })
})

it("names ignored files that a project needs, and no others", () => {
  const needed = [".env", ".env.local", "api/.env", "config/app.local.yml", "local.properties", "config/master.key"]
  const others = ["node_modules/", ".env.example", "dist/", "a.log", ".DS_Store", "coverage/"]
  expect(findNeededIgnored([...others, ...needed])).toEqual(needed.toSorted())
})
