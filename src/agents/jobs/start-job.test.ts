import { expect, test } from "bun:test"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch, sandboxEnv } from "../../../test/support/sandbox.ts"
import type { JobRequest } from "./job-folder.ts"
import { startJob } from "./start-job.ts"

const REQUEST: JobRequest = {
  jobId: "j1",
  agent: "script",
  prompt: "echo hunter-two",
  workspace: "/",
  model: null,
  tier: "haiku",
  effort: null,
  permission: "edit",
  timeMs: null,
  createdAt: "2026-01-01T00:00:00.000Z",
}

function start(home: string, script: string) {
  const env = { ...sandboxEnv(), DEPLOY_TOKEN: "hunter-two" }
  return startJob({ home, request: REQUEST, command: ["sh", "-c", script, "sh"], cwd: home, env })
}

test("a process that takes over gets the request as it is and the name of its job", async () => {
  using scratch = makeScratch()
  const folder = await start(scratch.path, 'cat > "$0.$1"; echo started')
  expect(JSON.parse(await Bun.file(join(scratch.path, "sh.j1")).text())).toEqual(REQUEST)
  expect(folder.job.prompt).toBe("echo ***")
})

test("one that ends without a word leaves no job, and says why", async () => {
  using scratch = makeScratch()
  await expect(start(scratch.path, "echo broken hunter-two >&2; exit 1")).rejects.toMatchObject({
    code: "job.failed",
    message: "the job could not be started: broken ***",
  })
  expect(readdirSync(join(scratch.path, "jobs"))).toEqual([])
})

test("a home that cannot hold jobs is told of", async () => {
  using scratch = makeScratch()
  writeFileSync(join(scratch.path, "jobs"), "")
  await expect(start(scratch.path, "echo started")).rejects.toMatchObject({ code: "job.failed" })
})
