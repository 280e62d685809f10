import { expect, it } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch, sandboxEnv } from "../../test/support/sandbox.ts"
import { findCheckout } from "./find-checkout.ts"

function git(cwd: string, ...args: string[]): void {
  const { success, stderr } = Bun.spawnSync(["git", ...args], { cwd, env: sandboxEnv() })
  if (!success) throw new Error(stderr.toString())
}

it("finds the checkout of any place in it, and what all checkouts share", () => {
  using scratch = makeScratch()
  const [repository, worktree, alone] = ["repository", "worktree", "alone"].map((name) => join(scratch.path, name))
  if (repository === undefined || worktree === undefined || alone === undefined) throw new Error("never")
  mkdirSync(repository)
  git(repository, "init", "--quiet", "--initial-branch=main")
  git(repository, "commit", "--quiet", "--allow-empty", "--message=first")
  git(repository, "worktree", "add", "--quiet", "-b", "side", worktree)
  const commonDir = join(repository, ".git")
  expect(findCheckout(repository)).toEqual({ root: repository, commonDir })
  expect(findCheckout(join(repository, "not/there/yet.ts"))).toEqual({ root: repository, commonDir })
  expect(findCheckout(join(repository, ".git/config"))).toEqual({ root: repository, commonDir })
  expect(findCheckout(join(worktree, "a.ts"))).toEqual({ root: worktree, commonDir })
  mkdirSync(alone)
  expect(findCheckout(alone)).toBeUndefined()
  writeFileSync(join(alone, ".git"), "nonsense")
  expect(findCheckout(join(alone, ".git/x"))).toEqual({ root: alone, commonDir: join(alone, ".git") })
})
