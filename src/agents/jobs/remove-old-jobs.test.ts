import { expect, it } from "bun:test"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch, safeDelete } from "../../../test/support/sandbox.ts"
import { findJobFolder, type JobRequest, makeJobFolder, writeResult } from "./job-folder.ts"
import { EMPTY_RESULT, settleJob } from "./job-state.ts"
import { removeOldJobs } from "./remove-old-jobs.ts"

const NOW = Date.parse("2026-11-15T12:00:00Z")
const MACHINE = { clock: { now: () => NOW }, env: {} }
const OLD = "2026-10-01T12:00:00.000Z"

function makeOldJob(home: string, jobId: string) {
  const what = { agent: "script", prompt: "true", workspace: "/", model: null, effort: null, timeMs: null } as const
  const job: JobRequest = { ...what, jobId, tier: "sonnet", permission: "edit", createdAt: OLD }
  const folder = makeJobFolder(home, job)
  writeResult(folder, { ...EMPTY_RESULT, reason: "done", error: "", durationMs: 1, finishedAt: OLD })
  return folder
}

it("goes on where another one removes the same jobs, and each is removed by one", async () => {
  using scratch = makeScratch()
  const ids = Array.from({ length: 20 }, (_, number) => `job-${number}`)
  for (const id of ids) makeOldJob(scratch.path, id)
  const removal = { home: scratch.path, maxAgeDays: 14, dryRun: false }
  const both = await Promise.all([removeOldJobs(removal, MACHINE), removeOldJobs(removal, MACHINE)])
  expect(
    both
      .flat()
      .map(({ jobId }) => jobId)
      .toSorted(),
  ).toEqual(ids.toSorted())
  expect(readdirSync(join(scratch.path, "jobs"))).toEqual([])
})

it("removes what one who was killed had only taken away, and nobody takes that for a job", async () => {
  using scratch = makeScratch()
  const left = join(scratch.path, "jobs", ".half")
  mkdirSync(left, { recursive: true })
  writeFileSync(join(left, "job.json"), JSON.stringify({ jobId: "half", agent: "script", createdAt: OLD }))
  const removal = { home: scratch.path, maxAgeDays: 14, dryRun: true }
  expect(await removeOldJobs(removal, MACHINE)).toEqual([])
  expect(existsSync(left)).toBe(true)
  expect(await removeOldJobs({ ...removal, dryRun: false }, MACHINE)).toEqual([])
  expect(existsSync(left)).toBe(false)
})

it("lets whoever looks at a job see its end although it is removed at that moment", async () => {
  using scratch = makeScratch()
  makeOldJob(scratch.path, "gone")
  const folder = findJobFolder(scratch.path, "gone")
  safeDelete(folder.path)
  expect(await settleJob(folder, MACHINE)).toMatchObject({ reason: "crashed" })
  expect(existsSync(folder.path)).toBe(false)
})
