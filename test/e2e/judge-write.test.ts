// The command that agents run before each use of a tool, as the process that it is.
import { expect, it } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { JUDGE_WRITE, owning } from "../support/agents.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"

async function judge(folder: string, use: unknown, env = sandboxEnv()) {
  const file = join(folder, "ownership.json")
  writeFileSync(file, JSON.stringify({ workspace: join(folder, "work"), ownership: owning("src/**") }))
  const stdin = new TextEncoder().encode(typeof use === "string" ? use : JSON.stringify(use))
  const child = Bun.spawn([...JUDGE_WRITE, file], { cwd: folder, env, stdin, stdout: "pipe", stderr: "pipe" })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, exitCode }
}

it("says nothing to what is owned, and why to what is not", async () => {
  using scratch = makeScratch()
  mkdirSync(join(scratch.path, "work/src"), { recursive: true })
  symlinkSync("/etc", join(scratch.path, "work/src/link"))
  const write = (file_path: string) => judge(scratch.path, { tool_name: "Write", tool_input: { file_path } })
  expect(await write("src/a.txt")).toEqual({ stdout: "", stderr: "", exitCode: 0 })
  expect(await write(join(scratch.path, "work/src/a.txt"))).toMatchObject({ exitCode: 0 })
  expect(await write("b.txt")).toEqual({
    stdout: "",
    stderr: expect.stringMatching(/^"b\.txt" does not belong to task 1, which owns src\/\*\*; ask the lead: .*\n$/),
    exitCode: 2,
  })
  expect(await write("src/link/passwd")).toMatchObject({ exitCode: 2 })
  expect(await judge(scratch.path, { tool_name: "Read", tool_input: { file_path: "b.txt" } })).toMatchObject({
    exitCode: 0,
  })
  expect(await judge(scratch.path, { tool_name: "list" })).toMatchObject({ exitCode: 0 })
})

it("fails for what it does not understand, which its caller takes for a denial", async () => {
  using scratch = makeScratch()
  for (const use of ["", "no json", "null"]) {
    const { exitCode, stderr } = await judge(scratch.path, use)
    expect(exitCode).not.toBe(0)
    expect(stderr.trim().split("\n")).toHaveLength(1)
  }
})

it("needs neither a home nor settings", async () => {
  using scratch = makeScratch()
  const use = { tool_name: "Write", tool_input: { file_path: "src/a.txt" } }
  const env = { PATH: process.env.PATH ?? "", HOME: "/nowhere", TEAMWORK_STORE: "nonsense" }
  expect(await judge(scratch.path, use, env)).toEqual({ stdout: "", stderr: "", exitCode: 0 })
})
