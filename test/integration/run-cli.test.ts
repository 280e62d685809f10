import { describe, expect, it } from "bun:test"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCli } from "../support/run-cli.ts"
import { makeScratch, testBase } from "../support/sandbox.ts"

const ECHO = `
  const { env, argv } = process
  console.error("to stderr")
  console.log(JSON.stringify({ args: argv.slice(2), env, cwd: process.cwd(), uid: process.getuid(),
    input: await Bun.stdin.text() }))
  process.exit(Number(env.CODE ?? 0))
`
interface Echo {
  args: string[]
  env: Record<string, string>
  cwd: string
  uid: number
  input: string
}

describe("runCli", () => {
  it("gives exit code, both outputs and JSON of a real process in the sandbox", async () => {
    using scratch = makeScratch()
    const script = writeScript(scratch.path, ECHO)
    const result = await runCli(["a", "b c"], { script, env: { CODE: "3" }, input: "héllo\n" })
    expect(result).toMatchObject({ exitCode: 3, signal: null, stderr: "to stderr\n" })
    const echo = result.json<Echo>()
    expect(echo).toMatchObject({ args: ["a", "b c"], input: "héllo\n" })
    expect(echo.env.HOME).toStartWith(testBase())
  })

  it("keeps runs with different homes apart", async () => {
    using scratch = makeScratch()
    const script = writeScript(scratch.path, ECHO)
    const echo = (await runCli([], { script, home: scratch.path })).json<Echo>()
    expect(echo.env).toMatchObject({ HOME: scratch.path, TEAMWORK_TEST_BASE_DIR: scratch.path })
    expect(echo).toMatchObject({ cwd: scratch.path, input: "" })
    expect(echo.env.XDG_CONFIG_HOME).toBeUndefined()
  })

  it("says what came instead of JSON", async () => {
    using scratch = makeScratch()
    const script = writeScript(scratch.path, "console.error('why'); console.log('plain')")
    const result = await runCli([], { script })
    expect(() => result.json()).toThrow(/exit code 0.*plain.*why/s)
  })

  it("ends a program that hangs", async () => {
    using scratch = makeScratch()
    const script = writeScript(scratch.path, "setInterval(() => {}, 1000)")
    expect(await runCli([], { script, timeoutMs: 200 })).toMatchObject({ exitCode: null, signal: "SIGKILL" })
  })

  it("can run as another user when root, as ourselves otherwise", async () => {
    using scratch = makeScratch()
    chmodSync(scratch.path, 0o755)
    const script = writeScript(scratch.path, ECHO)
    const self = process.getuid?.() ?? -1
    const uid = self === 0 ? 65534 : self
    const reachable = Bun.spawnSync(["test", "-x", process.execPath], { uid, gid: uid, cwd: "/" }).success
    const run = runCli([], { script, cwd: "/", uid })
    if (reachable) expect((await run).json<Echo>().uid).toBe(uid)
    else await expect(run).rejects.toThrow(`user ${uid} cannot reach`)
  })
})

function writeScript(folder: string, source: string): string {
  const path = join(folder, "script.ts")
  writeFileSync(path, source)
  return path
}
