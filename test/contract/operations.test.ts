// What each operation does, refuses and leaves behind, on every store.

import { describe, expect, it } from "bun:test"
import type { ErrorCode } from "../../src/kernel/errors.ts"
import type { Event } from "../../src/kernel/events.ts"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import type { Fields } from "../../src/lib/schema.ts"
import { pollMailbox, readMailbox } from "../../src/messages/operations/read-mailbox.ts"
import { sendMessage } from "../../src/messages/operations/send-message.ts"
import { listVerdicts, recordVerdict } from "../../src/quality/operations/record-verdict.ts"
import { teamStatus } from "../../src/reporting/operations/team-status.ts"
import { listApprovals } from "../../src/requests/operations/approvals.ts"
import { loopState } from "../../src/sessions/operations/read-loop-state.ts"
import type { Context, Operation, Settings } from "../../src/store/operation.ts"
import type { Store } from "../../src/store/port.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { deleteTask } from "../../src/tasks/operations/delete-task.ts"
import { getTask } from "../../src/tasks/operations/get-task.ts"
import { heartbeatTask } from "../../src/tasks/operations/heartbeat-task.ts"
import { listTasks } from "../../src/tasks/operations/list-tasks.ts"
import {
  addEvidence,
  listEvidence,
  recordEvidence,
  withdrawEvidence,
} from "../../src/tasks/operations/record-evidence.ts"
import { releaseTask } from "../../src/tasks/operations/release-task.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { takeForPerson } from "../../src/tasks/operations/take-for-person.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { calculateWaves, updateWave, waveStatus } from "../../src/tasks/operations/wave-status.ts"
import type { Task, TaskStatus } from "../../src/tasks/task.ts"
import { cleanTeam } from "../../src/teams/operations/clean-team.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { examineTeam } from "../../src/teams/operations/examine-team.ts"
import { takeLead } from "../../src/teams/operations/lead-team.ts"
import { followEvents, listEvents } from "../../src/teams/operations/list-events.ts"
import { listTeams } from "../../src/teams/operations/list-teams.ts"
import { pause, resume } from "../../src/teams/operations/pause.ts"
import { updateTeam } from "../../src/teams/operations/update-team.ts"
import { setupWorker } from "../../src/workers/operations/setup-worker.ts"
import { swarmStatus } from "../../src/workers/operations/swarm-status.ts"
import {
  findAttempt,
  forgetWorkspace,
  recordSync,
  recordWorkspace,
} from "../../src/workers/operations/worker-workspace.ts"
import { plainEvents } from "../support/plain-events.ts"
import {
  allEvents,
  context,
  type Given,
  type MakeDatabase,
  note,
  openTestTeam,
  refusal,
  run,
  STORES,
  snapshot,
  TEAM,
  type TestDatabase,
  until,
  untilExpired,
} from "../support/stores.ts"

const SHORT_LEASE_SECONDS = 0.003

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(name, () => operationsContract(makeDatabase))
}

function operationsContract(makeDatabase: MakeDatabase): void {
  const testTeam = (settings?: Partial<Settings>) => makeHouse(makeDatabase, settings)

  describe("project.create", () => {
    it("makes a team that is being planned, and tells of it", async () => {
      await using db = await makeDatabase()
      const ctx = context(await db.connect())
      const team = await run(ctx, createTeam, { goal: "a house" })
      expect(team).toMatchObject({
        ...TEAM,
        goal: "a house",
        phase: "PLANNING",
        status: "active",
        mode: "FULL_AUTO",
        schedule: "waves",
      })
      expect(team).not.toHaveProperty("key")
      const { events } = await run(ctx, listEvents, {})
      expect(events).toMatchObject([{ type: "team.created", by: "person", data: { goal: "a house" } }])
    })

    it("refuses a name that is taken", async () => {
      await using h = await testTeam()
      await h.refuses(createTeam, { goal: "another" }, "team.exists", "house/main exists already")
    })

    it.each(["../x", "", "a/b", "tаsk", "x.lock"])("refuses %p as a name", async (project) => {
      await using h = await testTeam()
      await h.refuses(createTeam, { project, goal: "x" }, "input.invalid", "is not valid")
    })
  })

  describe("project.list, project.update, project.status", () => {
    it("lists teams without the store's keys", async () => {
      await using h = await testTeam()
      await h.ask(createTeam, { team: "other", goal: "x" })
      const teams = await h.ask(listTeams, {})
      expect(teams.map((team) => team.team)).toEqual(["main", "other"])
      expect(teams[0]).not.toHaveProperty("key")
    })

    it("changes goal, mode and schedule, and tells of it", async () => {
      await using h = await testTeam()
      expect(await h.ask(updateTeam, { goal: "new", schedule: "eager" })).toMatchObject({
        goal: "new",
        schedule: "eager",
        mode: "FULL_AUTO",
      })
      expect(await h.lastEvent()).toMatchObject({
        type: "team.updated",
        by: "person",
        data: { goal: "new", schedule: "eager" },
      })
      await h.refuses(updateTeam, {}, "usage", "nothing to change")
      await h.refuses(
        updateTeam,
        { team: "nobody", goal: "x" },
        "team.not_found",
        "house/nobody does not exist; the teams of house: main",
      )
    })

    it("counts tasks, waves and workers", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1], 3: [] })
      await h.ask(calculateWaves, {})
      await h.done("1")
      await h.ask(claimTask, { next: true, owner: "w2" })
      await h.ask(updateTask, { id: "2", status: "skipped" })
      const status = await h.ask(teamStatus, { verbose: true })
      expect(status).toMatchObject({ phase: "EXECUTION", currentWave: 1, workers: { total: 2, working: 1 } })
      expect(status.stats).toMatchObject({ total: 3, open: 0, in_progress: 1, resolved: 1, skipped: 1, progress: 66 })
      expect(status.waves).toMatchObject([
        { id: 1, status: "in_progress", total: 2, done: 1 },
        { id: 2, status: "planning", total: 1, done: 1 },
      ])
      expect(status.tasks).toHaveLength(3)
      expect(await h.ask(teamStatus, {})).not.toHaveProperty("tasks")
    })
  })

  describe("task.create", () => {
    it("numbers tasks, keeps what was said and tells of it", async () => {
      await using h = await testTeam()
      const task = await h.ask(createTask, {
        title: "paint",
        check: ["npm test"],
        files: ["src/**"],
        acceptance: ["is red"],
      })
      expect(task).toMatchObject({
        title: "paint",
        status: "open",
        role: "worker",
        complexity: "standard",
        checks: ["npm test"],
        files: ["src/**"],
      })
      expect(String(task.id)).toBe("1")
      const second = await h.ask(createTask, { title: "dry", blockedBy: ["1", "1"] })
      expect(second).toMatchObject({ id: "2" as Task["id"], unmet: 1, blockedBy: ["1" as Task["id"]] })
      expect(await h.lastEvent()).toMatchObject({
        type: "task.created",
        by: "person",
        data: { task: "2", title: "dry", blocked_by: ["1"] },
      })
    })

    it("goes on behind numbers that people chose, and passes over ids in use", async () => {
      await using h = await testTeam()
      await h.ask(createTask, { title: "a", id: "7" })
      await h.ask(createTask, { title: "b", id: "x1" })
      const ids = [await h.ask(createTask, { title: "c" }), await h.ask(createTask, { title: "d" })].map((task) =>
        String(task.id),
      )
      expect(ids).toEqual(["8", "9"])
    })

    it("gives parallel creators different numbers", async () => {
      await using h = await testTeam()
      const other = context(await h.db.connect())
      const made = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          run(index % 2 === 0 ? h.ctx : other, createTask, { title: `t${index}` }),
        ),
      )
      expect(new Set(made.map((task) => task.id)).size).toBe(12)
    })

    it("refuses a taken id, a missing need, itself as need, and a team that is not there", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.refuses(createTask, { title: "x", id: "1" }, "task.exists", "task 1 exists already")
      await h.refuses(createTask, { title: "x", id: "2", blockedBy: ["2"] }, "need.cycle", "2 -> 2")
      await h.refuses(createTask, { title: "x", team: "nobody" }, "team.not_found", "house/nobody")
      await h.refuses(createTask, { title: " " }, "input.invalid", "must not be empty")
      await h.refuses(createTask, { title: "a\nb" }, "input.invalid", "single line")
      await h.refuses(createTask, { title: "a\0" }, "input.invalid", "")
      await h.refuses(createTask, { title: "x", blockedBy: ["../1"] }, "input.invalid", "is not valid")
      expect(String((await h.ask(createTask, { title: "next" })).id)).toBe("2")
    })

    it("joins the open wave, or comes right behind what it needs", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1] })
      await h.ask(calculateWaves, {})
      expect((await h.ask(createTask, { title: "now" })).wave).toBe(1)
      expect((await h.ask(createTask, { title: "behind 2", blockedBy: ["2"] })).wave).toBe(3)
      expect((await h.ask(waveStatus, {})).totalWaves).toBe(3)
    })

    it("takes a failed wave back to in_progress when its fix task comes", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(calculateWaves, {})
      await h.done("1")
      await h.ask(updateWave, { wave: 1, status: "failed" })
      expect((await h.ask(createTask, { title: "fix" })).wave).toBe(1)
      expect((await h.ask(waveStatus, {})).waves).toMatchObject([{ id: 1, status: "in_progress" }])
      expect(await h.eventsOf("wave.updated")).toMatchObject([
        { data: { from: "completed", to: "failed" } },
        { data: { from: "failed", to: "in_progress" } },
      ])
    })

    it("makes a new wave behind verified ones, and takes a finished project back to EXECUTION", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(calculateWaves, {})
      await h.done("1")
      await h.ask(updateWave, { wave: 1, status: "verified" })
      expect((await h.team()).phase).toBe("VERIFICATION")
      await h.ask(recordVerdict, { scope: "final", status: "passed" })
      expect(await h.team()).toMatchObject({ phase: "COMPLETE", status: "completed" })
      expect((await h.ask(createTask, { title: "more" })).wave).toBe(2)
      expect(await h.team()).toMatchObject({ phase: "EXECUTION", status: "active" })
      expect((await h.ask(claimTask, { next: true, owner: "w1" })).task.title).toBe("more")
    })
  })

  describe("task.claim", () => {
    it("gives the named task, or the best ready one, with its token", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [] })
      const named = await h.ask(claimTask, { id: "2", owner: "w1" })
      expect(named).toMatchObject({
        renewed: false,
        takenOverFrom: null,
        warnings: [],
        task: { status: "in_progress", claimToken: 1 },
      })
      expect(String((await h.ask(claimTask, { next: true, owner: "w2" })).task.id)).toBe("1")
      expect(await h.eventsOf("task.claimed")).toMatchObject([{ by: "w1" }, { by: "w2" }])
    })

    it("holds for the configured time, or for the time asked for", async () => {
      await using h = await testTeam({ leaseSeconds: 60 })
      await h.tasks({ 1: [], 2: [] })
      const leaseOf = (task: Task) => Date.parse(task.leaseUntil ?? "") - Date.parse(task.claimedAt ?? "")
      expect(leaseOf((await h.ask(claimTask, { id: "1", owner: "w1" })).task)).toBe(60_000)
      expect(leaseOf((await h.ask(claimTask, { id: "2", owner: "w1", leaseSeconds: 5 })).task)).toBe(5000)
    })

    it("is renewed for its owner and refused to others, who learn who holds it", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      expect(await h.ask(claimTask, { id: "1", owner: "w1" })).toMatchObject({ renewed: true, task: { claimToken: 1 } })
      const error = await h.refuses(
        claimTask,
        { id: "1", owner: "w2" },
        "task.already_claimed",
        "task 1 is held by w1 until ",
      )
      expect(error.details).toMatchObject({ taskId: "1", owner: "w1" })
      await h.refuses(claimTask, { next: true, owner: "w2" }, "task.none_available", "0 open")
    })

    it("wants either an id or next", async () => {
      await using h = await testTeam()
      await h.refuses(claimTask, { owner: "w1" }, "usage", "with next")
      await h.refuses(claimTask, { owner: "w1", id: "1", next: true }, "usage", "with next")
      await h.refuses(claimTask, { next: true }, "input.invalid", "owner is missing")
      await h.refuses(claimTask, { next: true, owner: "a b" }, "input.invalid", "is not valid")
      await h.refuses(claimTask, { next: true, owner: "w1", leaseSeconds: 0 }, "input.invalid", "less than")
    })

    it("says why a task is not ready", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1], 3: [] })
      await h.ask(updateTask, { id: "3", assignee: "w9" })
      await h.ask(updateTask, { id: "3", assignee: "w9" })
      const told = await h.ask(readMailbox, { inbox: "w9" })
      expect(told.map(({ payload }) => String(payload.message))).toEqual([
        expect.stringMatching(
          /^NEW ASSIGNMENT: task #3: .*; claim it when it is ready with: teamwork task claim --id 3/,
        ),
      ])
      await h.refuses(claimTask, { id: "9", owner: "w1" }, "task.not_found", "task 9 does not exist")
      await h.refuses(claimTask, { id: "2", owner: "w1" }, "task.not_ready", "task 2 waits for 1")
      await h.refuses(claimTask, { id: "3", owner: "w1" }, "task.not_ready", "task 3 is assigned to w9")
      await h.ask(pause, { task: "1" })
      await h.refuses(claimTask, { id: "1", owner: "w1" }, "task.not_ready", "teamwork resume --task 1")
      await h.ask(updateTask, { id: "1", status: "skipped" })
      await h.refuses(claimTask, { id: "1", owner: "w1" }, "task.not_ready", "teamwork task reopen --id 1")
      await h.refuses(claimTask, { id: "1", owner: "w1", team: "nobody" }, "team.not_found", "house/nobody")
    })

    it("says which wave must be verified first", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1] })
      await h.ask(calculateWaves, {})
      await h.done("1")
      await h.refuses(
        claimTask,
        { id: "2", owner: "w1" },
        "task.not_ready",
        "in wave 2, which opens when wave 1 is verified",
      )
    })

    it("warns of another role, and refuses it when strict", async () => {
      await using h = await testTeam()
      await h.ask(createTask, { title: "x", role: "frontend" })
      await h.refuses(
        claimTask,
        { id: "1", owner: "w1", role: "backend", strictRole: true },
        "role.mismatch",
        "Task 1 role mismatch - task role: frontend, worker role: backend",
      )
      expect((await h.ask(claimTask, { id: "1", owner: "w1", role: "backend" })).warnings).toEqual([
        "Role mismatch - task role: frontend, worker role: backend",
      ])
      await h.refuses(
        claimTask,
        { next: true, owner: "w2", role: "docs" },
        "task.none_available",
        "No tasks for role docs",
      )
    })

    it("keeps a worker to its role", async () => {
      await using h = await testTeam()
      await h.ask(createTask, { title: "x", role: "docs" })
      await h.ask(createTask, { title: "y", role: "test" })
      await h.ask(claimTask, { next: true, owner: "w1", role: "docs" })
      await h.refuses(claimTask, { next: true, owner: "w1", role: "test" }, "role.locked", "w1 works as docs")
    })

    it("is refused while the team or the worker is paused, with the reason and the way out", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(setupWorker, { workerId: "w1" })
      await h.ask(pause, { reason: "lunch" })
      await h.refuses(
        claimTask,
        { next: true, owner: "w1" },
        "team.paused",
        "house/main is paused (lunch); continue it with: teamwork resume",
      )
      await h.ask(resume, {})
      await h.ask(pause, { workerId: "w1" })
      await h.refuses(claimTask, { next: true, owner: "w1" }, "worker.unavailable", "teamwork resume --worker-id w1")
      await h.ask(resume, { workerId: "w1" })
      await h.ask(claimTask, { next: true, owner: "w1" })
    })

    it("is refused to a stopped worker, with a way out that works", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      const { worker } = await h.ask(setupWorker, {})
      await h.store.write((tx) => tx.workers.put(h.key, worker.id, { availability: "stopped" }))
      await h.refuses(
        claimTask,
        { next: true, owner: "w1" },
        "worker.unavailable",
        "worker w1 is stopped; continue it with: teamwork worker setup --worker-id w1",
      )
      await h.ask(setupWorker, { workerId: "w1" })
      await h.ask(claimTask, { next: true, owner: "w1" })
    })

    it("is refused in a COMPLETE project, with a way out that works", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.done("1")
      await h.ask(recordVerdict, { scope: "final", status: "passed" })
      await h.refuses(claimTask, { next: true, owner: "w1" }, "task.not_ready", "is COMPLETE; add a task to go on")
      await h.ask(createTask, { title: "more" })
      await h.ask(claimTask, { next: true, owner: "w1" })
    })

    it("takes over what was abandoned", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "gone", leaseSeconds: SHORT_LEASE_SECONDS })
      await h.expired("1")
      expect(await h.ask(claimTask, { id: "1", owner: "w1" })).toMatchObject({
        takenOverFrom: "gone",
        task: { claimToken: 2 },
      })
      expect(await h.lastEvent()).toMatchObject({
        type: "task.claimed",
        by: "w1",
        data: { token: 2, taken_over_from: "gone" },
      })
    })
  })

  describe("task.list and task.get", () => {
    it("lists by status and role, and what is available", async () => {
      await using h = await testTeam()
      await h.ask(createTask, { title: "a", role: "docs" })
      await h.ask(createTask, { title: "b", role: "test", blockedBy: ["1"] })
      await h.ask(createTask, { title: "c" })
      const ids = async (input: Given<typeof listTasks.input>) =>
        (await h.ask(listTasks, input)).map((task) => String(task.id))
      expect(await ids({})).toEqual(["1", "2", "3"])
      expect(await ids({ available: true })).toEqual(["1", "3"])
      expect(await ids({ available: true, role: "docs" })).toEqual(["1", "3"])
      expect(await ids({ available: true, role: "test" })).toEqual(["3"])
      expect(await ids({ available: true, limit: 1 })).toEqual(["1"])
      await h.ask(claimTask, { id: "1", owner: "w1" })
      expect(await ids({ status: "in_progress" })).toEqual(["1"])
      expect(await ids({ available: true })).toEqual(["3"])
      await h.ask(pause, {})
      expect(await ids({ available: true })).toEqual([])
    })

    it("lists as available only what the open wave has, unless the schedule is eager", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1], 3: [2] })
      await h.ask(calculateWaves, {})
      await h.done("1")
      expect(await h.ask(listTasks, { available: true })).toEqual([])
      await h.ask(updateTeam, { schedule: "eager" })
      expect(await h.ask(listTasks, { available: true })).toHaveLength(1)
    })

    it("shows a task with its evidence", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(addEvidence, { id: "1", addEvidence: ["seen"] })
      expect(await h.ask(getTask, { id: "1" })).toMatchObject({
        title: "task 1",
        evidence: [{ number: 1, text: "seen" }],
      })
      await h.refuses(getTask, { id: "2" }, "task.not_found", "task 2 does not exist; see: teamwork task list")
      await h.refuses(listTasks, { team: "nobody" }, "team.not_found", "house/nobody")
    })
  })

  describe("task.heartbeat", () => {
    it("renews the lease of the holder without an event, and refuses anybody else", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      const before = await h.task("1")
      const events = await h.eventCount()
      const beat = await until(async () => {
        const task = await h.ask(heartbeatTask, { id: "1", owner: "w1", token: 1 })
        return (task.leaseUntil ?? "") > (before.leaseUntil ?? "") && task
      })
      expect(beat.version).toBe(before.version)
      expect(await h.eventCount()).toBe(events)
      await h.refuses(
        heartbeatTask,
        { id: "1", owner: "w2" },
        "claim.lost",
        "task 1 is held by w1 (token 1), not held by w2; stop work on it",
      )
      await h.refuses(heartbeatTask, { id: "1", owner: "w1", token: 2 }, "claim.lost", "token 1")
      await h.refuses(heartbeatTask, { id: "2", owner: "w1" }, "task.not_found", "task 2")
      await h.ask(releaseTask, { id: "1" })
      await h.refuses(heartbeatTask, { id: "1", owner: "w1" }, "claim.lost", "task 1 is open")
    })

    it("tells an owner that its task is paused", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      await h.ask(pause, { task: "1" })
      await h.refuses(heartbeatTask, { id: "1", owner: "w1" }, "claim.lost", "task 1 is paused")
    })

    it("revives a claim that nobody took over", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1", leaseSeconds: SHORT_LEASE_SECONDS })
      await h.expired("1")
      const before = await h.task("1")
      expect((await h.ask(heartbeatTask, { id: "1", owner: "w1" })).leaseUntil ?? "").not.toBe(before.leaseUntil ?? "")
    })
  })

  describe("task.release", () => {
    it("gives a task back, for anybody to take", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      const released = await h.ask(releaseTask, { id: "1", owner: "w1", token: 1, reason: "too hard" })
      expect(released).toMatchObject({
        status: "open",
        claimedBy: null,
        claimedAt: null,
        leaseUntil: null,
        workerId: null,
        attempt: 1,
      })
      expect(await h.lastEvent()).toMatchObject({
        type: "task.released",
        by: "w1",
        data: { task: "1", owner: "w1", reason: "too hard" },
      })
      expect((await h.ask(claimTask, { next: true, owner: "w2" })).task.claimToken).toBe(2)
    })

    it("is repeated without harm, and refused to anybody who does not hold the task", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      const before = await snapshot(h.store, h.key)
      expect((await h.ask(releaseTask, { id: "1" })).status).toBe("open")
      expect(await snapshot(h.store, h.key)).toEqual(before)
      await h.refuses(releaseTask, { id: "1", owner: "w1" }, "claim.lost", "task 1 is open")
      await h.ask(claimTask, { id: "1", owner: "w1" })
      await h.refuses(releaseTask, { id: "1", owner: "w2" }, "claim.lost", "held by w1")
      await h.refuses(releaseTask, { id: "1", token: 5 }, "claim.lost", "token 5")
      await h.refuses(releaseTask, { id: "5" }, "task.not_found", "task 5")
    })

    it.each(["resolved", "failed", "skipped"] as const)(
      "does not undo a task that is %s: that takes a new attempt",
      async (status) => {
        await using h = await testTeam()
        await h.tasks({ 1: [], 2: [1] })
        await h.bring("1", status)
        await h.refuses(releaseTask, { id: "1" }, "task.transition", "teamwork task reopen --id 1")
      },
    )

    it("frees a paused task together with its claim", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      await h.ask(pause, { task: "1" })
      expect(await h.ask(releaseTask, { id: "1" })).toMatchObject({ status: "open", claimedBy: null, pausedFrom: null })
    })
  })

  describe("task.update", () => {
    it("changes texts and says which", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      const { task } = await h.ask(updateTask, {
        id: "1",
        title: "new",
        description: "d",
        role: "docs",
        complexity: "simple",
        assignee: "w3",
      })
      expect(task).toMatchObject({
        title: "new",
        description: "d",
        role: "docs",
        complexity: "simple",
        assignee: "w3" as never,
        version: 2,
      })
      expect(await h.lastEvent()).toMatchObject({
        type: "task.updated",
        by: "person",
        data: { fields: ["title", "description", "role", "complexity", "assignee"] },
      })
      expect((await h.ask(updateTask, { id: "1", assignee: "" })).task.assignee).toBeNull()
      await h.refuses(updateTask, { id: "1", assignee: "../x" }, "input.invalid", "is not valid")
      await h.refuses(updateTask, { id: "2", title: "x" }, "task.not_found", "task 2")
    })

    it("resolves with evidence, result and a notice to the lead, all by the owner", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "s1", workerId: "w1" })
      const { task, warnings } = await h.ask(updateTask, {
        id: "1",
        owner: "s1",
        token: 1,
        status: "resolved",
        addEvidence: ["npm test: 12 passed", "looked at it"],
        result: "painted",
        workerId: "w1",
      })
      expect(task).toMatchObject({ status: "resolved", result: "painted", claimedBy: "s1", leaseUntil: null })
      expect(warnings).toEqual([])
      expect(await h.ask(listEvidence, { id: "1" })).toMatchObject([
        { number: 1, type: "note", trust: "reported", by: "s1", text: "npm test: 12 passed" },
        { number: 2, text: "looked at it" },
      ])
      expect(await h.ask(readMailbox, { inbox: "lead" })).toMatchObject([
        {
          from: "w1",
          type: "idle_notification",
          payload: { worker_id: "w1", completed_task_id: "1", completed_status: "resolved" },
        },
      ])
      expect((await h.events()).slice(-4).map((event) => `${event.type} ${event.by}`)).toEqual([
        "evidence.added s1",
        "evidence.added s1",
        "task.resolved s1",
        "message.sent s1",
      ])
    })

    it("changes texts and resolves in one go, or does neither", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      await h.refuses(
        updateTask,
        { id: "1", owner: "w1", token: 9, status: "resolved", title: "new" },
        "claim.lost",
        "token 1",
      )
      const { task } = await h.ask(updateTask, { id: "1", owner: "w1", status: "resolved", title: "new", result: "r" })
      expect(task).toMatchObject({ status: "resolved", title: "new", result: "r" })
    })

    it("answers a repeated resolve with the task as it is, and changes nothing", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      const resolve = { id: "1", owner: "w1", token: 1, status: "resolved", workerId: "w1" } as const
      const first = await h.ask(updateTask, resolve)
      const before = await snapshot(h.store, h.key)
      expect((await h.ask(updateTask, resolve)).task).toEqual(first.task)
      expect(await snapshot(h.store, h.key)).toEqual(before)
      await h.refuses(updateTask, { ...resolve, owner: "w2" }, "claim.lost", "task 1 is resolved")
      await h.refuses(updateTask, { ...resolve, token: 2 }, "claim.lost", "task 1 is resolved")
    })

    it("resolves nothing that nobody claimed", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.refuses(
        updateTask,
        { id: "1", status: "resolved" },
        "task.transition",
        "claim it first with: teamwork task claim --id 1",
      )
      await h.refuses(updateTask, { id: "1", owner: "w1", status: "resolved" }, "claim.lost", "task 1 is open")
      await h.refuses(
        updateTask,
        { id: "1", status: "in_progress" },
        "task.transition",
        "has no owner yet; claim it with",
      )
      await h.refuses(
        updateTask,
        { id: "1", status: "in_review" },
        "task.transition",
        "can only become in_progress, paused, skipped",
      )
      await h.refuses(updateTask, { id: "1", status: "failed" }, "task.transition", "task 1 is open")
    })

    it("moves a task without an owner out of pause only to open or skipped", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1] })
      await h.ask(pause, { task: "2" })
      await h.refuses(updateTask, { id: "2", status: "in_progress" }, "task.transition", "has no owner")
      await h.refuses(updateTask, { id: "2", status: "in_review" }, "task.transition", "has no owner")
      expect((await h.ask(updateTask, { id: "2", status: "open" })).task).toMatchObject({
        status: "open",
        pausedFrom: null,
      })
    })

    it("leaves no owner behind when a paused task becomes open", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      await h.ask(updateTask, { id: "1", status: "paused", reason: "wait" })
      expect(await h.task("1")).toMatchObject({
        status: "paused",
        pausedFrom: "in_progress",
        pauseReason: "wait",
        claimedBy: "w1",
      })
      const { task } = await h.ask(updateTask, { id: "1", status: "open" })
      expect(task).toMatchObject({
        status: "open",
        claimedBy: null,
        workerId: null,
        claimedAt: null,
        pausedFrom: null,
        pauseReason: null,
      })
    })

    it("fails with a reason and tells the lead", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      const { task } = await h.ask(updateTask, {
        id: "1",
        owner: "w1",
        status: "failed",
        reason: "no disk",
        workerId: "w1",
      })
      expect(task).toMatchObject({ status: "failed", leaseUntil: null, claimedBy: "w1" })
      expect(task.completedAt).not.toBeNull()
      expect(await h.eventsOf("task.status_changed")).toMatchObject([
        { by: "w1", data: { from: "in_progress", to: "failed", reason: "no disk" } },
      ])
      expect(await h.ask(readMailbox, { inbox: "orchestrator" })).toMatchObject([
        { payload: { worker_id: "w1", completed_status: "failed", failure_reason: "no disk" } },
      ])
      expect((await h.task("2")).unmet).toBe(1)
    })

    it("skips what was not begun, which meets the need", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1] })
      await h.ask(updateTask, { id: "1", status: "skipped", reason: "not now" })
      expect((await h.task("2")).unmet).toBe(0)
      expect(await h.lastEvent()).toMatchObject({
        type: "task.status_changed",
        by: "person",
        data: { from: "open", to: "skipped", reason: "not now" },
      })
      await h.ask(claimTask, { id: "2", owner: "w1" })
      await h.refuses(updateTask, { id: "2", status: "skipped" }, "task.transition", "task 2 is in_progress")
    })

    it("goes to review and back, and resolves from there", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      await h.ask(updateTask, { id: "1", owner: "w1", status: "in_review" })
      await h.refuses(claimTask, { id: "1", owner: "w2" }, "task.already_claimed", "held by w1")
      expect((await h.ask(updateTask, { id: "1", status: "in_progress" })).task.leaseUntil).not.toBeNull()
      await h.ask(updateTask, { id: "1", owner: "w1", status: "in_review" })
      expect((await h.ask(updateTask, { id: "1", owner: "w1", status: "resolved" })).task.status).toBe("resolved")
    })

    it("renews the lease with every call of the owner", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      const before = (await h.task("1")).leaseUntil ?? ""
      await until(
        async () =>
          ((await h.ask(updateTask, { id: "1", owner: "w1", addEvidence: ["x"] })).task.leaseUntil ?? "") > before,
      )
    })

    it("releases, and does not release and resolve at once", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      await h.refuses(
        updateTask,
        { id: "1", release: true, status: "resolved" },
        "usage",
        "cannot become resolved as well",
      )
      expect((await h.ask(updateTask, { id: "1", owner: "w1", release: true })).task).toMatchObject({
        status: "open",
        claimedBy: null,
      })
      expect(await h.lastEvent()).toMatchObject({ type: "task.released", by: "w1" })
    })

    it("makes a new attempt of an ended task set to open", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.done("1")
      expect((await h.ask(updateTask, { id: "1", status: "open" })).task).toMatchObject({
        status: "open",
        attempt: 2,
        completedAt: null,
      })
      expect(await h.lastEvent()).toMatchObject({ type: "task.reopened", data: { attempt: 2 } })
    })

    it("adds and removes needs, and keeps the graph free of circles", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1], 3: [2] })
      await h.refuses(updateTask, { id: "1", addBlockedBy: ["3"] }, "need.cycle", "1 -> 3 -> 2 -> 1")
      await h.refuses(updateTask, { id: "1", addBlockedBy: ["1"] }, "need.cycle", "1 -> 1")
      await h.refuses(
        updateTask,
        { id: "1", addBlockedBy: ["9"] },
        "need.missing",
        "task 1 needs 9, which does not exist",
      )
      await h.refuses(
        updateTask,
        { id: "3", removeBlockedBy: ["1"] },
        "need.missing",
        "task 3 does not need 1; its needs are 2",
      )
      const { task } = await h.ask(updateTask, { id: "3", addBlockedBy: ["1"], removeBlockedBy: ["2"] })
      expect(task).toMatchObject({ blockedBy: ["1"] as never, unmet: 1 })
      expect(await h.lastEvent()).toMatchObject({
        type: "task.needs_changed",
        by: "person",
        data: { added: ["1"], removed: ["2"] },
      })
    })

    it("lays the waves out anew when needs change", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [] })
      await h.ask(calculateWaves, {})
      expect((await h.task("2")).wave).toBe(1)
      expect((await h.ask(updateTask, { id: "2", addBlockedBy: ["1"] })).task.wave).toBe(2)
      expect((await h.ask(waveStatus, {})).totalWaves).toBe(2)
      await h.ask(updateTask, { id: "2", removeBlockedBy: ["1"] })
      expect((await h.ask(waveStatus, {})).totalWaves).toBe(1)
    })

    it("refuses somebody who lost the task, whatever is to change", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [] })
      await h.ask(claimTask, { id: "1", owner: "old", leaseSeconds: SHORT_LEASE_SECONDS })
      await h.expired("1")
      await h.ask(claimTask, { id: "1", owner: "new" })
      const changes: Given<typeof updateTask.input>[] = [
        { status: "resolved" },
        { status: "failed" },
        { release: true },
        { addEvidence: ["mine"] },
        { title: "mine" },
        { addBlockedBy: ["2"] },
      ]
      for (const change of changes) {
        await h.refuses(updateTask, { id: "1", owner: "old", ...change }, "claim.lost", "held by new (token 2)")
        await h.refuses(
          updateTask,
          { id: "1", owner: "new", token: 1, ...change },
          "claim.lost",
          "held by new (token 2)",
        )
      }
    })
  })

  describe("task.reopen", () => {
    it("starts a new attempt of what had ended, and takes its wave back", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1] })
      await h.ask(calculateWaves, {})
      await h.done("1")
      await h.ask(updateWave, { wave: 1, status: "verified" })
      const reopened = await h.ask(reopenTask, { id: "1", reason: "wrong colour" })
      expect(reopened).toMatchObject({ status: "open", attempt: 2, claimedBy: null, completedAt: null })
      expect(await h.task("2")).toMatchObject({ unmet: 1 })
      expect((await h.ask(waveStatus, {})).waves).toMatchObject([
        { status: "in_progress", verifiedAt: null },
        { status: "planning" },
      ])
      expect(await h.eventsOf("task.reopened")).toMatchObject([
        { by: "person", data: { task: "1", attempt: 2, reason: "wrong colour" } },
      ])
      expect(await h.eventsOf("wave.updated")).toMatchObject([
        {},
        { data: { wave: 1, from: "verified", to: "in_progress" } },
      ])
    })

    it("brings a project back from VERIFICATION or COMPLETE", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.done("1")
      await h.ask(recordVerdict, { scope: "final", status: "passed" })
      await h.ask(reopenTask, { id: "1" })
      expect(await h.team()).toMatchObject({ phase: "EXECUTION", status: "active" })
    })

    it.each([
      ["open", "teamwork task claim --id 1"],
      ["in_progress", "teamwork task release --id 1"],
      ["in_review", "teamwork task release --id 1"],
      ["paused", "teamwork resume --task 1"],
    ] as const)("refuses a task that is %s", async (status, hint) => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.bring("1", status)
      await h.refuses(reopenTask, { id: "1" }, "task.transition", hint)
    })

    it.each(["resolved", "failed", "skipped"] as const)("takes a task that is %s", async (status) => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.bring("1", status)
      expect(await h.ask(reopenTask, { id: "1" })).toMatchObject({ status: "open", attempt: 2 })
    })
  })

  describe("task.delete", () => {
    it("deletes from a plan", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      const { id, freed } = await h.ask(deleteTask, { id: "1" })
      expect([String(id), freed]).toEqual(["1", []])
      expect(await h.lastEvent()).toMatchObject({
        type: "task.deleted",
        by: "person",
        data: { task: "1", forced: false },
      })
      await h.refuses(getTask, { id: "1" }, "task.not_found", "task 1")
    })

    it("refuses what others need, what was begun and whatever is no longer planned, unless forced", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1], 3: [] })
      await h.refuses(deleteTask, { id: "1" }, "task.delete_refused", "2 needs it")
      await h.ask(updateTask, { id: "3", status: "skipped" })
      await h.refuses(deleteTask, { id: "3" }, "task.delete_refused", "it is skipped")
      await h.ask(claimTask, { id: "1", owner: "w1" })
      await h.refuses(deleteTask, { id: "2" }, "task.delete_refused", "the project is in phase EXECUTION")
      const { freed } = await h.ask(deleteTask, { id: "1", force: true })
      expect(freed.map(String)).toEqual(["2"])
      expect(await h.task("2")).toMatchObject({ blockedBy: [], unmet: 0 })
      expect(await h.eventsOf("task.needs_changed")).toMatchObject([{ data: { task: "2", removed: ["1"] } }])
      await h.refuses(heartbeatTask, { id: "1", owner: "w1" }, "task.not_found", "task 1")
    })
  })

  describe("evidence", () => {
    it("is added to the present attempt, with its facts and who said so", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      const command = await h.ask(addEvidence, {
        id: "1",
        owner: "w1",
        token: 1,
        command: "npm test",
        exitCode: 0,
        output: "ok",
        addEvidence: ["ran it", "and more"],
      })
      expect(command.evidence).toMatchObject([
        {
          number: 1,
          type: "command",
          trust: "reported",
          by: "w1",
          text: "ran it",
          facts: { command: "npm test", exitCode: 0, output: "ok" },
        },
        { number: 2, type: "note", text: "and more" },
      ])
      expect((await h.ask(addEvidence, { id: "1", path: "a.ts", action: "created" })).evidence).toMatchObject([
        { number: 3, type: "file", by: "person" },
      ])
      expect((await h.ask(addEvidence, { id: "1", passed: 3, failed: 0 })).evidence).toMatchObject([
        { number: 4, type: "test" },
      ])
      expect((await h.eventsOf("evidence.added")).map((event) => event.by)).toEqual(["w1", "w1", "person", "person"])
    })

    it("is refused without content, without its facts, and from somebody who lost the task", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      await h.refuses(addEvidence, { id: "1" }, "usage", "addEvidence")
      await h.refuses(addEvidence, { id: "1", evidenceType: "command", command: "x" }, "usage", "needs exitCode")
      await h.refuses(addEvidence, { id: "1", path: "x" }, "usage", "needs action")
      await h.refuses(addEvidence, { id: "1", passed: 1 }, "usage", "needs failed")
      await h.refuses(addEvidence, { id: "1", owner: "w2", addEvidence: ["x"] }, "claim.lost", "held by w1")
      await h.refuses(addEvidence, { id: "1", owner: "w1", token: 3, addEvidence: ["x"] }, "claim.lost", "held by w1")
      await h.refuses(addEvidence, { id: "9", addEvidence: ["x"] }, "task.not_found", "task 9")
    })

    it("warns of words that say the work is not done", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      const { warnings } = await h.ask(addEvidence, { id: "1", addEvidence: ["a quick hack", "TODO: test"] })
      expect(warnings).toEqual([
        'evidence says "hack"; say what is still missing',
        'evidence says "TODO"; the task cannot be resolved with it',
      ])
      expect(await h.ask(listEvidence, { id: "1" })).toMatchObject([
        { blockedPattern: null },
        { blockedPattern: "TODO" },
      ])
    })

    it("is taken back by number, once, and stays in the record", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(addEvidence, { id: "1", addEvidence: ["a", "b"] })
      const entries = await h.ask(withdrawEvidence, { id: "1", number: 1, reason: "wrong" })
      expect(entries.map((entry) => entry.withdrawnAt !== null)).toEqual([true, false])
      expect(await h.lastEvent()).toMatchObject({
        type: "evidence.withdrawn",
        by: "person",
        data: { task: "1", number: 1, reason: "wrong" },
      })
      const events = await h.eventCount()
      expect(await h.ask(withdrawEvidence, { id: "1", number: 1 })).toEqual(entries)
      expect(await h.eventCount()).toBe(events)
      await h.refuses(
        withdrawEvidence,
        { id: "1", number: 3 },
        "evidence.not_found",
        "task 1 has no evidence 3; it has 2",
      )
      await h.refuses(withdrawEvidence, { id: "1", number: 1, owner: "w1" }, "claim.lost", "task 1 is open")
    })

    it("is recorded with the trust teamwork gives it", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      const attested = {
        ...note("ran"),
        type: "command",
        trust: "attested",
        facts: { command: "x", exitCode: 0 },
      } as const
      const [entry] = await recordEvidence(h.ctx, { ...TEAM, taskId: (await h.task("1")).id, entries: [attested] })
      expect(entry).toMatchObject({ trust: "attested", by: "person" })
      expect(await h.lastEvent()).toMatchObject({ type: "evidence.added", data: { trust: "attested" } })
    })
  })

  describe("waves", () => {
    it("are laid out by needs and end planning", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1], 3: [1], 4: [2, 3], 5: [] })
      const plan = await h.ask(calculateWaves, {})
      expect(plan).toMatchObject({ version: "1.0", totalWaves: 3, currentWave: 1 })
      expect(plan.waves.map((wave) => wave.tasks.map(String))).toEqual([["1", "5"], ["2", "3"], ["4"]])
      expect(plan.waves.map((wave) => wave.status)).toEqual(["in_progress", "planning", "planning"])
      expect(plan.waves.map((wave) => wave.startedAt !== null)).toEqual([true, false, false])
      expect((await h.events()).slice(-2)).toMatchObject([
        { type: "waves.calculated", by: "person", data: { total: 3 } },
        { type: "team.phase_changed", data: { from: "PLANNING", to: "EXECUTION" } },
      ])
    })

    it("of a project without tasks are none, and planning goes on", async () => {
      await using h = await testTeam()
      expect(await h.ask(calculateWaves, {})).toEqual({ version: "1.0", totalWaves: 0, currentWave: 0, waves: [] })
      expect((await h.team()).phase).toBe("PLANNING")
      await h.refuses(updateWave, { wave: 1, status: "verified" }, "wave.not_found", "teamwork wave calculate")
      await h.refuses(calculateWaves, { team: "nobody" }, "team.not_found", "house/nobody")
    })

    it("are verified one after the other, and the last opens the final check", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1] })
      await h.ask(calculateWaves, {})
      await h.refuses(
        updateWave,
        { wave: 1, status: "verified" },
        "wave.transition",
        "1 of its 1 tasks are not resolved",
      )
      await h.refuses(
        updateWave,
        { wave: 2, status: "failed" },
        "wave.transition",
        "wave 1 is in_progress and comes first",
      )
      await h.refuses(updateWave, { wave: 3, status: "failed" }, "wave.not_found", "there are waves 1 to 2")
      await h.done("1")
      for (const status of ["planning", "in_progress"] as const)
        await h.refuses(updateWave, { wave: 1, status }, "wave.transition", "follows from its tasks")
      const plan = await h.ask(updateWave, { wave: 1, status: "verified" })
      expect(plan.waves.map((wave) => [wave.status, wave.startedAt !== null, wave.verifiedAt !== null])).toEqual([
        ["verified", true, true],
        ["in_progress", true, false],
      ])
      expect(await h.lastEvent()).toMatchObject({
        type: "wave.updated",
        by: "person",
        data: { wave: 1, from: "completed", to: "verified" },
      })
      await h.refuses(updateWave, { wave: 1, status: "failed" }, "wave.transition", "reopen one of its tasks")
      const before = await snapshot(h.store, h.key)
      await h.ask(updateWave, { wave: 1, status: "verified" })
      expect(await snapshot(h.store, h.key)).toEqual(before)
      await h.done("2")
      await h.ask(updateWave, { wave: 2, status: "verified" })
      expect((await h.team()).phase).toBe("VERIFICATION")
    })

    it("that failed may be opened again", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(calculateWaves, {})
      await h.ask(updateWave, { wave: 1, status: "failed" })
      expect((await h.ask(updateWave, { wave: 1, status: "in_progress" })).waves).toMatchObject([
        { status: "in_progress" },
      ])
    })

    it("that were verified again leave later verified ones as they are, and open the final check", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1] })
      await h.ask(calculateWaves, {})
      for (const wave of [1, 2]) {
        await h.done(String(wave))
        await h.ask(updateWave, { wave, status: "verified" })
      }
      const second = (await h.ask(waveStatus, {})).waves[1]
      await h.ask(reopenTask, { id: "1" })
      expect((await h.team()).phase).toBe("EXECUTION")
      await h.done("1")
      const plan = await h.ask(updateWave, { wave: 1, status: "verified" })
      expect(plan.waves[1]).toEqual(second as NonNullable<typeof second>)
      expect((await h.team()).phase).toBe("VERIFICATION")
    })
  })

  describe("verdicts", () => {
    it("on a wave take effect", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(calculateWaves, {})
      await h.done("1")
      await h.ask(recordVerdict, {
        scope: "wave",
        subject: "1",
        status: "failed",
        check: ["build=failed:exit 1"],
        issue: ["broken"],
        by: "verifier",
      })
      expect((await h.ask(waveStatus, {})).waves).toMatchObject([{ status: "failed" }])
      await h.ask(recordVerdict, {
        scope: "wave",
        subject: "1",
        status: "passed",
        check: ["build=passed", "lint=skipped"],
        by: "verifier",
      })
      expect((await h.ask(waveStatus, {})).waves).toMatchObject([{ status: "verified" }])
      expect(await h.ask(listVerdicts, {})).toMatchObject([
        {
          scope: "wave",
          subject: "1",
          status: "failed",
          checks: [{ name: "build", status: "failed", evidence: "exit 1" }],
          issues: ["broken"],
          by: "verifier",
        },
        {
          status: "passed",
          checks: [
            { name: "build", status: "passed" },
            { name: "lint", status: "skipped" },
          ],
        },
      ])
      expect(await h.eventsOf("verdict.recorded")).toMatchObject([{ by: "verifier" }, { by: "verifier" }])
      expect((await h.eventsOf("wave.updated")).map((event) => event.by)).toEqual(["verifier", "verifier"])
    })

    it("on the whole end the project when they pass, and not before all tasks are done", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [] })
      await h.done("1")
      await h.refuses(
        recordVerdict,
        { scope: "final", status: "passed" },
        "task.not_ready",
        "1 of 2 tasks are not resolved",
      )
      await h.ask(recordVerdict, { scope: "final", status: "failed" })
      expect((await h.team()).phase).toBe("EXECUTION")
      await h.done("2")
      await h.ask(recordVerdict, { scope: "final", status: "passed" })
      expect(await h.team()).toMatchObject({ phase: "COMPLETE", status: "completed" })
    })

    it("on tasks and by other agents are only kept", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      const before = await h.task("1")
      await h.ask(recordVerdict, { scope: "task", subject: "1", status: "failed" })
      await h.ask(recordVerdict, { scope: "qa", subject: "1", status: "passed" })
      await h.ask(recordVerdict, { scope: "cross-agent", status: "skipped" })
      expect(await h.task("1")).toEqual(before)
      expect(await h.ask(listVerdicts, {})).toHaveLength(3)
    })

    it("are refused where they contradict themselves or name nothing", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.refuses(
        recordVerdict,
        { scope: "final", status: "passed", check: ["a=failed"] },
        "input.invalid",
        "its check a failed",
      )
      await h.refuses(recordVerdict, { scope: "final", status: "failed", check: ["a"] }, "usage", "name=passed")
      await h.refuses(recordVerdict, { scope: "task", status: "passed" }, "usage", "with subject")
      await h.refuses(recordVerdict, { scope: "task", subject: "9", status: "passed" }, "task.not_found", "task 9")
      await h.refuses(recordVerdict, { scope: "wave", status: "passed" }, "usage", "with subject")
      await h.refuses(recordVerdict, { scope: "wave", subject: "1", status: "passed" }, "wave.not_found", "wave 1")
    })
  })

  describe("worker.setup and swarm.status", () => {
    it("registers workers under the next number, or under the name they bring", async () => {
      await using h = await testTeam()
      const first = await h.ask(setupWorker, { role: "docs", sessionId: "s1" })
      expect(first).toMatchObject({
        ...TEAM,
        worker: { id: "w1" as never, role: "docs", sessionId: "s1", status: "idle" },
        released: [],
      })
      expect((await h.ask(setupWorker, { workerId: "bob" })).worker.id).toBe("bob" as never)
      expect((await h.ask(setupWorker, {})).worker.id).toBe("w2" as never)
      expect((await h.eventsOf("worker.set_up")).map((event) => event.by)).toEqual(["w1", "bob", "w2"])
      const events = await h.eventCount()
      expect((await h.ask(setupWorker, { workerId: "w1" })).worker).toMatchObject({ role: "docs", sessionId: "s1" })
      expect(await h.eventCount()).toBe(events)
      await h.refuses(setupWorker, { workerId: "w1", role: "test" }, "role.locked", "w1 works as docs")
    })

    it("gives back what was claimed too long ago or was abandoned, and tells of it", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [], 3: [] })
      await h.ask(claimTask, { id: "1", owner: "gone", leaseSeconds: SHORT_LEASE_SECONDS })
      await h.ask(claimTask, { id: "2", owner: "w1" })
      await h.expired("1")
      expect((await h.ask(setupWorker, { freshStartInterval: 0 })).released.map(String)).toEqual(["1"])
      expect(await h.task("1")).toMatchObject({ status: "open", claimedBy: null })
      expect((await h.task("2")).status).toBe("in_progress")
      expect(await h.lastEvent()).toMatchObject({
        type: "task.released",
        by: "teamwork",
        data: { task: "1", owner: "gone", reason: "lease ran out" },
      })
      const claimedAt = Date.parse((await h.task("2")).claimedAt ?? "")
      await until(async () => (await h.store.read((tx) => tx.now())) > claimedAt + 2)
      expect((await h.ask(setupWorker, { freshStartInterval: 0.001 })).released.map(String)).toEqual(["2"])
      expect(await h.lastEvent()).toMatchObject({ data: { reason: "claimed for more than 0.001 s" } })
    })

    it("shows what the workers do and what waits for them", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(setupWorker, { workerId: "w1" })
      expect(await h.ask(swarmStatus, {})).toMatchObject({
        session: "teamwork-house",
        status: "idle",
        paused: false,
        currentWave: 0,
      })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      await h.ask(sendMessage, { from: "lead", to: "w1", message: "hi" })
      expect(await h.ask(swarmStatus, {})).toMatchObject({
        status: "running",
        workers: [{ status: "working", unread: 1 }],
      })
    })

    it("know their worktree as long as there is one, and tell of each change once", async () => {
      await using h = await testTeam()
      const name = { project: "house", team: "main" }
      const w1 = parseWorkerId("w1")
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      expect(await findAttempt(h.ctx, { ...name, workerId: w1 })).toEqual({ task: "1", attempt: 1 })
      expect(await findAttempt(h.ctx, { ...name, workerId: parseWorkerId("w2") })).toBeNull()
      const place = { ...name, workerId: w1, path: "/trees/w1", branch: "teamwork/house/main/w1", base: "abc" }
      expect(await recordWorkspace(h.ctx, place)).toMatchObject({
        worktree: "/trees/w1",
        branch: "teamwork/house/main/w1",
        status: "working",
      })
      expect(await h.lastEvent()).toMatchObject({ type: "workspace.created", by: "w1", data: { base: "abc" } })
      const events = await h.eventCount()
      await recordWorkspace(h.ctx, place)
      await recordSync(h.ctx, { ...name, workerId: w1, result: "up-to-date", onto: "main", head: "abc" })
      expect(await h.eventCount()).toBe(events)
      await recordSync(h.ctx, { ...name, workerId: w1, result: "merged", onto: "main", head: "def" })
      expect(await h.lastEvent()).toMatchObject({ type: "workspace.synced", data: { head: "def" } })
      await forgetWorkspace(h.ctx, { ...name, workerId: w1, path: "/trees/w1", pins: ["refs/teamwork/a"] })
      expect(await h.lastEvent()).toMatchObject({ type: "workspace.removed", data: { pins: ["refs/teamwork/a"] } })
      expect((await h.ask(swarmStatus, {})).workers).toMatchObject([{ worktree: null, branch: null }])
      const after = await h.eventCount()
      await forgetWorkspace(h.ctx, { ...name, workerId: w1, path: "/trees/w1", pins: [] })
      await forgetWorkspace(h.ctx, { ...name, workerId: parseWorkerId("unknown"), path: "/trees/x", pins: [] })
      expect(await h.eventCount()).toBe(after)
    })
  })

  describe("pause and resume", () => {
    it("hold for the team, with a reason, and are repeated without harm", async () => {
      await using h = await testTeam()
      expect(await h.ask(pause, { reason: "lunch" })).toEqual({ paused: true, what: "project house/main" })
      expect(await h.team()).toMatchObject({ status: "paused", pauseReason: "lunch" })
      const events = await h.eventCount()
      await h.ask(pause, {})
      expect(await h.eventCount()).toBe(events)
      await h.ask(resume, {})
      expect(await h.team()).toMatchObject({ status: "active", pauseReason: null })
      await h.ask(resume, {})
      expect((await h.events()).slice(-2)).toMatchObject([
        { type: "team.paused", by: "person", data: { reason: "lunch" } },
        { type: "team.resumed", by: "person" },
      ])
    })

    it("leave held claims alone: their owners go on", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      await h.ask(pause, {})
      await h.ask(heartbeatTask, { id: "1", owner: "w1" })
      expect((await h.ask(updateTask, { id: "1", owner: "w1", status: "resolved" })).task.status).toBe("resolved")
    })

    it.each(["open", "in_progress", "in_review"] as const)("bring a task that was %s back to that", async (status) => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.bring("1", status)
      const before = await h.task("1")
      expect(await h.ask(pause, { task: "1", reason: "wait" })).toEqual({ paused: true, what: "task 1" })
      expect(await h.task("1")).toMatchObject({
        status: "paused",
        pausedFrom: status,
        pauseReason: "wait",
        leaseUntil: null,
      })
      await h.ask(pause, { task: "1" })
      await h.ask(resume, { task: "1" })
      const after = await h.task("1")
      expect(after).toMatchObject({
        status,
        pausedFrom: null,
        pauseReason: null,
        claimedBy: before.claimedBy,
        claimToken: before.claimToken,
      })
      expect((after.leaseUntil === null) === (status !== "in_progress")).toBe(true)
      expect(await h.lastEvent()).toMatchObject({ type: "task.status_changed", data: { from: "paused", to: status } })
    })

    it("let a worker start again that crashed too often, or ended in quarantine", async () => {
      await using h = await testTeam()
      const { worker } = await h.ask(setupWorker, { workerId: "w1" })
      await h.store.write((tx) => tx.workers.put(h.key, worker.id, { availability: "dead" }))
      expect(await h.ask(resume, { workerId: "w1" })).toEqual({ paused: false, what: "worker w1" })
      expect(await h.lastEvent()).toMatchObject({ type: "worker.resumed", data: { worker: "w1" } })
      expect((await h.store.read((tx) => tx.workers.find(h.key, worker.id)))?.status).toBe("dead")
    })

    it("refuse what cannot be paused or was not", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.refuses(resume, { task: "1" }, "task.transition", "task 1 is open, not paused")
      await h.refuses(pause, { task: "1", workerId: "w1" }, "usage", "not both")
      await h.refuses(pause, { task: "9" }, "task.not_found", "task 9")
      await h.refuses(pause, { workerId: "w9" }, "worker.not_found", "worker w9 does not exist")
      await h.done("1")
      await h.refuses(pause, { task: "1" }, "task.transition", "task 1 is resolved")
      await h.ask(recordVerdict, { scope: "final", status: "passed" })
      await h.refuses(pause, {}, "team.paused", "is completed; there is nothing to pause")
      await h.refuses(resume, {}, "team.paused", "is completed, not paused")
    })

    it("hold for one worker", async () => {
      await using h = await testTeam()
      await h.ask(setupWorker, { workerId: "w1" })
      await h.ask(pause, { workerId: "w1", reason: "hot" })
      expect((await h.ask(swarmStatus, {})).workers).toMatchObject([{ status: "paused" }])
      await h.ask(pause, { workerId: "w1" })
      await h.ask(resume, { workerId: "w1" })
      await h.ask(resume, { workerId: "w1" })
      expect((await h.events()).slice(-2)).toMatchObject([
        { type: "worker.paused", data: { worker: "w1", reason: "hot" } },
        { type: "worker.resumed", data: { worker: "w1" } },
      ])
    })
  })

  describe("a person who takes a task over", () => {
    const anna = { ...TEAM, owner: "person-anna", leaseSeconds: 60 }

    it("F049: gets it from a worker, which loses its claim", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      const { task } = await h.ask(claimTask, { id: "1", owner: "w1" })
      const taken = await takeForPerson(h.ctx, { ...anna, id: parseTaskId("1") })
      expect(taken).toMatchObject({ from: "w1", before: null })
      expect(taken.task).toMatchObject({ status: "in_progress", claimedBy: "person-anna", attempt: 1 })
      expect(taken.task.claimToken).toBe(task.claimToken + 1)
      expect(await h.lastEvent()).toMatchObject({
        ...{ type: "task.claimed", by: "person-anna" },
        data: { task: "1", taken_over_from: "w1" },
      })
      const late = { id: "1", owner: "w1", token: task.claimToken, status: "resolved", addEvidence: ["x"] } as const
      await h.refuses(updateTask, late, "claim.lost", "1")
    })

    it("F049: gets one that is open, paused or failed, and none that waits for others or is done", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [], 3: [], 4: [1], 5: [] })
      await h.bring("2", "paused")
      await h.bring("3", "failed")
      await h.done("5")
      const take = (id: string) => takeForPerson(h.ctx, { ...anna, id: parseTaskId(id) })
      for (const id of ["1", "2"]) expect((await take(id)).task).toMatchObject({ status: "in_progress", attempt: 1 })
      expect(await take("3")).toMatchObject({ before: 1, task: { status: "in_progress", attempt: 2 } })
      await expect(take("4")).rejects.toMatchObject({ code: "task.not_ready" })
      await expect(take("5")).rejects.toMatchObject({ code: "task.transition" })
      const ben = takeForPerson(h.ctx, { ...anna, owner: "person-ben", id: parseTaskId("1") })
      await expect(ben).rejects.toMatchObject({ code: "task.already_claimed" })
    })
  })

  describe("mailbox", () => {
    it("carries messages to workers and to the lead under any of its names", async () => {
      await using h = await testTeam()
      const [sent] = await h.ask(sendMessage, { from: "w1", to: "team-lead", message: "Grüße 👋" })
      expect(sent).toMatchObject({
        from: "w1",
        to: "orchestrator",
        type: "text",
        payload: { message: "Grüße 👋" },
        read: false,
      })
      expect(await h.lastEvent()).toMatchObject({
        type: "message.sent",
        by: "w1",
        data: { id: sent?.id as string, from: "w1", to: "orchestrator" },
      })
      for (const inbox of ["lead", "coordinator", "orchestrator"])
        expect(await h.ask(readMailbox, { inbox })).toHaveLength(1)
    })

    it("shows unread ones, by type, and marks them read once", async () => {
      await using h = await testTeam()
      await h.ask(setupWorker, { workerId: "w1" })
      await h.ask(sendMessage, { from: "lead", to: "w1", message: "a" })
      await h.ask(sendMessage, {
        from: "lead",
        to: "w1",
        type: "shutdown_request",
        payload: { request_id: "r1", more: 1 },
      })
      expect(await h.ask(readMailbox, { inbox: "w1", type: "shutdown_request" })).toMatchObject([
        { payload: { request_id: "r1", more: 1 } },
      ])
      const first = await h.ask(readMailbox, { inbox: "w1", unreadOnly: true, markRead: true, limit: 1 })
      expect(first).toMatchObject([{ payload: { message: "a" }, read: false }])
      expect(await h.lastEvent()).toMatchObject({
        type: "message.read",
        by: "w1",
        data: { inbox: "w1", ids: [first[0]?.id as string] },
      })
      expect(await h.ask(readMailbox, { inbox: "w1", unreadOnly: true })).toHaveLength(1)
      await h.ask(readMailbox, { inbox: "w1", markRead: true })
      const events = await h.eventCount()
      expect(await h.ask(readMailbox, { inbox: "w1", markRead: true })).toHaveLength(2)
      expect(await h.eventCount()).toBe(events)
    })

    it("lets only the lead write to everybody, one message each", async () => {
      await using h = await testTeam()
      await h.refuses(sendMessage, { from: "lead", to: "all", message: "x" }, "worker.not_found", "no workers yet")
      for (const workerId of ["w1", "w2"]) await h.ask(setupWorker, { workerId })
      await h.refuses(sendMessage, { from: "w1", to: "all", message: "x" }, "message.not_allowed", "only the lead")
      const sent = await h.ask(sendMessage, { from: "coordinator", to: "all", message: "x" })
      expect(sent.map((message) => message.to).toSorted()).toEqual(["w1", "w2"])
      expect((await h.eventsOf("message.sent")).map((event) => event.by)).toEqual(["orchestrator", "orchestrator"])
    })

    it("F051: refuses a recipient that does not exist, and says who does", async () => {
      await using h = await testTeam()
      await h.ask(setupWorker, { workerId: "w1" })
      await h.refuses(
        sendMessage,
        { from: "w1", to: "worker-3", message: "x" },
        "message.no_recipient",
        "there is no recipient worker-3. Recipients: orchestrator, w1, or the id of a task",
      )
      await h.refuses(
        sendMessage,
        { from: "lead", to: "w2", type: "shutdown_request", payload: { request_id: "r" } },
        "message.no_recipient",
        "w2",
      )
      expect(await h.eventsOf("message.sent")).toEqual([])
    })

    it("F051: reaches people who hold a task, shall do one, or wrote before", async () => {
      await using h = await testTeam()
      await h.ask(createTask, { title: "Held", id: "h" })
      await h.ask(createTask, { title: "Meant", id: "m", assignee: "ben" })
      await h.ask(claimTask, { id: "h", owner: "anna" })
      await h.ask(sendMessage, { from: "carl", to: "lead", message: "x" })
      for (const to of ["anna", "ben", "carl"])
        expect(await h.ask(sendMessage, { from: "lead", to, message: "x" })).toMatchObject([{ to }])
      await h.refuses(
        sendMessage,
        { from: "lead", to: "dora", message: "x" },
        "message.no_recipient",
        "anna, ben, carl",
      )
    })

    it("F051: brings a message for a task to its current owner", async () => {
      await using h = await testTeam()
      await h.ask(setupWorker, { workerId: "w1" })
      await h.ask(createTask, { title: "Schema", id: "schema" })
      const message = { from: "lead", to: "schema", message: "x" }
      await h.refuses(sendMessage, message, "message.no_recipient", "task schema has no owner now: it is open")
      const { task } = await h.ask(claimTask, { id: "schema", owner: "w1", workerId: "w1" })
      expect(await h.ask(sendMessage, message)).toMatchObject([{ to: "w1" }])
      expect(await h.ask(readMailbox, { inbox: "w1" })).toHaveLength(1)
      const claim = { id: "schema", owner: "w1", token: task.claimToken }
      await h.ask(updateTask, { ...claim, status: "failed", reason: "no" })
      await h.refuses(sendMessage, message, "message.no_recipient", "it is failed")
    })

    it("lets only the lead ask a worker to end", async () => {
      await using h = await testTeam()
      for (const workerId of ["w1", "w2"]) await h.ask(setupWorker, { workerId })
      const request = { to: "w2", type: "shutdown_request", payload: { request_id: "r1" } } as const
      await h.refuses(sendMessage, { ...request, from: "w1" }, "message.not_allowed", "only the lead")
      expect(await h.ask(readMailbox, { inbox: "w2" })).toEqual([])
      expect(await h.ask(sendMessage, { ...request, from: "lead" })).toHaveLength(1)
    })

    it("refuses a payload that its type does not carry", async () => {
      await using h = await testTeam()
      const to = { from: "w1", to: "w2" }
      await h.refuses(sendMessage, { ...to }, "input.invalid", "payload of a text message: message is missing")
      await h.refuses(sendMessage, { ...to, payload: { message: 5 } }, "input.invalid", "message is not a text")
      await h.refuses(
        sendMessage,
        { ...to, type: "shutdown_response", payload: { request_id: "r" } },
        "input.invalid",
        "approved is missing",
      )
      await h.refuses(
        sendMessage,
        { ...to, type: "idle_notification", payload: {} },
        "input.invalid",
        "worker_id is missing",
      )
      await h.refuses(sendMessage, { ...to, message: "x", payload: { message: "x" } }, "usage", "use payload")
      await h.refuses(sendMessage, { ...to, message: "x", type: "shutdown_request" }, "usage", "use payload")
      await h.refuses(readMailbox, { inbox: "w1", team: "nobody" }, "team.not_found", "house/nobody")
    })

    it("wakes a poll when a message comes, from whichever connection", async () => {
      await using h = await testTeam()
      const other = context(await h.db.connect())
      await h.ask(setupWorker, { workerId: "w1" })
      const polling = h.ask(pollMailbox, { inbox: "w1", timeout: 10, markRead: true })
      await run(other, sendMessage, { from: "lead", to: "w1", message: "hi" })
      expect(await polling).toMatchObject([{ payload: { message: "hi" } }])
      expect(await h.ask(pollMailbox, { inbox: "w1", timeout: 0 })).toEqual([])
      expect(await h.ask(pollMailbox, { inbox: "w1", timeout: 0.02 })).toEqual([])
    })
  })

  describe("events", () => {
    it("are shown from the tail, after a cursor, and by type", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [], 3: [] })
      const { events, cursor } = await h.ask(listEvents, { limit: 2 })
      expect(plainEvents(events).map((event) => event.data.task)).toEqual(["2", "3"])
      expect((await h.ask(listEvents, { after: cursor })).events).toEqual([])
      await h.ask(claimTask, { next: true, owner: "w1" })
      expect((await h.ask(listEvents, { after: cursor })).events.map((event) => event.type)).toEqual([
        "task.claimed",
        "team.phase_changed",
      ])
      expect((await h.ask(listEvents, { type: "task.created" })).events).toHaveLength(3)
      await h.refuses(listEvents, { after: "x" }, "input.invalid", "is not a cursor")
      await h.refuses(listEvents, { team: "nobody" }, "team.not_found", "house/nobody")
    })

    it("are handed over as they come, until the signal fires", async () => {
      await using h = await testTeam()
      const other = context(await h.db.connect())
      const { cursor } = await h.ask(listEvents, {})
      const controller = new AbortController()
      const seen: string[] = []
      const onEvents = (events: readonly Event[]) => {
        seen.push(...plainEvents(events).map((event) => String(event.data.task)))
        if (seen.length === 4) controller.abort()
      }
      const following = followEvents(h.ctx, { ...TEAM, after: cursor }, { onEvents, signal: controller.signal })
      for (const title of ["a", "b", "c", "d"]) await run(title < "c" ? h.ctx : other, createTask, { title })
      await following
      expect(seen).toEqual(["1", "2", "3", "4"])
    })
  })

  describe("loop-state", () => {
    it("is started, shown and cleared per terminal", async () => {
      await using h = await testTeam()
      const at = { terminalId: "t1" }
      expect(await h.ask(loopState, { ...at, get: true })).toEqual({ active: false })
      expect(await h.ask(loopState, { ...at, start: true, role: "docs" })).toMatchObject({
        active: true,
        ...TEAM,
        role: "docs",
        terminalId: "t1",
      })
      expect(await h.ask(loopState, { ...at, get: true })).toMatchObject({ active: true })
      expect(await h.ask(loopState, { terminalId: "t2", get: true })).toEqual({ active: false })
      expect(await h.ask(loopState, { ...at, clear: true })).toEqual({ active: false, cleared: true })
      expect(await h.ask(loopState, { ...at, clear: true })).toEqual({ active: false, cleared: false })
      await h.refuses(loopState, { ...at }, "usage", "one of get, start and clear")
      await h.refuses(loopState, { ...at, get: true, clear: true }, "usage", "one of")
    })
  })

  describe("project.clean", () => {
    it("begins an empty run with the same goal, and keeps the one before readable", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1], 3: [], 4: [], 5: [], 6: [] })
      await h.ask(calculateWaves, {})
      await h.ask(updateTeam, { schedule: "eager" })
      await h.done("1")
      await h.bring("3", "failed")
      await h.bring("4", "skipped")
      await h.bring("5", "paused")
      await h.ask(claimTask, { id: "6", owner: "w6" })
      await h.ask(sendMessage, { from: "lead", to: "w1", message: "x" })
      await h.refuses(cleanTeam, {}, "team.busy", "1 task is being worked on (6 by w6)")
      const cleaned = await h.ask(cleanTeam, { force: true })
      expect(cleaned).toEqual({ ...TEAM, run: 2, purged: false, closed: 1, tasks: 6 })
      expect(await h.ask(listTasks, {})).toEqual([])
      expect(await h.ask(readMailbox, { inbox: "w1" })).toEqual([])
      expect(await h.team()).toMatchObject({
        ...{ run: 2, phase: "PLANNING", status: "active", goal: "a house", schedule: "eager" },
      })
      expect((await h.ask(waveStatus, {})).totalWaves).toBe(0)
      expect((await h.ask(swarmStatus, {})).workers).toEqual([])
      const { events } = await h.ask(listEvents, { type: "team.cleaned" })
      expect(events).toMatchObject([{ by: "person", data: { tasks: 6 } }])
      expect(String((await h.ask(createTask, { title: "x" })).id)).toBe("1")
      const before = await h.ask(listTasks, { run: 1 })
      expect(before.map((task) => task.status)).toEqual(["resolved", "open", "failed", "skipped", "paused", "open"])
      expect((await h.ask(waveStatus, { run: 1 })).totalWaves).toBe(2)
      expect(await refusal(h.ask(heartbeatTask, { id: "6", owner: "w6" }))).toMatchObject({ code: "task.not_found" })
    })

    it("gives back what was being worked on, and says why", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      await h.ask(addEvidence, { id: "1", owner: "w1", addEvidence: ["12 passed"] })
      await h.ask(cleanTeam, { force: true })
      const [task] = await h.ask(listTasks, { run: 1 })
      expect(task).toMatchObject({ status: "open", claimedBy: null, attempt: 1 })
      expect((await h.eventsOf("task.released")).map((event) => event.data)).toEqual([
        { task: "1", owner: "w1", reason: "project cleaned" },
      ])
      // Evidence of before does not count for a task of the same number.
      await h.ask(createTask, { title: "anew" })
      expect((await h.ask(getTask, { id: "1" })).evidence).toEqual([])
    })

    it("closes no run that a process leads, with force or without", async () => {
      await using h = await testTeam()
      const lead = { ...TEAM, holder: "here:1", leaseMs: 60_000, settings: "{}", isGone: () => false }
      await takeLead(h.ctx, lead)
      await h.refuses(cleanTeam, { force: true }, "team.busy", "a teamwork run leads it (here:1)")
    })

    it("asks a person who supervises again before the work begins", async () => {
      await using h = await testTeam()
      await h.ask(updateTeam, { mode: "SUPERVISED" })
      await h.ask(cleanTeam, {})
      expect((await h.ask(listApprovals, {})).map(({ subject }) => subject)).toEqual(["understanding", "team-plan"])
    })

    it("forgets all of it when told to purge", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      expect(await h.ask(cleanTeam, { purge: true })).toMatchObject({ purged: true })
      await h.refuses(teamStatus, {}, "team.not_found", "house/main")
      await h.ask(createTeam, { goal: "again" })
      expect(String((await h.ask(createTask, { title: "x" })).id)).toBe("1")
    })
  })

  describe("examineTeam", () => {
    it("finds wrong counters and abandoned claims, and mends them only when asked to", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [] })
      expect((await examineTeam(h.ctx, TEAM, false)).map((finding) => finding.status)).toEqual(["ok", "ok"])
      await h.ask(claimTask, { id: "1", owner: "gone", leaseSeconds: SHORT_LEASE_SECONDS })
      await h.expired("1")
      const before = await snapshot(h.store, h.key)
      expect(await examineTeam(h.ctx, TEAM, false)).toMatchObject([
        { status: "ok" },
        { status: "warning", detail: "abandoned: 1", fixed: false },
      ])
      expect(await snapshot(h.store, h.key)).toEqual(before)
      expect(await examineTeam(h.ctx, TEAM, true)).toMatchObject([{ status: "ok" }, { status: "warning", fixed: true }])
      expect((await h.task("1")).status).toBe("open")
    })
  })

  describe("known defects of the source systems", () => {
    it("claim and the available list ignoring unmet needs", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1], 3: [2] })
      expect((await h.ask(listTasks, { available: true })).map((task) => String(task.id))).toEqual(["1"])
      for (const id of ["2", "3"])
        await h.refuses(claimTask, { id, owner: "w1" }, "task.not_ready", `task ${id} waits for`)
      await h.ask(claimTask, { next: true, owner: "w1" })
      await h.refuses(claimTask, { next: true, owner: "w2" }, "task.none_available", "2 open")
    })

    it("release leaving a task in_progress and invisible", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      for (const release of [
        () => h.ask(releaseTask, { id: "1", owner: "w1" }),
        () => h.ask(updateTask, { id: "1", release: true }),
      ]) {
        await h.ask(claimTask, { id: "1", owner: "w1" })
        await release()
        expect(await h.task("1")).toMatchObject({ status: "open", claimedBy: null })
        expect(await h.ask(listTasks, { available: true })).toHaveLength(1)
      }
    })

    it("evidence given in the resolving call not checked", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      const resolve = { id: "1", owner: "w1", status: "resolved" } as const
      await h.refuses(
        updateTask,
        { ...resolve, addEvidence: ["fine", "It Should  Work now"] },
        "evidence.blocked",
        'evidence says "should work"',
      )
      await h.refuses(
        updateTask,
        { ...resolve, title: "new", addEvidence: ["FIXME"] },
        "evidence.blocked",
        'evidence says "FIXME"',
      )
      await h.ask(addEvidence, { id: "1", owner: "w1", addEvidence: ["placeholder for now"] })
      await h.refuses(updateTask, resolve, "evidence.blocked", "teamwork evidence withdraw --id 1 --number 1")
      await h.refuses(
        updateTask,
        { ...resolve, title: "new" },
        "evidence.blocked",
        "teamwork evidence withdraw --id 1 --number 1",
      )
      await h.ask(withdrawEvidence, { id: "1", number: 1, owner: "w1" })
      expect((await h.ask(updateTask, { ...resolve, addEvidence: ["12 passed"] })).task.status).toBe("resolved")
    })

    it("repeated evidence flags keeping only the last", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1" })
      await h.ask(updateTask, { id: "1", owner: "w1", addEvidence: ["a", "b"] })
      await h.ask(updateTask, { id: "1", owner: "w1", status: "resolved", addEvidence: ["c", "d", "c"] })
      expect((await h.ask(listEvidence, { id: "1" })).map((entry) => `${entry.number} ${entry.text}`)).toEqual([
        "1 a",
        "2 b",
        "3 c",
        "4 d",
        "5 c",
      ])
    })

    it("a missing dependency reported as a cycle", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      const error = await h.refuses(
        createTask,
        { title: "x", blockedBy: ["1", "99"] },
        "need.missing",
        "task 2 needs 99, which does not exist; create 99 first",
      )
      expect(error.details).toEqual({ taskId: "2", need: "99" })
      await h.refuses(updateTask, { id: "1", addBlockedBy: ["99"] }, "need.missing", "task 1 needs 99")
    })

    it("a cycle scheduled as one batch", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1] })
      await h.refuses(updateTask, { id: "1", addBlockedBy: ["2"] }, "need.cycle", "needs form a cycle: 1 -> 2 -> 1")
      // Even a circle that came from elsewhere is not laid out.
      await h.store.write((tx) => tx.tasks.setNeeds(h.key, "1" as never, ["2" as never]))
      await h.refuses(calculateWaves, {}, "need.cycle", "1 -> 2 -> 1")
      await h.refuses(claimTask, { next: true, owner: "w1" }, "task.none_available", "2 open")
    })

    it("wave recalculation resetting verified waves", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [], 2: [1], 3: [2] })
      await h.ask(calculateWaves, {})
      await h.done("1")
      await h.ask(updateWave, { wave: 1, status: "verified" })
      const before = await h.ask(waveStatus, {})
      const after = await h.ask(calculateWaves, {})
      expect(after).toEqual(before)
      await h.ask(createTask, { title: "late", blockedBy: ["3"] })
      await h.ask(updateTask, { id: "3", removeBlockedBy: ["2"], addBlockedBy: ["1"] })
      const again = await h.ask(calculateWaves, {})
      expect(again.waves[0]).toEqual(before.waves[0] as (typeof before.waves)[0])
      expect(again.waves.map((wave) => wave.tasks.map(String))).toEqual([["1"], ["2", "3"], ["4"]])
      expect(again.currentWave).toBe(2)
    })

    it("parallel mailbox sends losing messages", async () => {
      await using h = await testTeam()
      const contexts = [h.ctx, context(await h.db.connect()), context(await h.db.connect())]
      const texts = Array.from({ length: 30 }, (_, index) => `m${index}`)
      await Promise.all(
        texts.map((message, index) =>
          run(contexts[index % 3] as Context, sendMessage, { from: "w1", to: "lead", message }),
        ),
      )
      const inbox = await h.ask(readMailbox, { inbox: "lead" })
      expect(inbox.map((message) => String(message.payload.message)).toSorted()).toEqual(texts.toSorted())
    })

    it("parallel claims crashing on the lock", async () => {
      await using h = await testTeam()
      await h.tasks(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [index + 1, []])))
      const contexts = await Promise.all(Array.from({ length: 4 }, async () => context(await h.db.connect())))
      const claims = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          run(contexts[index % 4] as Context, claimTask, { next: true, owner: `w${index}` }),
        ),
      )
      expect(new Set(claims.map((claim) => claim.task.id)).size).toBe(12)
    })

    it("worker numbering restarting at w1", async () => {
      await using h = await testTeam()
      const contexts = [h.ctx, context(await h.db.connect())]
      const setUp = await Promise.all(
        Array.from({ length: 6 }, (_, index) => run(contexts[index % 2] as Context, setupWorker, {})),
      )
      expect(setUp.map(({ worker }) => String(worker.id)).toSorted()).toEqual(["w1", "w2", "w3", "w4", "w5", "w6"])
      await h.ask(cleanTeam, {})
      expect(String((await h.ask(setupWorker, {})).worker.id)).toBe("w7")
    })

    it("an expired lease with no renewal making finished work unacceptable", async () => {
      await using h = await testTeam()
      await h.tasks({ 1: [] })
      await h.ask(claimTask, { id: "1", owner: "w1", leaseSeconds: SHORT_LEASE_SECONDS })
      await h.expired("1")
      await h.ask(addEvidence, { id: "1", owner: "w1", token: 1, addEvidence: ["12 passed"] })
      await h.expired("1")
      const { task } = await h.ask(updateTask, {
        id: "1",
        owner: "w1",
        token: 1,
        status: "resolved",
        addEvidence: ["done"],
      })
      expect(task).toMatchObject({ status: "resolved", claimedBy: "w1" })
    })
  })

  it("writes events in the shape their type promises, whatever was done", async () => {
    await using h = await testTeam()
    await h.tasks({ 1: [], 2: [1], 3: [] })
    await h.ask(calculateWaves, {})
    await h.done("1")
    await h.ask(updateWave, { wave: 1, status: "failed" })
    await h.ask(addEvidence, { id: "2", addEvidence: ["x"] })
    await h.ask(withdrawEvidence, { id: "2", number: 1 })
    await h.ask(updateTask, { id: "2", title: "new", addBlockedBy: ["3"] })
    await h.ask(setupWorker, {})
    for (const what of [{}, { task: "2" }, { workerId: "w1" }]) {
      await h.ask(pause, what)
      await h.ask(resume, what)
    }
    await h.ask(sendMessage, { from: "lead", to: "w1", message: "x" })
    await h.ask(readMailbox, { inbox: "w1", markRead: true })
    await h.ask(recordVerdict, { scope: "cross-agent", status: "passed" })
    await h.ask(reopenTask, { id: "1" })
    await h.ask(deleteTask, { id: "3", force: true })
    await h.ask(updateTeam, { goal: "y" })
    await h.ask(cleanTeam, {})
    const events = await h.events()
    expect(new Set(events.map((event) => event.type)).size).toBeGreaterThan(18)
  })
}

interface House extends AsyncDisposable {
  readonly db: TestDatabase
  readonly store: Store
  readonly ctx: Context
  readonly key: number
  ask<F extends Fields, Result>(operation: Operation<F, Result>, given: Given<F>): Promise<Result>
  /** Expects a refusal with this code and words, after which everything is as it was. */
  refuses<F extends Fields>(
    operation: Operation<F, unknown>,
    given: Given<F>,
    code: ErrorCode,
    words: string,
  ): ReturnType<typeof refusal>
  /** Creates tasks by id with the ids they need. */
  tasks(needs: Record<string, readonly (number | string)[]>): Promise<void>
  task(id: string): Promise<Task>
  team(): Promise<Awaited<ReturnType<typeof teamStatus.run>>>
  /** Claims and resolves. */
  done(id: string): Promise<void>
  bring(id: string, status: TaskStatus): Promise<void>
  expired(id: string): Promise<void>
  events(): Promise<Event[]>
  eventsOf(type: Event["type"]): Promise<Event[]>
  eventCount(): Promise<number>
  lastEvent(): Promise<Event | undefined>
}

async function makeHouse(makeDatabase: MakeDatabase, settings: Partial<Settings> = {}): Promise<House> {
  const { db, store, testTeam: ctx, key } = await openTestTeam(makeDatabase, settings)
  const ask: House["ask"] = (operation, given) => run(ctx, operation, given)
  const events = () => allEvents(store, key)
  return {
    db,
    store,
    ctx,
    key,
    ask,
    async refuses(operation, given, code, words) {
      const before = await snapshot(store, key)
      const error = await refusal(run(ctx, operation, given))
      expect({ code: error.code, message: error.message }).toEqual({ code, message: expect.stringContaining(words) })
      expect(await snapshot(store, key)).toEqual(before)
      return error
    },
    async tasks(needs) {
      for (const [id, blockedBy] of Object.entries(needs)) {
        await ask(createTask, { id, title: `task ${id}`, blockedBy: blockedBy.map(String) })
      }
    },
    task: (id) => ask(getTask, { id }).then(({ evidence: _, ...task }) => task),
    team: () => ask(teamStatus, {}),
    async done(id) {
      await ask(claimTask, { id, owner: "w1" })
      await ask(updateTask, { id, owner: "w1", status: "resolved" })
    },
    async bring(id, status) {
      const isBegun = status !== "open" && status !== "skipped" && status !== "paused"
      if (isBegun) await ask(claimTask, { id, owner: "w1" })
      if (status !== "open") await ask(updateTask, { id, status })
    },
    expired: (id) => untilExpired(store, key, id),
    events,
    eventsOf: async (type) => (await events()).filter((event) => event.type === type),
    eventCount: async () => (await events()).length,
    lastEvent: async () => (await events()).at(-1),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  }
}
