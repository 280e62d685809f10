import { expect, it } from "bun:test"
import { join } from "node:path"
import { makeScratch, sandboxEnv } from "../../../test/support/sandbox.ts"
import { processesIn } from "./processes-in.ts"

it.skipIf(process.platform !== "linux")("finds who works in a folder, or was told of it, by name", async () => {
  using scratch = makeScratch()
  using other = makeScratch()
  const stdio = ["pipe", "ignore", "ignore"] as ["pipe", "ignore", "ignore"]
  const inside = Bun.spawn(["cat"], { cwd: scratch.path, env: sandboxEnv(), stdio })
  const told = Bun.spawn(["cat", "-", join(scratch.path, "file")], { cwd: other.path, env: sandboxEnv(), stdio })
  const elsewhere = Bun.spawn(["cat"], { cwd: other.path, env: sandboxEnv(), stdio })
  try {
    expect(processesIn([scratch.path], /^cat$/)?.toSorted()).toEqual([inside.pid, told.pid].toSorted())
    expect(processesIn([scratch.path], /^git/)).toEqual([])
    expect(processesIn([`${scratch.path}x`], /^cat$/)).toEqual([])
  } finally {
    for (const child of [inside, told, elsewhere]) child.kill()
    await Promise.all([inside.exited, told.exited, elsewhere.exited])
  }
})
