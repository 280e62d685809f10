import { describe, expect, it } from "bun:test"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCli } from "../support/run-cli.ts"
import { makeScratch, testBase } from "../support/sandbox.ts"

const ECHO = `
  const { env, argv } = process
  console.error("to stderr")
  console.log(JSON.stringify({ args: argv.slice(2), env, cwd: process.cwd(),
    input: await Bun.stdin.text() }))
  process.exit(Number(env.CODE ?? 0))
`
interface Echo {
  args: string[]
  env: Record<string, string>
  cwd: string
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

  it("can be held to file permissions, root as well", async () => {
    using scratch = makeScratch()
    const file = join(scratch.path, "file")
    writeFileSync(file, "as it was")
    chmodSync(file, 0o444)
    const script = writeScript(scratch.path, `require("node:fs").writeFileSync(${JSON.stringify(file)}, "changed")`)
    expect(await runCli([], { script, obeysPermissions: true })).toMatchObject({ exitCode: 1 })
    expect(readFileSync(file, "utf8")).toBe("as it was")
  })
})

function writeScript(folder: string, source: string): string {
  const path = join(folder, "script.ts")
  writeFileSync(path, source)
  return path
}
