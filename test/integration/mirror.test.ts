// A folder that follows a team: whatever happens, it has the same bytes as one that is written afresh.
import { describe, expect, it } from "bun:test"
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { exportTeam, type MirrorReport, mirrorTeam, openMirror } from "../../src/files/mirror/mirror.ts"
import { inspectMirrorFolder } from "../../src/files/mirror/mirror-folder.ts"
import { AppError } from "../../src/kernel/errors.ts"
import type { TeamName } from "../../src/kernel/team.ts"
import { readMailbox } from "../../src/messages/operations/read-mailbox.ts"
import { sendMessage } from "../../src/messages/operations/send-message.ts"
import { recordVerdict } from "../../src/quality/operations/record-verdict.ts"
import { loopState } from "../../src/sessions/operations/read-loop-state.ts"
import type { Context } from "../../src/store/operation.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { deleteTask } from "../../src/tasks/operations/delete-task.ts"
import { heartbeatTask } from "../../src/tasks/operations/heartbeat-task.ts"
import { addEvidence, withdrawEvidence } from "../../src/tasks/operations/record-evidence.ts"
import { releaseTask } from "../../src/tasks/operations/release-task.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { calculateWaves, updateWave } from "../../src/tasks/operations/wave-status.ts"
import { cleanTeam } from "../../src/teams/operations/clean-team.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { pause, resume } from "../../src/teams/operations/pause.ts"
import { updateTeam } from "../../src/teams/operations/update-team.ts"
import { setupWorker } from "../../src/workers/operations/setup-worker.ts"
import { makeScratch } from "../support/sandbox.ts"
import { context, refusal, run, STORES, TEAM, until } from "../support/stores.ts"

const MANIFEST = ".teamwork-export.jsonl"

/** Every file below, without the manifest: that of a mirror is a log. */
function contentsOf(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => !path.includes(".teamwork-export") && statSync(join(folder, path)).isFile(),
  )
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(folder, path), "latin1")]))
}

type Step = (ctx: Context, team: string) => Promise<unknown>

/** Operations over a handful of tasks and workers; some are refused, and then nothing happens. */
const id = fc.integer({ min: 1, max: 8 }).map(String)
const owner = fc.constantFrom("w1", "w2", "w3")
const steps: fc.Arbitrary<Step>[] = [
  fc.tuple(fc.array(id, { maxLength: 2 }), fc.constantFrom("docs", "worker")).map(
    ([blockedBy, role]): Step =>
      (ctx, team) =>
        run(ctx, createTask, { team, title: "t 🚀", blockedBy, role: role as "docs" }),
  ),
  owner.map(
    (owner): Step =>
      (ctx, team) =>
        run(ctx, claimTask, { team, next: true, owner }),
  ),
  owner.map(
    (owner): Step =>
      (ctx, team) =>
        run(ctx, claimTask, { team, next: true, owner, role: "docs" }),
  ),
  fc.tuple(id, owner).map(
    ([id, owner]): Step =>
      (ctx, team) =>
        run(ctx, heartbeatTask, { team, id, owner }),
  ),
  fc.tuple(id, fc.option(owner, { nil: undefined })).map(
    ([id, workerId]): Step =>
      (ctx, team) =>
        run(ctx, updateTask, { team, id, workerId, status: "resolved", addEvidence: ["12 passed"] }),
  ),
  fc
    .tuple(id, fc.constantFrom<"failed" | "skipped" | "in_review" | "open">("failed", "skipped", "in_review", "open"))
    .map(
      ([id, status]): Step =>
        (ctx, team) =>
          run(ctx, updateTask, { team, id, status, workerId: "w1" }),
    ),
  id.map(
    (id): Step =>
      (ctx, team) =>
        run(ctx, updateTask, { team, id, title: "renamed", assignee: "w2" }),
  ),
  fc.tuple(id, id).map(
    ([id, other]): Step =>
      (ctx, team) =>
        run(ctx, updateTask, { team, id, addBlockedBy: [other] }),
  ),
  id.map(
    (id): Step =>
      (ctx, team) =>
        run(ctx, releaseTask, { team, id }),
  ),
  id.map(
    (id): Step =>
      (ctx, team) =>
        run(ctx, reopenTask, { team, id }),
  ),
  id.map(
    (id): Step =>
      (ctx, team) =>
        run(ctx, deleteTask, { team, id, force: true }),
  ),
  id.map(
    (id): Step =>
      (ctx, team) =>
        run(ctx, addEvidence, { team, id, addEvidence: ["seen"] }),
  ),
  id.map(
    (id): Step =>
      (ctx, team) =>
        run(ctx, withdrawEvidence, { team, id, number: 1 }),
  ),
  fc.tuple(owner, owner).map(
    ([from, to]): Step =>
      (ctx, team) =>
        run(ctx, sendMessage, { team, from, to, message: "hi" }),
  ),
  fc.constant<Step>((ctx, team) => run(ctx, sendMessage, { team, from: "lead", to: "all", message: "all" })),
  fc.constantFrom("w1", "w2", "orchestrator").map(
    (inbox): Step =>
      (ctx, team) =>
        run(ctx, readMailbox, { team, inbox, unreadOnly: true, markRead: true, limit: 2 }),
  ),
  fc.constant<Step>((ctx, team) => run(ctx, calculateWaves, { team })),
  fc.constantFrom<"verified" | "failed">("verified", "failed").map(
    (status): Step =>
      (ctx, team) =>
        run(ctx, updateWave, { team, wave: 1, status }),
  ),
  fc.constantFrom("1", "2").map(
    (subject): Step =>
      (ctx, team) =>
        run(ctx, recordVerdict, { team, scope: "wave", subject, status: "passed", check: ["build=passed:ok"] }),
  ),
  fc.constantFrom<"passed" | "failed">("passed", "failed").map(
    (status): Step =>
      (ctx, team) =>
        run(ctx, recordVerdict, { team, scope: "final", status }),
  ),
  fc.option(id, { nil: undefined }).map(
    (task): Step =>
      (ctx, team) =>
        run(ctx, pause, { team, task, reason: "lunch" }),
  ),
  fc.option(id, { nil: undefined }).map(
    (task): Step =>
      (ctx, team) =>
        run(ctx, resume, { team, task }),
  ),
  owner.map(
    (workerId): Step =>
      (ctx, team) =>
        run(ctx, pause, { team, workerId }),
  ),
  fc.option(owner, { nil: undefined }).map(
    (workerId): Step =>
      (ctx, team) =>
        run(ctx, setupWorker, { team, workerId }),
  ),
  fc.constant<Step>((ctx, team) => run(ctx, updateTeam, { team, goal: "another", schedule: "eager" })),
  fc.tuple(fc.constantFrom("t1", "t2"), fc.boolean()).map(
    ([terminalId, start]): Step =>
      (ctx, team) =>
        run(ctx, loopState, { team, terminalId, ...(start ? { start } : { clear: true }) }),
  ),
  fc.constant<Step>((ctx, team) => run(ctx, cleanTeam, { team, force: true })),
]
const create = steps[0]
const claim = steps[1]
if (create === undefined || claim === undefined) throw new Error("no steps")

/** Creates and claims often, or there would be little to change. */
const history = fc.array(
  fc.tuple(
    fc.oneof({ weight: 8, arbitrary: create }, { weight: 6, arbitrary: claim }, ...steps.slice(2)),
    fc.integer({ min: 0, max: 9 }),
  ),
  { minLength: 20, maxLength: 60, size: "max" },
)

/** Refusals are as good as any other step. */
async function perform(step: Step, ctx: Context, team: string): Promise<void> {
  try {
    await step(ctx, team)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

async function expectSameAsFresh(ctx: Context, name: TeamName, folder: string): Promise<void> {
  using scratch = makeScratch("fresh")
  await exportTeam(ctx, name, { folder: scratch.path })
  expect(contentsOf(folder)).toEqual(contentsOf(scratch.path))
}

/** Something of everything, in an order that works. */
async function playAll(ctx: Context, team: string, between: () => Promise<unknown> = async () => {}): Promise<void> {
  const steps: Step[] = [
    (ctx, team) => run(ctx, createTask, { team, title: "a", id: "a" }),
    (ctx, team) => run(ctx, createTask, { team, title: "b", id: "b", blockedBy: ["a"] }),
    (ctx, team) => run(ctx, createTask, { team, title: "c", id: "c" }),
    (ctx, team) => run(ctx, calculateWaves, { team }),
    (ctx, team) => run(ctx, claimTask, { team, id: "a", owner: "w1" }),
    (ctx, team) => run(ctx, heartbeatTask, { team, id: "a", owner: "w1" }),
    (ctx, team) => run(ctx, sendMessage, { team, from: "w1", to: "lead", message: "hello" }),
    (ctx, team) => run(ctx, updateTask, { team, id: "a", workerId: "w1", status: "resolved", addEvidence: ["seen"] }),
    (ctx, team) => run(ctx, readMailbox, { team, inbox: "lead", markRead: true, limit: 1 }),
    (ctx, team) => run(ctx, claimTask, { team, id: "c", owner: "w2" }),
    (ctx, team) => run(ctx, releaseTask, { team, id: "c" }),
    (ctx, team) => run(ctx, claimTask, { team, id: "c", owner: "w1" }),
    (ctx, team) => run(ctx, updateTask, { team, id: "c", status: "resolved" }),
    (ctx, team) => run(ctx, recordVerdict, { team, scope: "wave", subject: "1", status: "passed" }),
    (ctx, team) => run(ctx, createTask, { team, title: "d", id: "d" }),
    (ctx, team) => run(ctx, loopState, { team, start: true, terminalId: `t-${team}` }),
    (ctx, team) => run(ctx, pause, { team, reason: "lunch" }),
    (ctx, team) => run(ctx, deleteTask, { team, id: "b", force: true }),
    (ctx, team) => run(ctx, reopenTask, { team, id: "a" }),
  ]
  for (const step of steps) {
    await step(ctx, team)
    await between()
  }
}

describe("a mirror that is brought up to date", () => {
  it("has the bytes of a fresh export after any history", async () => {
    const make = STORES.sqlite
    if (make === undefined) throw new Error("no store")
    await using db = await make()
    const ctx = context(await db.connect())
    let histories = 0
    const play = async (actions: readonly (readonly [Step, number])[]) => {
      using scratch = makeScratch("mirror")
      const team = `t${++histories}`
      const name = { ...TEAM, team }
      await run(ctx, createTeam, { team, goal: "größer" })
      const mirror = await openMirror(ctx, name, { folder: scratch.path })
      for (const [step, dice] of actions) {
        await perform(step, ctx, team)
        if (dice < 6) await mirror.update()
        if (dice === 0) await mirror.putOverview()
      }
      await mirror.update()
      await mirror.putOverview()
      expect(mirror.takeReport().edited).toEqual([])
      await expectSameAsFresh(ctx, name, scratch.path)
      expect(inspectMirrorFolder(scratch.path)).toEqual({ edited: [], missing: [] })
      expect(await exportTeam(ctx, name, { folder: scratch.path })).toMatchObject({
        written: 0,
        removed: 0,
        edited: [],
      })
      for (const terminalId of ["t1", "t2"]) await run(ctx, loopState, { team, terminalId, clear: true })
    }
    await fc.assert(fc.asyncProperty(history, play), { numRuns: 60 })
  }, 180_000)

  for (const [kind, make] of Object.entries(STORES)) {
    it(`has the bytes of a fresh export after each step, on ${kind}`, async () => {
      await using db = await make()
      using scratch = makeScratch("mirror")
      const ctx = context(await db.connect())
      await run(ctx, createTeam, { goal: "a house" })
      const mirror = await openMirror(ctx, TEAM, { folder: scratch.path })
      await playAll(ctx, TEAM.team, async () => {
        await mirror.update()
        await mirror.putOverview()
        await expectSameAsFresh(ctx, TEAM, scratch.path)
      })
      expect(mirror.takeReport().edited).toEqual([])
      expect(Object.keys(contentsOf(scratch.path))).toEqual(
        expect.arrayContaining(["events.jsonl", "messages.jsonl", "verification/verdicts.jsonl", "waves.json"]),
      )
    })
  }

  it("writes little for a little change", async () => {
    await using scene = await makeScene()
    const { ctx, folder } = scene
    for (let count = 0; count < 20; count++) await run(ctx, createTask, { title: "t" })
    const mirror = await openMirror(ctx, TEAM, { folder })
    mirror.takeReport()
    await mirror.update()
    expect(mirror.isBehind()).toBe(false)
    await run(ctx, claimTask, { next: true, owner: "w1" })
    await mirror.update()
    // The task, the project, the worker and the log of events.
    expect(mirror.takeReport()).toEqual({ written: 4, removed: 0, unchanged: 0, edited: [] })
    expect(mirror.isBehind()).toBe(true)
    await mirror.putOverview()
    expect(mirror.isBehind()).toBe(false)
  })

  it("does nothing when another team is at work", async () => {
    await using scene = await makeScene()
    const { ctx, folder } = scene
    await run(ctx, createTeam, { team: "other", goal: "another" })
    const mirror = await openMirror(ctx, TEAM, { folder })
    mirror.takeReport()
    await run(ctx, createTask, { team: "other", title: "t" })
    await mirror.update()
    expect([mirror.isBehind(), mirror.takeReport().written]).toEqual([false, 0])
  })

  it("keeps what somebody wrote into the folder, and says so", async () => {
    await using scene = await makeScene()
    const { ctx, folder } = scene
    await run(ctx, createTask, { title: "t" })
    const mirror = await openMirror(ctx, TEAM, { folder })
    writeFileSync(join(folder, "tasks/1.json"), "mine")
    writeFileSync(join(folder, "events.jsonl"), "mine")
    await run(ctx, claimTask, { id: "1", owner: "w1" })
    await mirror.update()
    await mirror.putOverview()
    expect(mirror.takeReport().edited).toEqual(["events.jsonl", "tasks/1.json"])
    const { "edited/tasks/1.json": task, "edited/events.jsonl": log, ...rest } = contentsOf(folder)
    expect([task, log]).toEqual(["mine", "mine"])
    using fresh = makeScratch("fresh")
    await exportTeam(ctx, TEAM, { folder: fresh.path })
    expect(rest).toEqual(contentsOf(fresh.path))
  })
})

describe("an export", () => {
  it("is the same bytes each time, the manifest too", async () => {
    await using scene = await makeScene()
    await playAll(scene.ctx, TEAM.team)
    using other = makeScratch("other")
    const first = await exportTeam(scene.ctx, TEAM, { folder: scene.folder })
    expect(first).toMatchObject({ folder: scene.folder, removed: 0, unchanged: 0, edited: [] })
    await exportTeam(scene.ctx, TEAM, { folder: other.path })
    expect(contentsOf(other.path)).toEqual(contentsOf(scene.folder))
    expect(readFileSync(join(other.path, MANIFEST), "utf8")).toBe(readFileSync(join(scene.folder, MANIFEST), "utf8"))
    const again = await exportTeam(scene.ctx, TEAM, { folder: scene.folder })
    expect(again).toEqual({ ...first, written: 0, unchanged: first.written })
  })

  it("puts loop states where it is told to, beside those of other teams", async () => {
    await using scene = await makeScene()
    using loops = makeScratch("loops")
    const { ctx, folder } = scene
    await run(ctx, createTeam, { team: "other", goal: "another" })
    await run(ctx, loopState, { start: true, terminalId: "t1" })
    await run(ctx, loopState, { start: true, terminalId: "t2", team: "other" })
    const options = { folder, loopFolder: loops.path }
    const mirror = await openMirror(ctx, TEAM, options)
    await exportTeam(ctx, { ...TEAM, team: "other" }, { folder: join(folder, "../other"), loopFolder: loops.path })
    expect(Object.keys(contentsOf(loops.path))).toEqual(["t1.json", "t2.json"])
    expect(existsSync(join(folder, ".loop-state"))).toBe(false)
    await run(ctx, loopState, { clear: true, terminalId: "t1" })
    await mirror.update()
    expect(Object.keys(contentsOf(loops.path))).toEqual(["t2.json"])
    expect(mirror.takeReport().edited).toEqual([])
  })

  it("of a project that does not exist makes no folder", async () => {
    await using scene = await makeScene()
    const gone = exportTeam(scene.ctx, { ...TEAM, team: "nobody" }, { folder: join(scene.folder, "x") })
    expect((await refusal(gone)).code).toBe("team.not_found")
    expect(existsSync(scene.folder)).toBe(false)
  })
})

describe("a mirror that runs", () => {
  for (const [kind, make] of Object.entries(STORES)) {
    it(`follows what happens until it is told to stop, on ${kind}`, async () => {
      await using db = await make()
      using scratch = makeScratch("mirror")
      const ctx = context(await db.connect())
      await run(ctx, createTeam, { goal: "a house" })
      await using running = start(context(await db.connect()), scratch.path)
      await running.started
      await playAll(ctx, TEAM.team)
      await until(async () => contentsOf(scratch.path)["tasks/d.json"] !== undefined, "the last task")
      const isShown = async () => contentsOf(scratch.path)["WHITEBOARD.md"]?.includes("**d**")
      await until(isShown, "the last task on the whiteboard")
      await run(ctx, createTask, { title: "last", id: "last" })
      await running.stop()
      expect(running.reports.flatMap((report) => report.edited)).toEqual([])
      await expectSameAsFresh(ctx, TEAM, scratch.path)
    })
  }

  it("ends when its project is deleted, and leaves the files", async () => {
    await using scene = await makeScene()
    await using running = start(scene.ctx, scene.folder)
    await running.started
    await run(scene.ctx, cleanTeam, { purge: true })
    const error = await refusal(running.ended)
    expect([error.code, error.message]).toEqual(["team.not_found", expect.stringContaining("house/main was deleted")])
    expect(existsSync(join(scene.folder, "project.json"))).toBe(true)
  })

  it("writes everything again when the folder vanishes", async () => {
    await using scene = await makeScene()
    const { ctx, folder } = scene
    await run(ctx, createTask, { title: "t" })
    await using running = start(ctx, folder)
    await running.started
    for (const take of [() => rmSync(folder, { recursive: true }), () => renameSync(folder, `${folder}.away`)]) {
      take()
      await run(ctx, createTask, { title: "t" })
      await until(async () => existsSync(join(folder, MANIFEST)) && existsSync(join(folder, "team-session.json")))
    }
    await running.stop()
    await expectSameAsFresh(ctx, TEAM, folder)
    expect(running.reports.flatMap((report) => report.edited)).toEqual([])
  })

  it("can share its folder with another one", async () => {
    await using scene = await makeScene()
    const { ctx, folder } = scene
    await using first = start(context(await scene.connect()), folder)
    await using second = start(context(await scene.connect()), folder)
    await Promise.all([first.started, second.started])
    for (let round = 0; round < 10; round++) {
      await run(ctx, createTask, { title: "t" })
      const { task } = await run(ctx, claimTask, { next: true, owner: "w1" })
      await run(ctx, sendMessage, { from: "w1", to: "orchestrator", message: "hi" })
      await run(ctx, updateTask, { id: task.id, status: "resolved", workerId: "w1" })
      await run(ctx, readMailbox, { inbox: "orchestrator", markRead: true })
      if (round === 5) await exportTeam(ctx, TEAM, { folder })
    }
    await Promise.all([first.stop(), second.stop()])
    expect([...first.reports, ...second.reports].flatMap((report) => report.edited)).toEqual([])
    await expectSameAsFresh(ctx, TEAM, folder)
    expect(inspectMirrorFolder(folder)).toEqual({ edited: [], missing: [] })
  })
})

/** A store with a team, and a place for a folder. */
async function makeScene() {
  const make = STORES.sqlite
  if (make === undefined) throw new Error("no store")
  const db = await make()
  const scratch = makeScratch("mirror")
  const ctx = context(await db.connect())
  await run(ctx, createTeam, { goal: "a house" })
  return {
    ctx,
    folder: join(scratch.path, "out"),
    connect: () => db.connect(),
    async [Symbol.asyncDispose]() {
      await db[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

function start(ctx: Context, folder: string) {
  const stopping = new AbortController()
  const reports: MirrorReport[] = []
  const started = Promise.withResolvers<void>()
  const ended = mirrorTeam(ctx, TEAM, {
    folder,
    signal: stopping.signal,
    debounceMs: 20,
    onUpdate(report) {
      reports.push(report)
      started.resolve()
    },
  })
  ended.catch(started.reject)
  const stop = () => {
    stopping.abort()
    return ended
  }
  return {
    reports,
    started: started.promise,
    ended,
    stop,
    async [Symbol.asyncDispose]() {
      await stop().catch(() => {})
    },
  }
}
