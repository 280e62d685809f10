// The arrows of the architecture, enforced: which layer may import which, no cycles, implementations only behind their
// port, and the few places that may touch the environment, the clock and randomness. First the rules, then the checker,
// then its verdict on src/, then tests of the checker.
import { describe, expect, it } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { PROGRAMS } from "../src/agents/programs.ts"

const ROOT = join(import.meta.dir, "..")

/** Each layer may import itself and what is listed. Whatever stands behind a port is for `app` alone. */
const MAY_IMPORT = {
  lib: [],
  kernel: ["lib"],
  rules: ["kernel", "lib"],
  port: ["rules", "kernel", "lib"],
  view: ["rules", "kernel", "lib"],
  operation: ["port", "rules", "kernel", "lib"],
  implementation: ["port", "rules", "kernel", "lib"],
  effect: ["operation", "view", "port", "rules", "kernel", "lib"],
  work: ["effect", "operation", "view", "port", "rules", "kernel", "lib"],
  orchestrator: ["work", "effect", "operation", "view", "port", "rules", "kernel", "lib"],
  app: ["orchestrator", "work", "effect", "operation", "view", "implementation", "port", "rules", "kernel", "lib"],
  command: ["app", "orchestrator", "work", "effect", "operation", "view", "port", "rules", "kernel", "lib"],
  door: ["command", "app", "orchestrator", "work", "effect", "operation", "view", "port", "rules", "kernel", "lib"],
  bin: ["door", "app", "orchestrator", "work", "effect", "implementation", "port", "rules", "kernel", "lib"],
} as const satisfies Record<string, readonly string[]>

type Layer = keyof typeof MAY_IMPORT

/** The rooms of a subject, and the layer of each part of one. What stands in the room itself are its rules. */
const ROOMS = [
  ...["tasks", "teams", "messages", "sessions", "requests", "quality", "ownership", "planning", "knowledge", "prompts"],
  ...["workers", "delivery", "orchestrator", "files", "reporting", "checkouts"],
]
const PARTS: Record<string, Layer> = { operations: "operation", views: "view", effects: "effect", commands: "command" }

/** Everything else, by the longest path that fits. */
const PLACES: Record<string, Layer> = {
  lib: "lib",
  kernel: "kernel",
  app: "app",
  doors: "door",
  bin: "bin",
  store: "implementation",
  "store/port.ts": "port",
  "store/project-store.ts": "port",
  "store/record-store.ts": "port",
  "store/team-store.ts": "port",
  "store/terminals.ts": "port",
  "store/operation.ts": "port",
  "store/records.ts": "operation",
  git: "implementation",
  "git/port.ts": "port",
  "git/integration.ts": "port",
  "checkouts/port.ts": "port",
  agents: "implementation",
  "agents/agent-fault.ts": "rules",
  "agents/heal-agent.ts": "rules",
  "agents/make-agent-job.ts": "port",
  "agents/port.ts": "port",
  "agents/prices.ts": "rules",
  "agents/program-facts.ts": "rules",
  "agents/program-of.ts": "rules",
  "agents/programs.ts": "rules",
  "agents/quota.ts": "rules",
  "agents/rate-limit.ts": "rules",
  "agents/run-log.ts": "rules",
  "agents/tool-target.ts": "rules",
  "agents/usage.ts": "port",
  "agents/choose": "effect",
  "agents/jobs": "effect",
  "agents/operations": "operation",
  "agents/views": "view",
  "agents/commands": "command",
  "quality/gates": "effect",
  "quality/gates/port.ts": "port",
  "quality/verify": "effect",
  "planning/complexity": "rules",
  "quality/results": "rules",
  "planning/roles": "rules",
  "planning/planner": "effect",
  "files/own": "view",
  "files/layouts": "view",
  "files/mirror": "effect",
  "workers/runtimes": "implementation",
  "workers/runtimes/port.ts": "port",
  "workers/loop": "work",
  "workers/open": "work",
  "workers/swarm": "work",
  "delivery/merge-queue": "work",
  "delivery/shared-files": "rules",
  "delivery/target": "work",
  "delivery/archive": "work",
  "orchestrator/loop": "orchestrator",
  upkeep: "orchestrator",
  "upkeep/commands": "command",
}

/** Folders whose subfolders are implementations that do not know each other; `shared` is for all of them. */
const IMPLEMENTATIONS: Record<string, { readonly shared: readonly string[] }> = {
  store: { shared: ["rows", "migrations"] },
  agents: { shared: [] },
  "workers/runtimes": { shared: [] },
}

interface Use {
  readonly pattern: RegExp
  readonly what: string
  /** Folders that may; the start of the program and tests always may. */
  readonly allowed: readonly string[]
}

const RESTRICTED_USES: readonly Use[] = [
  { pattern: /\bprocess\.env\b/, what: "process.env", allowed: ["app/config", "app/this-process.ts"] },
  { pattern: /\bBun\.env\b/, what: "Bun.env", allowed: ["app/config"] },
  { pattern: /\bimport\.meta\.env\b/, what: "import.meta.env", allowed: ["app/config"] },
  { pattern: /\bhomedir\b/, what: "homedir", allowed: ["app/config"] },
  { pattern: /\bDate\.now\b/, what: "Date.now", allowed: ["lib"] },
  { pattern: /\bnew Date(?:\(\)|(?![\w(.]))/, what: "new Date()", allowed: ["lib", "app/this-process.ts"] },
  { pattern: /\bMath\.random\b/, what: "Math.random", allowed: ["lib"] },
  { pattern: /\brandomUUID(?:v\d)?\b/, what: "randomUUID", allowed: ["lib"] },
]

type Sources = ReadonlyMap<string, string>

/** Every way in which `sources` (path from the project folder -> text) break the rules, as `file: reason`. */
function findViolations(sources: Sources): string[] {
  const found: string[] = []
  const graph = new Map<string, string[]>()
  for (const [path, text] of sources) {
    const report = (reason: string) => found.push(`${path}: ${reason}`)
    // A macro would be run, and it is not there.
    const plain = text.replaceAll(' with { type: "macro" }', "")
    const code = withoutStrings(transpiler(path).transformSync(plain))
    for (const specifier of importsOf(path, withTypesAsValues(text))) checkImport(path, specifier, report)
    // Types are erased before running, so they cannot make a cycle that matters.
    graph.set(
      path,
      importsOf(path, text)
        .filter(isRelative)
        .map((specifier) => resolveFrom(path, specifier)),
    )
    if (!isTest(path) && /\b(?:import|require)\((?!["'])/.test(code))
      report("import() of something computed; write the path out")
    if (!isInSrc(path)) continue
    checkUses(path, code, report)
    if (/\btypeof import\(|\bimport\("[^"]+"\)\.[A-Z]/.test(text)) report("import a type by its name, not by import()")
    if (/^index\.[cm]?[jt]sx?$/.test(posix.basename(path))) report("no barrel files: name the file after what it is")
    if (/^\s*export\s*(?:type\s*)?\*/m.test(text)) report("no barrel files: 'export *' hides where things come from")
    if (layerOf(path) === undefined) report(`is in no layer of ${posix.basename(import.meta.path)}`)
  }
  for (const cycle of findCycles(graph)) found.push(`${cycle[0]}: cycle ${cycle.join(" -> ")}`)
  return found
}

/** The list of agent programs says where the code of each one is; only `app` loads it. */
const isProgramList = (from: string, to: string) =>
  from === "src/agents/programs.ts" && /^src\/agents\/([^/]+\/)?program\.ts$/.test(to)

function checkImport(from: string, specifier: string, report: (reason: string) => void): void {
  if (!isRelative(specifier)) {
    if (/^(\/|file:|src\/|@\/|~\/)/.test(specifier)) report(`import "${specifier}" by a relative path`)
    return
  }
  const to = resolveFrom(from, specifier)
  if (!isInSrc(from)) return
  if (!isInSrc(to)) {
    const isSupport = isTest(from) && to.startsWith("test/support/")
    if (!isSupport && to !== "package.json") report(`imports ${to}, which is outside src`)
    return
  }
  const [own, other] = [layerOf(from), layerOf(to)]
  if (own === undefined || other === undefined || isProgramList(from, to)) return
  const allowed: readonly Layer[] = MAY_IMPORT[own]
  const isForeign = own === "implementation" && other === own && roomOf(from) !== roomOf(to)
  if ((own !== other && !allowed.includes(other)) || isForeign) report(`${own} may not import ${other} ${to}`)
  if (own === "command" && other === "command" && !isTest(from)) report(`no command uses another one: ${to}`)
  // The orchestrator stands above the rooms; its rules are its own.
  const isAbove = ["orchestrator", "app", "command", "door"].includes(own) || roomOf(from) === "orchestrator"
  if (roomOf(to) === "orchestrator" && !isAbove) report(`a room may not import ${to}`)
  checkImplementations(from, to, report)
}

/** Only `app` picks an implementation, and implementations do not know each other. */
function checkImplementations(from: string, to: string, report: (reason: string) => void): void {
  for (const [folder, { shared }] of Object.entries(IMPLEMENTATIONS)) {
    const [own, other] = [implementationIn(folder, from), implementationIn(folder, to)]
    if (other === undefined || own === other || layerOf(to) !== "implementation") continue
    const mayPick = ["app", "bin"].includes(layerOf(from) ?? "")
    if (!mayPick && !(own !== undefined && shared.includes(other)))
      report(`only app and ${folder}/${other} itself may import ${to}`)
  }
}

/** The `sqlite` of `src/store/sqlite/claim.ts`, undefined for `src/store/port.ts`. */
function implementationIn(folder: string, path: string): string | undefined {
  const prefix = `src/${folder}/`
  const rest = path.startsWith(prefix) ? path.slice(prefix.length).split("/") : []
  return rest.length > 1 ? rest[0] : undefined
}

function checkUses(path: string, code: string, report: (reason: string) => void): void {
  if (isTest(path) || layerOf(path) === "bin") return
  for (const { pattern, what, allowed } of RESTRICTED_USES) {
    const isAllowed = allowed.some((place) => path === `src/${place}` || path.startsWith(`src/${place}/`))
    if (!isAllowed && pattern.test(code))
      report(`${what} belongs into ${allowed.join(", ")}; here it must be passed in`)
  }
}

function layerOf(path: string): Layer | undefined {
  // The facts about an agent program are plain data for every room; the code beside them is the implementation.
  if (/^src\/agents\/[^/]+\/facts\.ts$/.test(path)) return "rules"
  const rest = path.slice("src/".length)
  const place = Object.keys(PLACES)
    .filter((each) => rest === each || rest.startsWith(`${each}/`))
    .sort((a, b) => b.length - a.length)[0]
  if (place !== undefined) return PLACES[place]
  const [room = "", part = "", file] = rest.split("/")
  if (!ROOMS.includes(room)) return undefined
  return file === undefined ? "rules" : PARTS[part]
}

const transpilers = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) }
const transpiler = (path: string) => transpilers[path.endsWith("x") ? "tsx" : "ts"]

function importsOf(path: string, text: string): string[] {
  return transpiler(path)
    .scanImports(text)
    .map((entry) => entry.path)
}

/** Bun sees only what is left when it runs, but the arrows hold for types as well. */
function withTypesAsValues(text: string): string {
  return text
    .replaceAll(/^(import|export) type (?=[{*]|\w+(?:,| from))/gm, "$1 ")
    .replaceAll(/^(?:import|export) (?:\w+, )?\{[^}]*\} from/gm, (clause) => clause.replaceAll(/\btype (?=\w)/g, ""))
}

/** Of transpiled code, which has no comments any more. */
function withoutStrings(code: string): string {
  return code.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""').replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''")
}

/** Each cycle once, as the files on it, the first repeated at the end. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = []
  const state = new Map<string, "open" | "done">()
  const trail: string[] = []
  const visit = (file: string): void => {
    if (state.get(file) === "done") return
    if (state.get(file) === "open") {
      cycles.push([...trail.slice(trail.indexOf(file)), file])
      return
    }
    state.set(file, "open")
    trail.push(file)
    for (const next of graph.get(file) ?? []) visit(next)
    trail.pop()
    state.set(file, "done")
  }
  for (const file of graph.keys()) visit(file)
  return cycles
}

const isRelative = (specifier: string) => specifier.startsWith("./") || specifier.startsWith("../")
const resolveFrom = (from: string, specifier: string) => posix.join(posix.dirname(from), specifier)
const isInSrc = (path: string) => path.startsWith("src/")
const isTest = (path: string) => /\.test\.tsx?$/.test(path)
const roomOf = (path: string) => path.split("/")[1] ?? ""

function readSources(pattern: string, except = ""): Sources {
  const paths = [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })]
    .filter((path) => !new Bun.Glob(except).match(path))
    .sort()
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]))
}

describe("the sources", () => {
  const sources = readSources("src/**/*.{ts,tsx,js,jsx,mts,cts}", "**/*.d.ts")

  it("keep to the architecture", () => {
    expect(sources.size).toBeGreaterThan(500)
    expect(findViolations(sources)).toEqual([])
  })

  it("have no folder that is too long to look through", () => {
    const folders = Map.groupBy(
      [...sources.keys()].filter((path) => !isTest(path)),
      (path) => posix.dirname(path),
    )
    const long = [...folders].filter(([, files]) => files.length > 40).map(([folder]) => folder)
    expect(long).toEqual([])
  })

  it("share a name only where they are the same part of different rooms or implementations", () => {
    const SAME_PART = [
      ...["port.ts", "program.ts", "launch.ts", "open.ts", "translate.ts", "account.ts", "facts.ts", "retrying.ts"],
      ...["claim.ts", "connection.ts", "driver-errors.ts", "event-log.ts", "finish.ts", "migrate.ts", "store.ts"],
    ]
    const names = Map.groupBy(
      [...sources.keys()].filter((path) => !isTest(path)),
      (path) => posix.basename(path),
    )
    const equal = [...names].filter(([name, files]) => files.length > 1 && !SAME_PART.includes(name))
    expect(equal.map(([, files]) => files)).toEqual([])
  })

  it("are started, not imported, by tests, benchmarks, scripts and demos", () => {
    const others = readSources("{test,bench,scripts,demo}/**/*.{ts,tsx}")
    const importers = [...others].filter(([path, text]) =>
      importsOf(path, text).some(
        (specifier) => isRelative(specifier) && resolveFrom(path, specifier).startsWith("src/bin/"),
      ),
    )
    expect(importers.map(([path]) => path)).toEqual([])
  })
})

describe("the name of an agent program", () => {
  /** Files that name programs although they are not part of one, each with the reason. */
  const MAY_NAME: Readonly<Record<string, string>> = {
    "src/agents/programs.ts": "the list of programs",
    "src/planning/plan-templates.ts": "which program suits which part of a template is the template's own content",
    "src/quality/gates/suggest-commands.ts": "a key of CI files that is called script",
    "src/store/postgres/connection.ts": "a field that is called script",
    "src/doors/hooks": "hosts: programs whose own sessions call us, one adapter each",
    "src/doors/setup": "hosts: what init writes for each of them",
    "src/doors/mcp/tool-table.ts": "names of MCP tools, which clients depend on",
    "src/doors/mcp/prompts.ts": "MCP prompts are read by Claude Code",
  }
  const folders = readdirSync(join(ROOT, "src/agents"), { withFileTypes: true })
  const names = folders
    .filter((entry) => entry.isDirectory() && existsSync(join(ROOT, "src/agents", entry.name, "facts.ts")))
    .map((entry) => entry.name)

  it("stands only in its folder and in the list, so that a new program touches nothing else", () => {
    expect(names.length).toBeGreaterThan(5)
    const sources = readSources("src/**/*.{ts,tsx}", "**/*.test.ts")
    const pattern = new RegExp(`["'](?:${names.join("|")})["']`)
    const found = [...sources].filter(([path, text]) => {
      const isOwn = names.some((name) => path.startsWith(`src/agents/${name}/`))
      const mayName = Object.keys(MAY_NAME).some((place) => path === place || path.startsWith(`${place}/`))
      return !isOwn && !mayName && pattern.test(text)
    })
    expect(found.map(([path]) => path)).toEqual([])
  })

  it("is listed for every folder of a program", () => {
    expect(PROGRAMS.map(({ name }) => name as string).toSorted()).toEqual(names.toSorted())
  })
})

describe("the checker", () => {
  const check = (sources: Record<string, string>) => findViolations(new Map(Object.entries(sources)))
  const using = (path: string, specifier: string) => check({ [path]: `import { x } from "${specifier}"\nx()\n` })

  it.each([
    ["kernel/a.ts", "../lib/b.ts"],
    ["tasks/a.ts", "../kernel/b.ts"],
    ["tasks/a.ts", "../ownership/b.ts"],
    ["planning/a.ts", "./complexity/b.ts"],
    ["app/config/a.ts", "../../kernel/b.ts"],
    ["store/sqlite/a.ts", "../port.ts"],
    ["store/sqlite/a.ts", "../rows/tasks.ts"],
    ["store/postgres/a.ts", "./connect.ts"],
    ["store/port.ts", "../tasks/task.ts"],
    ["agents/claude/a.ts", "../json-lines.ts"],
    ["tasks/views/a.ts", "../task.ts"],
    ["tasks/operations/a.ts", "../../store/port.ts"],
    ["tasks/operations/a.ts", "../../requests/operations/b.ts"],
    ["quality/effects/a.ts", "../../agents/port.ts"],
    ["quality/verify/a.ts", "../gates/b.ts"],
    ["workers/loop/a.ts", "../../quality/verify/b.ts"],
    ["orchestrator/loop/a.ts", "../../delivery/merge-queue/b.ts"],
    ["app/a.ts", "../store/sqlite/store.ts"],
    ["app/a.ts", "../agents/claude/program.ts"],
    ["tasks/commands/a.ts", "../../app/command.ts"],
    ["doors/cli/a.ts", "../../tasks/commands/b.ts"],
    ["doors/cli/a.ts", "../../../package.json"],
    ["tasks/a.test.ts", "../../test/support/sandbox.ts"],
    ["bin/start.ts", "../doors/cli/run-cli.ts"],
    ["lib/a.ts", "picomatch"],
  ])("lets src/%s import %s", (path, specifier) => {
    expect(using(`src/${path}`, specifier)).toEqual([])
  })

  it.each([
    ["lib/a.ts", "../kernel/b.ts"],
    ["kernel/a.ts", "../tasks/b.ts"],
    ["tasks/a.ts", "./operations/b.ts"],
    ["tasks/a.ts", "../store/port.ts"],
    ["tasks/a.ts", "../orchestrator/b.ts"],
    ["tasks/operations/a.ts", "../../orchestrator/b.ts"],
    ["app/config/a.ts", "../../doors/cli/b.ts"],
    ["store/port.ts", "../app/config/b.ts"],
    ["store/sqlite/a.ts", "../../git/port-of-git.ts"],
    ["quality/gates/a.ts", "../../git/worktrees.ts"],
    ["tasks/views/a.ts", "../operations/b.ts"],
    ["tasks/views/a.ts", "../../store/port.ts"],
    ["tasks/operations/a.ts", "../../store/sqlite/open.ts"],
    ["tasks/operations/a.ts", "../views/b.ts"],
    ["tasks/operations/a.ts", "../effects/b.ts"],
    ["quality/effects/a.ts", "../../agents/claude/launch.ts"],
    ["quality/effects/a.ts", "../../workers/loop/b.ts"],
    ["workers/loop/a.ts", "../../orchestrator/loop/b.ts"],
    ["orchestrator/loop/a.ts", "../../app/b.ts"],
    ["app/a.ts", "../doors/cli/b.ts"],
    ["app/a.ts", "../tasks/commands/b.ts"],
    ["tasks/commands/a.ts", "../../store/sqlite/b.ts"],
    ["tasks/commands/a.ts", "../../doors/cli/b.ts"],
    ["tasks/commands/a.ts", "./b.ts"],
    ["doors/cli/a.ts", "../../store/postgres/b.ts"],
    ["doors/cli/a.ts", "../../bin/start.ts"],
    ["store/sqlite/a.ts", "../postgres/b.ts"],
    ["agents/claude/a.ts", "../codex/b.ts"],
    ["tasks/a.ts", "../../test/support/sandbox.ts"],
    ["tasks/a.test.ts", "../store/port.ts"],
    ["tasks/a.ts", "../../scripts/build.ts"],
    ["tasks/a.ts", "src/lib/b.ts"],
    ["mystery/a.ts", "./b.ts"],
    ["tasks/mystery/a.ts", "./b.ts"],
  ])("stops src/%s from importing %s", (path, specifier) => {
    expect(using(`src/${path}`, specifier).length).toBeGreaterThan(0)
  })

  it.each([
    `import "../store/port.ts"`,
    `import x from '../store/port.ts'`,
    `import x, { y as z } from "../store/port.ts"`,
    `import * as x from "../store/port.ts"`,
    `import type { X } from "../store/port.ts"`,
    `import { type X } from "../store/port.ts"`,
    `import {\n  type X,\n  type Y,\n} from "../store/port.ts"`,
    `import type X from "../store/port.ts"`,
    `import {\n  x, // comment with "quotes"\n  y,\n} from "../store/port.ts"`,
    `export { x } from "../store/port.ts"`,
    `export type { X } from "../store/port.ts"`,
    `export const f = async () => await import("../store/port.ts")`,
    `export const f = () => import(/* why */ "../store/port.ts")`,
    `export const f = require("../store/port.ts")`,
    `const half = (a: number) => a / 2 // "\nimport "../store/port.ts"\nexport { half }`,
    `export const quote = /["'\`]/\nimport "../store/port.ts"`,
  ])("sees the import in %s", (source) => {
    expect(check({ "src/tasks/a.ts": source })).toEqual(["src/tasks/a.ts: rules may not import port src/store/port.ts"])
  })

  it.each([`export type X = import("../store/port.ts").X`, `export type X = typeof import("../store/port.ts")`])(
    "refuses %s, which Bun does not see",
    (source) => {
      expect(check({ "src/tasks/a.ts": source })).toHaveLength(1)
    },
  )

  it.each([
    `// import "../store/port.ts"`,
    `/* import "../store/port.ts" */`,
    `export const text = 'import "../store/port.ts"'`,
    'export const text = `import "../store/port.ts"`',
    `export const from = "../store/port.ts"`,
    `export const pattern = /import "..\\/store\\/port.ts"/`,
  ])("sees no import in %s", (source) => {
    expect(check({ "src/tasks/a.ts": source })).toEqual([])
  })

  it("refuses a dynamic import it cannot follow", () => {
    expect(check({ "src/tasks/a.ts": "export const f = (name: string) => import(name)" })).toHaveLength(1)
    expect(check({ "src/tasks/a.ts": "export const f = (name: string) => import(`./${name}.ts`)" })).toHaveLength(1)
  })

  it("refuses cycles, also long ones and those by re-export, but not those made of types only", () => {
    const long = check({
      "src/tasks/a.ts": `import { b } from "./b.ts"\nb()`,
      "src/tasks/b.ts": `export { c } from "./c.ts"`,
      "src/tasks/c.ts": `import { a } from "./a.ts"\na()`,
      "src/tasks/d.ts": `import { a } from "./a.ts"\na()`,
    })
    expect(long).toEqual(["src/tasks/a.ts: cycle src/tasks/a.ts -> src/tasks/b.ts -> src/tasks/c.ts -> src/tasks/a.ts"])
    const types = check({
      "src/tasks/a.ts": `import { b } from "./b.ts"\nb()`,
      "src/tasks/b.ts": `import type { A } from "./a.ts"\nexport const b = (): A | undefined => undefined`,
    })
    expect(types).toEqual([])
    expect(check({ "src/tasks/a.ts": `import { a } from "./a.ts"\na()` })).toHaveLength(1)
  })

  it.each([
    ["tasks/a.ts", "process.env.HOME"],
    ["doors/cli/a.ts", "`${process.env.HOME}`"],
    ["lib/a.ts", "Bun.env.HOME"],
    ["workers/loop/a.ts", "homedir()"],
    ["tasks/a.ts", "Date.now()"],
    ["tasks/a.ts", "[1].map(Date.now)"],
    ["workers/loop/a.ts", "new Date()"],
    ["workers/loop/a.ts", "new Date( ).getTime()"],
    ["workers/loop/a.ts", "new Date"],
    ["app/config/a.ts", "Math.random()"],
    ["store/a.ts", "crypto.randomUUID()"],
    ["store/a.ts", "Bun.randomUUIDv7()"],
  ])("stops src/%s from using %s", (path, expression) => {
    expect(check({ [`src/${path}`]: `export const x = ${expression}\n` })).toHaveLength(1)
  })

  it.each([
    ["app/config/a.ts", "process.env.HOME"],
    ["bin/start.ts", "process.env"],
    ["bin/start.ts", "Date.now()"],
    ["lib/clock.ts", "Date.now()"],
    ["lib/ids.ts", "crypto.randomUUID()"],
    ["workers/loop/a.ts", "new Date(0)"],
    ["workers/loop/a.ts", "new Date(now).toISOString()"],
    ["workers/loop/a.ts", `"process.env and Date.now()"`],
    ["workers/loop/a.ts", "1 // Math.random()"],
    ["workers/loop/a.test.ts", "Date.now()"],
    ["workers/loop/a.ts", "clock.now()"],
  ])("lets src/%s use %s", (path, expression) => {
    expect(check({ [`src/${path}`]: `export const x = ${expression}\n` })).toEqual([])
  })

  it("refuses barrel files", () => {
    expect(check({ "src/tasks/index.ts": "export const x = 1" })).toHaveLength(1)
    expect(check({ "src/tasks/all.ts": `export * from "./a.ts"` })).toHaveLength(1)
  })
})
