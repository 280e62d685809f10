// scripts/test.ts on samples that pass, fail, skip, crash, hang on to the output, or are not there at all.
import { describe, expect, it } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"

const RUNNER = join(import.meta.dir, "../../scripts/test.ts")
const PASSES = sample(`test("good", () => { expect(1).toBe(1) })`)
const FAILS = sample(`test("good", () => {}); test("bad", () => { expect(1).toBe(2) })`)
const SKIPS = sample(`
  test("good", () => {})
  describe("group", () => { test.skip("left out", () => {}); test.skipIf(true)("not here", () => {}) })
  test.todo("later")
`)

describe("npm test", () => {
  it("passes when all pass, streams their output, and ends with the summary", async () => {
    const result = await run({ "a.test.ts": PASSES, "b.test.ts": sample(`test("b", () => console.log("shown"))`) })
    expect(result).toMatchObject({ exitCode: 0, summary: "2 passed, 0 failed" })
    expect(result.output).toContain("shown")
    expect(result.output).toContain("(pass) good")
  })

  it("fails when one fails", async () => {
    expect(await run({ "a.test.ts": FAILS })).toMatchObject({ exitCode: 1, summary: "1 passed, 1 failed" })
  })

  it("counts skipped, conditional and todo tests as skipped", async () => {
    const result = await run({ "a.test.ts": SKIPS })
    expect(result).toMatchObject({ exitCode: 0, summary: "1 passed, 0 failed, 3 skipped" })
  })

  it.each([
    ["--no-skips", ["./", "--no-skips"], {}],
    ["CI=true", ["./"], { CI: "true" }],
  ])("fails on skipped tests with %s and says which", async (_, args, env) => {
    const result = await run({ "a.test.ts": SKIPS }, args, env)
    expect(result).toMatchObject({ exitCode: 1, summary: "1 passed, 0 failed, 3 skipped" })
    for (const name of ["group > left out", "group > not here", "later"]) {
      expect(result.output).toContain(`skipped, which is not allowed here: a.test.ts: ${name}\n`)
    }
  })

  it("passes with CI=true when nothing is skipped", async () => {
    expect(await run({ "a.test.ts": PASSES }, ["./"], { CI: "true" })).toMatchObject({ exitCode: 0 })
  })

  it("names skipped tests also where Bun would hide them from a program", async () => {
    const result = await run({ "a.test.ts": SKIPS }, ["./", "--no-skips"], { CLAUDECODE: "1" })
    expect(result.output).toContain("a.test.ts: group > left out")
  })

  it.each([
    ["throws while loading", `throw new Error("at the top")`],
    ["does not parse", `test("a", () => { ( })`],
    ["imports what is not there", `import { gone } from "./gone.ts"\ntest("a", () => gone())`],
  ])("counts a file that %s as a failure", async (_, source) => {
    const result = await run({ "a.test.ts": PASSES, "broken.test.ts": sample(source) })
    expect(result).toMatchObject({ exitCode: 1, summary: "1 passed, 1 failed" })
  })

  it("counts a hook that throws as a failure", async () => {
    const source = sample(`beforeAll(() => { throw new Error("no") })\ntest("a", () => {})`)
    expect(await run({ "a.test.ts": source })).toMatchObject({ exitCode: 1, summary: "0 passed, 1 failed" })
  })

  it.each([
    ["leaves with exit code 0", `process.exit(0)`, "with exit code 0"],
    ["leaves with exit code 7", `process.exit(7)`, "with exit code 7"],
    ["kills its process", `process.kill(process.pid, "SIGKILL")`, "by SIGKILL"],
  ])("counts a test that %s as a failure", async (_, statement, how) => {
    const result = await run({ "a.test.ts": sample(`test("good", () => {})\ntest("ends", () => { ${statement} })`) })
    expect(result).toMatchObject({ exitCode: 1, summary: "1 passed, 1 failed" })
    expect(result.output).toContain(`the tests ended early, ${how}`)
  })

  it.each([
    ["there are no test files", {}, ["./"]],
    ["the filter matches no file", { "a.test.ts": PASSES }, ["elsewhere"]],
    ["the filter matches no name", { "a.test.ts": PASSES }, ["./", "-t", "elsewhere"]],
    ["a test file has no tests", { "a.test.ts": "export {}\n" }, ["./"]],
  ])("fails when %s", async (_, files, args) => {
    const result = await run(files, args)
    expect(result).toMatchObject({ exitCode: 1, summary: "0 passed, 0 failed" })
    expect(result.output).toContain("no test ran\n")
  })

  it("fails when everything is skipped", async () => {
    const result = await run({ "a.test.ts": sample(`test.skip("a", () => {})`) })
    expect(result).toMatchObject({ exitCode: 1, summary: "0 passed, 0 failed, 1 skipped" })
  })

  it("is not misled by tests that print something like a summary", async () => {
    const source = sample(`test("a", () => { console.error(" 9 pass\\n 0 fail\\nRan 9 tests across 1 file.\\n") })`)
    expect(await run({ "a.test.ts": source })).toMatchObject({ summary: "1 passed, 0 failed" })
  })

  it("reads a summary that speaks of snapshots", async () => {
    const source = sample(`test("a", () => { expect(1).toMatchSnapshot() })`)
    expect(await run({ "a.test.ts": source })).toMatchObject({ exitCode: 0, summary: "1 passed, 0 failed" })
  })

  it("does not wait for a process that a test left behind", async () => {
    const source = sample(
      `test("a", () => { Bun.spawn(["sleep", "8"], { stdio: ["ignore", "inherit", "inherit"] }).unref() })`,
    )
    const start = Date.now()
    expect(await run({ "a.test.ts": source })).toMatchObject({ exitCode: 0, summary: "1 passed, 0 failed" })
    expect(Date.now() - start).toBeLessThan(7_000)
  })

  it("passes filters on, and looks into src and test when there are none", async () => {
    const files = { "src/one.test.ts": PASSES, "test/two.test.ts": PASSES, "elsewhere/three.test.ts": FAILS }
    expect(await run(files, [])).toMatchObject({ exitCode: 0, summary: "2 passed, 0 failed" })
    expect(await run(files, ["one"])).toMatchObject({ exitCode: 0, summary: "1 passed, 0 failed" })
    expect(await run(files, ["-t", "good"])).toMatchObject({ exitCode: 0, summary: "2 passed, 0 failed" })
    expect(await run(files, ["three"])).toMatchObject({ exitCode: 1, summary: "1 passed, 1 failed" })
  })

  it("reports what came out so far when interrupted", async () => {
    using scratch = makeScratch("runner")
    const hangs = `test("good", () => {})\ntest("hangs", async () => { console.log("now"); await new Promise(() => {}) })`
    writeFileSync(join(scratch.path, "a.test.ts"), sample(hangs))
    const child = start(scratch.path, ["./"], {})
    let output = ""
    let isInterrupted = false
    for await (const chunk of child.stdout) {
      output += new TextDecoder().decode(chunk)
      // They come from two streams, in any order.
      if (isInterrupted || !["now\n", "(pass) good"].every((sign) => output.includes(sign))) continue
      isInterrupted = true
      child.kill("SIGTERM")
    }
    expect(await child.exited).toBe(1)
    expect(output).toEndWith("\n1 passed, 1 failed\n")
  })
})

function sample(body: string): string {
  return `import { beforeAll, describe, expect, test } from "bun:test"\n${body}\n`
}

async function run(files: Record<string, string>, args: string[] = ["./"], env: Record<string, string> = {}) {
  using scratch = makeScratch("runner")
  for (const [name, source] of Object.entries(files)) {
    mkdirSync(dirname(join(scratch.path, name)), { recursive: true })
    writeFileSync(join(scratch.path, name), source)
  }
  const child = start(scratch.path, args, env)
  const lines: string[] = []
  let output = ""
  for await (const chunk of child.stdout) output += new TextDecoder().decode(chunk)
  lines.push(...output.trimEnd().split("\n"))
  return { exitCode: await child.exited, output, summary: lines.at(-1) }
}

function start(cwd: string, args: string[], env: Record<string, string>) {
  return Bun.spawn([process.execPath, RUNNER, ...args], { cwd, env: sandboxEnv(env), stderr: "inherit" })
}
