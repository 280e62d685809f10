// Everything a test writes lives inside the test base, a temp folder that preload.ts makes and removes.
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"

export const TEST_BASE_PREFIX = "teamwork-test-"
export const TEST_BASE_MARKER = ".teamwork-test-base"

/** What a child process may know of the world outside. */
const HANDED_DOWN = ["PATH", "LANG", "TERM"] as const
/** Set by preload.ts, all pointing into the test base. */
const SANDBOXED = [
  "HOME",
  "TMPDIR",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  "XDG_CACHE_HOME",
  "XDG_RUNTIME_DIR",
  "TMUX_TMPDIR",
  "TEAMWORK_TEST_BASE_DIR",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_CONFIG_GLOBAL",
  "GIT_TERMINAL_PROMPT",
] as const

const MAX_LINKS = 40

let knownBase: string | undefined

/** The folder that holds everything of this test process. Fixed at the first call, so no test can move it. */
export function testBase(): string {
  if (knownBase !== undefined) return knownBase
  const named = process.env.TEAMWORK_TEST_BASE_DIR
  if (named === undefined || !existsSync(join(named, TEST_BASE_MARKER))) {
    throw new Error(`no test base at ${named}: run through 'bun test' in the project folder, which loads preload.ts`)
  }
  const base = realpathSync(named)
  if (!basename(base).startsWith(TEST_BASE_PREFIX)) throw new Error(`${base} is not a test base`)
  knownBase = base
  return base
}

export interface Scratch extends Disposable {
  readonly path: string
}

/** A fresh folder inside the test base, removed on disposal: `using scratch = makeScratch()`. */
export function makeScratch(name = "scratch"): Scratch {
  const parent = join(testBase(), "tmp")
  mkdirSync(parent, { recursive: true })
  const path = mkdtempSync(join(parent, `${name}-`))
  return { path, [Symbol.dispose]: () => safeDelete(path) }
}

/** Returns what `path` really is, links followed; throws unless that lies strictly inside the test base. */
export function validateSafeDelete(path: string): string {
  const base = testBase()
  const real = followLinks(resolve(path), 0)
  const inside = relative(base, real)
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new Error(`refused to delete ${path} (${real}): only what is inside ${base} may be deleted by tests`)
  }
  return real
}

/** The only deleter tests use. A path that does not exist is fine. */
export function safeDelete(path: string): void {
  rmSync(validateSafeDelete(path), { recursive: true, force: true })
}

/** The environment for a child process of a test: nothing but an allow-list, homes and temp folders in the sandbox. */
export function sandboxEnv(extra: Record<string, string | undefined> = {}): Record<string, string> {
  testBase()
  // Repositories of tests are the tests' own; a test about trust leaves it out.
  const env: Record<string, string> = { TEAMWORK_TRUST: "all" }
  for (const name of [...HANDED_DOWN, ...SANDBOXED]) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  for (const [name, value] of Object.entries(extra)) {
    if (value === undefined) delete env[name]
    else env[name] = value
  }
  return env
}

const atEndTasks: (() => Promise<void>)[] = []

/** Has `task` run once when all tests of this process are done; the last registered runs first. */
export function atEnd(task: () => Promise<void>): void {
  atEndTasks.push(task)
}

/** For preload.ts. One failing task does not skip the next. */
export async function runAtEnd(): Promise<void> {
  const failures: unknown[] = []
  for (let task = atEndTasks.pop(); task !== undefined; task = atEndTasks.pop()) {
    try {
      await task()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "cleaning up after the tests failed")
}

/** Like realpath, but also for paths that do not exist (yet) and for links to nowhere. */
function followLinks(path: string, depth: number): string {
  if (depth > MAX_LINKS) throw new Error(`too many links at ${path}`)
  const parent = dirname(path)
  if (parent === path) return path
  const here = join(followLinks(parent, depth), basename(path))
  const stat = lstatSync(here, { throwIfNoEntry: false })
  if (!stat?.isSymbolicLink()) return here
  return followLinks(resolve(dirname(here), readlinkSync(here)), depth + 1)
}
