// The arrows of the architecture, enforced: who may import whom, no cycles, and the few places that may touch the
// environment, the clock and randomness. The checker comes first, then its verdict on src/, then tests of the checker.
import { describe, expect, it } from "bun:test"
import { readFileSync } from "node:fs"
import { join, posix } from "node:path"

const ROOT = join(import.meta.dir, "..")

/** What each folder may import besides itself. `folder/port.ts` means that file only, `*` any folder's port. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  lib: [],
  domain: ["lib"],
  config: ["domain", "lib"],
  store: ["domain", "lib"],
  agents: ["domain", "lib"],
  workspace: ["domain", "lib"],
  runtime: ["domain", "lib"],
  gates: ["domain", "lib", "workspace/port.ts"],
  views: ["domain"],
  operations: ["domain", "lib", "store/port.ts"],
  engine: ["operations", "gates", "views", "domain", "lib", "*/port.ts"],
  surfaces: ["engine", "operations", "views", "domain", "lib"],
  dashboard: [],
}

/** Folders whose subfolders are implementations: only main.ts picks one, and they do not know each other. */
const IMPLEMENTATIONS: Record<string, { shared: readonly string[] }> = {
  store: { shared: ["sql", "migrations"] },
  agents: { shared: [] },
  runtime: { shared: [] },
}

/** Where the program starts, and what it then is. */
const TOP = ["src/bin/start.ts", "src/bin/own-write.ts", "src/app/main.ts"]

interface Use {
  pattern: RegExp
  what: string
  /** Folders that may; main.ts and tests always may. */
  allowed: readonly string[]
}

const RESTRICTED_USES: readonly Use[] = [
  { pattern: /\bprocess\s*\.\s*env\b/, what: "process.env", allowed: ["config"] },
  { pattern: /\bBun\s*\.\s*env\b/, what: "Bun.env", allowed: ["config"] },
  { pattern: /\bimport\s*\.\s*meta\s*\.\s*env\b/, what: "import.meta.env", allowed: ["config"] },
  { pattern: /\bhomedir\b/, what: "homedir", allowed: ["config"] },
  { pattern: /\bDate\s*\.\s*now\b/, what: "Date.now", allowed: ["lib"] },
  { pattern: /\bnew\s+Date\s*(?:\(\s*\)|(?![\w\s(.]))/, what: "new Date()", allowed: ["lib"] },
  { pattern: /\bMath\s*\.\s*random\b/, what: "Math.random", allowed: ["lib"] },
  { pattern: /\brandomUUID(?:v\d)?\b/, what: "randomUUID", allowed: ["lib"] },
]

type Sources = ReadonlyMap<string, string>

interface Import {
  specifier: string
  /** Erased before running, so it cannot make a cycle that matters. */
  typeOnly: boolean
}

/** Every way in which `sources` (path from the project folder -> text) break the rules, as `file: reason`. */
function findViolations(sources: Sources): string[] {
  const found: string[] = []
  const graph = new Map<string, string[]>()
  for (const [path, text] of sources) {
    const report = (reason: string) => found.push(`${path}: ${reason}`)
    const code = blankOut(text)
    const imports = parseImports(text, code, report)
    for (const { specifier } of imports) checkImport(path, specifier, report)
    const needed = imports.filter((entry) => !entry.typeOnly && isRelative(entry.specifier))
    graph.set(
      path,
      needed.map((entry) => resolveFrom(path, entry.specifier)),
    )
    if (!isInSrc(path)) continue
    checkUses(path, code, report)
    if (/^index\.[cm]?[jt]sx?$/.test(posix.basename(path))) report("no barrel files: name the file after what it is")
    if (/^\s*export\s*(?:type\s*)?\*/m.test(code)) report("no barrel files: 'export *' hides where things come from")
    if (!TOP.includes(path) && !(folderOf(path) in MAY_IMPORT)) {
      report(`folder ${folderOf(path)} is not in the table of ${posix.basename(import.meta.path)}`)
    }
  }
  for (const cycle of findCycles(graph)) found.push(`${cycle[0]}: cycle ${cycle.join(" -> ")}`)
  return found
}

function checkImport(from: string, specifier: string, report: (reason: string) => void): void {
  if (!isRelative(specifier)) {
    if (/^(\/|file:|src\/|@\/|~\/)/.test(specifier)) report(`import "${specifier}" by a relative path`)
    return
  }
  const to = resolveFrom(from, specifier)
  if (/^src\/(main|start|own-write)(\.[cm]?[jt]sx?)?$/.test(to) && from !== "src/bin/start.ts")
    report(`nobody imports ${to}`)
  if (!isInSrc(from) || TOP.includes(from)) return
  if (!isInSrc(to)) {
    const support = isTest(from) && to.startsWith("test/support/")
    const manifest = to === "package.json"
    if (!support && !manifest) report(`imports ${to}, which is outside src`)
    return
  }
  if (/^src\/(main|start)\./.test(to)) return
  const [own, other] = [folderOf(from), folderOf(to)]
  if (own === other) checkImplementations(own, from, to, report)
  else if (!(MAY_IMPORT[own] ?? []).some((allowed) => covers(allowed, to))) report(`${own} may not import ${to}`)
}

function covers(allowed: string, path: string): boolean {
  if (allowed === "*/port.ts") return /^src\/[^/]+\/port\.ts$/.test(path)
  if (allowed.endsWith(".ts")) return path === `src/${allowed}`
  return folderOf(path) === allowed
}

function checkImplementations(folder: string, from: string, to: string, report: (reason: string) => void): void {
  const rules = IMPLEMENTATIONS[folder]
  if (rules === undefined) return
  const [own, other] = [subfolderOf(from), subfolderOf(to)]
  if (other === undefined || own === other) return
  const sharedByImplementations = own !== undefined && rules.shared.includes(other)
  if (!sharedByImplementations) report(`only main.ts and ${folder}/${other} itself may import ${to}`)
}

function checkUses(path: string, code: string, report: (reason: string) => void): void {
  if (TOP.includes(path) || isTest(path)) return
  for (const { pattern, what, allowed } of RESTRICTED_USES) {
    if (!allowed.includes(folderOf(path)) && pattern.test(code)) {
      report(`${what} belongs into ${allowed.join(", ")} or main.ts; here it must be passed in`)
    }
  }
}

/** `code` is `text` with strings emptied, of the same length, so that places in one are places in the other. */
function parseImports(text: string, code: string, report: (reason: string) => void): Import[] {
  const imports: Import[] = []
  const stringAt = (open: number) => text.slice(open + 1, code.indexOf(code.charAt(open), open + 1))
  const word = /(?<![\w$.])(?:import|export)/.source // the clause below must not run into the next statement
  const type = /(\s+type\b(?!\s*(?:,|from\b)))?/.source
  const clause = /(?:(?!\b(?:import|export)\b)[\s\w$*,{}]|"\s*")*?\bfrom\s*["']/.source
  const statement = new RegExp(`${word}${type}${clause}`, "g")
  for (const match of code.matchAll(statement)) {
    imports.push({ specifier: stringAt(match.index + match[0].length - 1), typeOnly: match[1] !== undefined })
  }
  for (const match of code.matchAll(/(?<![\w$.])import\s*(["'])/g)) {
    imports.push({ specifier: stringAt(match.index + match[0].length - 1), typeOnly: false })
  }
  for (const match of code.matchAll(/(?<![\w$.])(typeof\s+)?(?:import|require|import\.meta\.require)\s*\(\s*(.)/g)) {
    const open = match.index + match[0].length - 1
    const plain = `"'\``.includes(match[2] ?? "") && !stringAt(open).includes("${")
    if (plain) imports.push({ specifier: stringAt(open), typeOnly: match[1] !== undefined })
    else report("import() of something computed cannot be checked; write the path out")
  }
  return imports
}

/**
 * Replaces comments, and what is inside of strings and regular expressions, by blanks. Code inside of `${}` stays.
 * A slash starts a regular expression unless what stands before it ends a value.
 */
function blankOut(text: string): string {
  const out = text.split("")
  const templateDepths: number[] = [] // of open braces inside each `${`, innermost last
  let i = 0
  const blank = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) if (out[at] !== "\n") out[at] = " "
  }
  const endOf = (from: number, end: string): number => {
    for (let at = from; at < text.length; at += 1) {
      if (text[at] === "\\") at += 1
      else if (text.startsWith(end, at)) return at
    }
    return text.length
  }
  /** From inside a template, to the place after its end or after the next `${`. */
  const skipTemplate = (from: number): number => {
    for (let at = from; at < text.length; at += 1) {
      if (text[at] === "\\") at += 1
      else if (text[at] === "`") {
        blank(from, at)
        return at + 1
      } else if (text.startsWith("${", at)) {
        blank(from, at)
        templateDepths.push(0)
        return at + 2
      }
    }
    return text.length
  }
  while (i < text.length) {
    const char = text[i]
    const depth = templateDepths.length - 1
    if (text.startsWith("//", i)) {
      const end = text.indexOf("\n", i)
      blank(i, end === -1 ? text.length : end)
      i = end === -1 ? text.length : end
    } else if (text.startsWith("/*", i)) {
      const end = text.indexOf("*/", i + 2)
      blank(i, end === -1 ? text.length : end + 2)
      i = end === -1 ? text.length : end + 2
    } else if (char === '"' || char === "'") {
      const end = endOf(i + 1, char)
      blank(i + 1, end)
      i = end + 1
    } else if (char === "`") {
      i = skipTemplate(i + 1)
    } else if (char === "/" && startsRegExp(out.slice(Math.max(0, i - 200), i).join(""))) {
      const end = endOfRegExp(text, i + 1)
      blank(i + 1, end)
      i = end + 1
    } else {
      const open = templateDepths[depth]
      if (open !== undefined && char === "{") templateDepths[depth] = open + 1
      if (open !== undefined && char === "}") {
        if (open === 0) {
          templateDepths.pop()
          i = skipTemplate(i + 1)
          continue
        }
        templateDepths[depth] = open - 1
      }
      i += 1
    }
  }
  return out.join("")
}

function startsRegExp(before: string): boolean {
  const last = before.trimEnd()
  if (/(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|await|yield|void|throw)$/.test(last)) return true
  return last === "" || !/[\w$)\]}"'`/]$/.test(last)
}

function endOfRegExp(text: string, from: number): number {
  let inClass = false
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1
    else if (text[at] === "[") inClass = true
    else if (text[at] === "]") inClass = false
    else if (text[at] === "\n" || (text[at] === "/" && !inClass)) return at
  }
  return text.length
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
const folderOf = (path: string) => path.split("/")[1] ?? ""
/** The `sqlite` of `src/store/sqlite/tasks.ts`, undefined for `src/store/port.ts`. */
const subfolderOf = (path: string) => (path.split("/").length > 3 ? path.split("/")[2] : undefined)

function readSources(pattern: string): Sources {
  const paths = [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })].sort()
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]))
}

describe("the sources", () => {
  const sources = readSources("src/**/*.{ts,tsx,js,jsx,mts,cts}")

  it("keep to the architecture", () => {
    expect(sources.size).toBeGreaterThan(0)
    expect(findViolations(sources)).toEqual([])
  })

  it("have no import that Bun sees and this checker does not", () => {
    for (const [path, text] of sources) {
      const ours = parseImports(text, blankOut(text), () => {}).map((entry) => entry.specifier)
      const loader = path.endsWith("x") ? "tsx" : "ts"
      const theirs = new Bun.Transpiler({ loader }).scanImports(text).map((entry) => entry.path)
      const missed = theirs.filter((specifier) => !ours.includes(specifier) && !specifier.startsWith("react/jsx"))
      expect({ path, missed }).toEqual({ path, missed: [] })
    }
  })

  it("are started, not imported, by tests, benchmarks, scripts and demos", () => {
    const others = readSources("{test,bench,scripts,demo}/**/*.{ts,tsx}")
    const importers = [...others].filter(([path, text]) =>
      parseImports(text, blankOut(text), () => {}).some(({ specifier }) => {
        return isRelative(specifier) && TOP.includes(resolveFrom(path, specifier))
      }),
    )
    expect(importers.map(([path]) => path)).toEqual([])
  })
})

describe("the checker", () => {
  const check = (sources: Record<string, string>) => findViolations(new Map(Object.entries(sources)))
  const using = (path: string, specifier: string) => check({ [path]: `import { x } from "${specifier}"\n` })

  it.each([
    ["domain/a.ts", "../lib/b.ts"],
    ["domain/a.ts", "./waves/b.ts"],
    ["config/a.ts", "../domain/b.ts"],
    ["store/sqlite/a.ts", "../port.ts"],
    ["store/sqlite/a.ts", "../sql/tasks.ts"],
    ["store/postgres/a.ts", "../sql/tasks.ts"],
    ["store/postgres/a.ts", "./connect.ts"],
    ["agents/claude/a.ts", "../json-lines.ts"],
    ["gates/a.ts", "../workspace/port.ts"],
    ["views/a.ts", "../domain/b.ts"],
    ["operations/a.ts", "../store/port.ts"],
    ["engine/a.ts", "../agents/port.ts"],
    ["engine/a.ts", "../store/port.ts"],
    ["engine/a.ts", "../gates/b.ts"],
    ["surfaces/cli/a.ts", "../../engine/b.ts"],
    ["surfaces/cli/a.ts", "../../../package.json"],
    ["domain/a.test.ts", "../../test/support/sandbox.ts"],
    ["main.ts", "./store/sqlite/open.ts"],
    ["main.ts", "./agents/claude/launch.ts"],
    ["start.ts", "./main.ts"],
    ["lib/a.ts", "picomatch"],
  ])("lets src/%s import %s", (path, specifier) => {
    expect(using(`src/${path}`, specifier)).toEqual([])
  })

  it.each([
    ["lib/a.ts", "../domain/b.ts"],
    ["domain/a.ts", "../store/port.ts"],
    ["config/a.ts", "../store/port.ts"],
    ["store/port.ts", "../config/b.ts"],
    ["store/a.ts", "../workspace/port.ts"],
    ["gates/a.ts", "../workspace/worktrees.ts"],
    ["gates/a.ts", "../operations/b.ts"],
    ["views/a.ts", "../operations/b.ts"],
    ["views/a.ts", "../store/port.ts"],
    ["operations/a.ts", "../store/sqlite/open.ts"],
    ["operations/a.ts", "../store/other.ts"],
    ["operations/a.ts", "../views/b.ts"],
    ["engine/a.ts", "../agents/claude/launch.ts"],
    ["engine/a.ts", "../store/sqlite/port.ts"],
    ["engine/a.ts", "../surfaces/cli/b.ts"],
    ["engine/a.ts", "../config/b.ts"],
    ["surfaces/cli/a.ts", "../../store/port.ts"],
    ["surfaces/cli/a.ts", "../../config/b.ts"],
    ["dashboard/a.ts", "../domain/b.ts"],
    ["dashboard/a.ts", "../lib/b.ts"],
    ["store/sqlite/a.ts", "../postgres/b.ts"],
    ["store/migrate.ts", "./sqlite/open.ts"],
    ["store/port.ts", "./sql/tasks.ts"],
    ["agents/claude/a.ts", "../codex/b.ts"],
    ["agents/registry.ts", "./claude/launch.ts"],
    ["engine/a.ts", "../main.ts"],
    ["main.ts", "./start.ts"],
    ["domain/a.ts", "../../test/support/sandbox.ts"],
    ["domain/a.test.ts", "../store/port.ts"],
    ["domain/a.ts", "../../scripts/build.ts"],
    ["domain/a.ts", "src/lib/b.ts"],
    ["mystery/a.ts", "./b.ts"],
  ])("stops src/%s from importing %s", (path, specifier) => {
    expect(using(`src/${path}`, specifier)).toHaveLength(1)
  })

  it.each([
    `import "../store/port.ts"`,
    `import x from '../store/port.ts'`,
    `import x, { y as z } from "../store/port.ts"`,
    `import * as x from "../store/port.ts"`,
    `import type { X } from "../store/port.ts"`,
    `import { type X } from "../store/port.ts"`,
    `import type X from "../store/port.ts"`,
    `import {\n  x, // comment with "quotes"\n  y,\n} from "../store/port.ts"`,
    `export { x } from "../store/port.ts"`,
    `export type { X } from "../store/port.ts"`,
    `export const f = async () => await import("../store/port.ts")`,
    "export const f = () => import(`../store/port.ts`)",
    `export const f = () => import(/* why */ "../store/port.ts")`,
    `export type X = import("../store/port.ts").X`,
    `export type X = typeof import("../store/port.ts")`,
    `export const f = require("../store/port.ts")`,
    "export const f = `${import('../store/port.ts')}`",
    `const half = (a: number) => a / 2 // "\nimport "../store/port.ts"`,
    `const quote = /["'\`]/\nimport "../store/port.ts"`,
  ])("sees the import in %s", (source) => {
    expect(check({ "src/domain/a.ts": source })).toEqual(["src/domain/a.ts: domain may not import src/store/port.ts"])
  })

  it.each([
    `// import "../store/port.ts"`,
    `/* import "../store/port.ts" */`,
    `export const text = 'import "../store/port.ts"'`,
    'export const text = `import "../store/port.ts"`',
    `export const from = "../store/port.ts"`,
    `export const pattern = /import "..\\/store\\/port.ts"/`,
  ])("sees no import in %s", (source) => {
    expect(check({ "src/domain/a.ts": source })).toEqual([])
  })

  it("refuses a dynamic import it cannot follow", () => {
    expect(check({ "src/domain/a.ts": "export const f = (name: string) => import(name)" })).toHaveLength(1)
    expect(check({ "src/domain/a.ts": "export const f = (name: string) => import(`./${name}.ts`)" })).toHaveLength(1)
  })

  it("refuses cycles, also long ones and those by re-export, but not those made of types only", () => {
    const long = check({
      "src/domain/a.ts": `import { b } from "./b.ts"`,
      "src/domain/b.ts": `export { c } from "./c.ts"`,
      "src/domain/c.ts": `import { a } from "./a.ts"`,
      "src/domain/d.ts": `import { a } from "./a.ts"`,
    })
    expect(long).toEqual([
      "src/domain/a.ts: cycle src/domain/a.ts -> src/domain/b.ts -> src/domain/c.ts -> src/domain/a.ts",
    ])
    const types = check({
      "src/domain/a.ts": `import { b } from "./b.ts"`,
      "src/domain/b.ts": `import type { A } from "./a.ts"`,
    })
    expect(types).toEqual([])
    const afterTypes = check({
      "src/domain/a.ts": `export interface A {}\nimport type { B } from "./b.ts"\nexport type { C }\nimport "./c.ts"`,
      "src/domain/b.ts": `import { a } from "./a.ts"`,
      "src/domain/c.ts": `import { a } from "./a.ts"`,
    })
    expect(afterTypes).toEqual(["src/domain/a.ts: cycle src/domain/a.ts -> src/domain/c.ts -> src/domain/a.ts"])
    expect(check({ "src/domain/a.ts": `import { a } from "./a.ts"` })).toHaveLength(1)
  })

  it.each([
    ["domain/a.ts", "process.env.HOME"],
    ["surfaces/cli/a.ts", "`${process.env.HOME}`"],
    ["lib/a.ts", "Bun.env.HOME"],
    ["engine/a.ts", "homedir()"],
    ["domain/a.ts", "Date.now()"],
    ["domain/a.ts", "[1].map(Date.now)"],
    ["engine/a.ts", "new Date()"],
    ["engine/a.ts", "new Date( ).getTime()"],
    ["engine/a.ts", "new Date"],
    ["config/a.ts", "Math.random()"],
    ["store/a.ts", "crypto.randomUUID()"],
    ["store/a.ts", "Bun.randomUUIDv7()"],
  ])("stops src/%s from using %s", (path, expression) => {
    expect(check({ [`src/${path}`]: `export const x = ${expression}\n` })).toHaveLength(1)
  })

  it.each([
    ["config/a.ts", "process.env.HOME"],
    ["main.ts", "process.env"],
    ["start.ts", "process.env"],
    ["main.ts", "Date.now()"],
    ["lib/clock.ts", "Date.now()"],
    ["lib/ids.ts", "crypto.randomUUID()"],
    ["engine/a.ts", "new Date(0)"],
    ["engine/a.ts", "new Date(now).toISOString()"],
    ["engine/a.ts", `"process.env and Date.now()"`],
    ["engine/a.ts", "1 // Math.random()"],
    ["engine/a.test.ts", "Date.now()"],
    ["engine/a.ts", "clock.now()"],
  ])("lets src/%s use %s", (path, expression) => {
    expect(check({ [`src/${path}`]: `export const x = ${expression}\n` })).toEqual([])
  })

  it("refuses barrel files", () => {
    expect(check({ "src/domain/index.ts": "export const x = 1" })).toHaveLength(1)
    expect(check({ "src/domain/all.ts": `export * from "./a.ts"` })).toHaveLength(1)
  })
})
