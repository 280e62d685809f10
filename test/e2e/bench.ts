// A place to use the command line in: a home and a working folder of its own, and short ways to say what is expected.
import { Database } from "bun:sqlite"
import { expect } from "bun:test"
import { chmodSync, cpSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { type CliResult, type RunCliOptions, runCli } from "../support/run-cli.ts"
import { runInProcess } from "../support/run-in-process.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"

export const MAIN = join(import.meta.dir, "../../src/bin/main.ts")
export const IS_ROOT = process.getuid?.() === 0
/** Each of these tests starts a handful of processes, on a machine that may be busy. */
export const TEST_TIMEOUT_MS = 30_000
/** Long enough for a busy machine; nothing waits for it unless something is wrong. */
const PATIENCE_MS = 25_000

export type Data = Record<string, unknown>

export interface Bench extends Disposable {
  readonly home: string
  /** Outside of any repository, so the project is `shop` and the team `main`. */
  readonly cwd: string
  run(args: readonly string[], options?: RunCliOptions): Promise<CliResult>
  /** Runs a command that must succeed, in this process; what it answered. */
  ok<T = Data>(...args: string[]): Promise<T>
  /** Runs a command that must be refused with this code; its message. */
  refused(code: string, ...args: string[]): Promise<string>
  /** Runs a command for people that must succeed; what it printed. */
  text(...args: string[]): Promise<string>
  /** Starts a command that goes on until it is stopped. */
  start(args: readonly string[], env?: Record<string, string>): Live
  /** Every row of every table. */
  dump(): Record<string, unknown[]>
  /** Changes the database behind the program's back. */
  tamper(sql: string): void
}

/**
 * An empty bench, or a copy of another one. `run` and `start` start the program as a user does, unless `runInProcess` is
 * given. What only prepares or asks (`ok`, `refused`, `text`) runs in this process, which takes a tenth of the time.
 */
export function makeBench(original?: Bench, runCommand: typeof runInProcess = runCli): Bench {
  const scratch = makeScratch("bench")
  chmodSync(scratch.path, 0o755)
  const home = join(scratch.path, "home")
  const cwd = join(scratch.path, "shop")
  mkdirSync(cwd)
  if (original === undefined) mkdirSync(home)
  else cpSync(original.home, home, { recursive: true })
  const file = join(home, "teamwork.db")
  const run: Bench["run"] = (args, options = {}) => runCommand(args, { home, cwd, ...options })
  const ask = (args: readonly string[]) => runInProcess(args, { home, cwd })
  return {
    home,
    cwd,
    run,
    async ok<T>(...args: string[]) {
      const result = await ask(args)
      if (result.exitCode !== 0) throw new Error(`${args.join(" ")}: exit code ${result.exitCode}\n${result.stderr}`)
      const answer = result.json<{ status: string; data: T }>()
      expect(answer.status).toBe("success")
      return answer.data
    },
    async refused(code, ...args) {
      const result = await ask([...args, "--json"])
      const answer = readError(result)
      expect({ args, code: answer.code }).toEqual({ args, code })
      return answer.message
    },
    async text(...args) {
      const result = await ask([...args, "--format", "table"])
      expect(result).toMatchObject({ exitCode: 0 })
      return result.stdout
    },
    start: (args, env) => startLive(args, cwd, { HOME: home, TEAMWORK_TEST_BASE_DIR: home, ...env }),
    dump() {
      if (!existsSync(file)) return {}
      using db = new Database(file)
      const tables = db.query("select name from sqlite_master where type = 'table' order by name").all()
      return Object.fromEntries(
        (tables as { name: string }[]).map(({ name }) => [name, db.query(`select * from "${name}"`).all()]),
      )
    },
    tamper(sql) {
      using db = new Database(file)
      db.run(sql)
    },
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  }
}

export interface ErrorAnswer {
  readonly status: "error"
  readonly code: string
  readonly message: string
  readonly details: Data
}

/** The error a command printed because of `--json`: one line on the error output and nothing else. */
export function readError(result: CliResult): ErrorAnswer {
  expect(result.stdout).toBe("")
  expect(result.stderr).toMatch(/^\{[^\n]*\}\n$/)
  const answer = JSON.parse(result.stderr) as ErrorAnswer
  expect(answer.status).toBe("error")
  return answer
}

export interface Live extends AsyncDisposable {
  readonly pid: number
  /** What came so far. */
  readonly out: readonly string[]
  readonly err: readonly string[]
  /** The first line, from the beginning on, that fits; waits for it. */
  untilLine(stream: "out" | "err", fits: (line: string) => boolean): Promise<string>
  stop(signal?: NodeJS.Signals): Promise<number | null>
  readonly exited: Promise<number>
}

function startLive(args: readonly string[], cwd: string, env: Record<string, string>): Live {
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    cwd,
    env: sandboxEnv(env),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const lines = { out: [] as string[], err: [] as string[] }
  const read = async (stream: ReadableStream<Uint8Array>, into: string[]) => {
    let rest = ""
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n")
      rest = parts.pop() ?? ""
      into.push(...parts)
    }
  }
  const drained = Promise.all([read(child.stdout, lines.out), read(child.stderr, lines.err)])
  const stop = async (signal: NodeJS.Signals = "SIGINT") => {
    child.kill(signal)
    await Promise.all([child.exited, drained])
    return child.exitCode
  }
  return {
    pid: child.pid,
    ...lines,
    async untilLine(stream, fits) {
      await until(
        () => lines[stream].some(fits),
        () => JSON.stringify(lines),
      )
      return lines[stream].find(fits) ?? ""
    },
    stop,
    exited: child.exited.then(async (code) => {
      await drained
      return code
    }),
    async [Symbol.asyncDispose]() {
      await stop("SIGKILL")
    },
  }
}

export async function until(
  condition: () => boolean | Promise<boolean>,
  describe: () => string = () => "",
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited in vain ${describe()}`)
    await Bun.sleep(5)
  }
}

/** `git` in a folder, with the sandbox's settings. */
export function git(cwd: string, ...args: string[]): string {
  const { success, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd, env: sandboxEnv() })
  if (!success) throw new Error(`git ${args.join(" ")}: ${stderr}`)
  return stdout.toString().trim()
}
