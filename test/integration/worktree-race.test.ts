// Git looks at all worktrees when it makes one, and stumbles over one that is being made at that moment.
import { expect, it } from "bun:test"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeGit } from "../../src/git/git.ts"
import { capture } from "../../src/lib/process/capture.ts"
import { sleep } from "../../src/lib/sleep.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { makeRepository } from "../support/team-runs.ts"

it("waits for a worktree that is only half made by another git", async () => {
  using scratch = makeScratch()
  makeRepository(scratch.path)
  // As git leaves it between making the folder and writing what belongs in there.
  const half = join(scratch.path, ".git/worktrees/half")
  mkdirSync(half, { recursive: true })
  writeFileSync(join(half, "locked"), "initializing")
  writeFileSync(join(half, "gitdir"), `${scratch.path}/elsewhere/.git\n`)
  writeFileSync(join(half, "HEAD"), "0000000000000000000000000000000000000000\n")
  writeFileSync(join(half, "commondir"), "")
  let pauses = 0
  const finishes = async (ms: number) => {
    if (++pauses === 3) rmSync(half, { recursive: true })
    await sleep(Math.min(ms, 5))
  }
  const git = makeGit(scratch.path, { capture, env: sandboxEnv(), sleep: finishes })
  await git.read(["worktree", "add", "--quiet", "-B", "other", join(scratch.path, "other"), "main"])
  expect(pauses).toBe(3)
})
