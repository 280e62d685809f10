import { describe, expect, it } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch, sandboxEnv } from "../../test/support/sandbox.ts"
import { capture } from "../lib/process/capture.ts"
import { sleep } from "../lib/sleep.ts"
import { makeGit } from "./git.ts"

describe("git", () => {
  it("takes arguments as they are", async () => {
    const git = await fresh()
    const title = "; rm -rf . $(touch x) `y` \n -- 'z'"
    await git.read(["commit", "--allow-empty", "--quiet", "-m", title])
    expect(await git.read(["log", "-1", "--format=%B"])).toContain("; rm -rf . $(touch x) `y`")
  })

  it("is not led astray by the variables of an outer git", async () => {
    const folder = makeScratch().path
    const env = { ...sandboxEnv(), GIT_DIR: "/nowhere", GIT_INDEX_FILE: "/nowhere", GIT_WORK_TREE: "/nowhere" }
    const git = makeGit(folder, { capture, env, sleep })
    await git.read(["init", "--quiet"])
    expect(await git.read(["rev-parse", "--show-toplevel"])).toEndWith(folder.split("/").at(-1) ?? "")
  })

  it("runs no hook", async () => {
    const git = await fresh()
    const folder = await git.read(["rev-parse", "--show-toplevel"])
    mkdirSync(join(folder, ".git/hooks"), { recursive: true })
    writeFileSync(join(folder, ".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 })
    await git.read(["commit", "--allow-empty", "--quiet", "-m", "kept"])
    expect(await git.read(["log", "-1", "--format=%s"])).toBe("kept")
  })

  it("waits for another git process, and names the lock of one that stays", async () => {
    const git = await fresh()
    const folder = await git.read(["rev-parse", "--show-toplevel"])
    const lock = join(folder, ".git/index.lock")
    writeFileSync(lock, "")
    let pauses = 0
    const impatient = makeGit(folder, { capture, env: sandboxEnv(), sleep: async () => void pauses++ })
    writeFileSync(join(folder, "a"), "a")
    await expect(impatient.read(["add", "a"])).rejects.toMatchObject({ code: "git.locked" })
    expect(pauses).toBeGreaterThan(50)
    const patient = makeGit(folder, {
      capture,
      env: sandboxEnv(),
      sleep: () => Bun.file(lock).delete(),
    })
    await patient.read(["add", "a"])
    expect(await git.list(["ls-files", "-z"])).toEqual(["a"])
  })

  it("says what failed where", async () => {
    const git = await fresh()
    await expect(git.read(["rev-parse", "--verify", "nothing"])).rejects.toMatchObject({
      code: "git.failed",
      message: expect.stringContaining("Needed a single revision"),
    })
    await expect(git.in("/nowhere").read(["status"])).rejects.toMatchObject({ code: "git.failed" })
  })
})

async function fresh() {
  const git = makeGit(makeScratch().path, { capture, env: sandboxEnv(), sleep })
  await git.read(["init", "--quiet", "--initial-branch=main"])
  await git.read(["config", "user.name", "Test"])
  await git.read(["config", "user.email", "test@example.com"])
  return git
}
