// Every invariant is broken here once on purpose: a check that never says no would prove nothing.

import { describe, expect, it } from "bun:test"
import { branchRef, integrationBranch, pinRef } from "../../src/kernel/branches.ts"
import type { NewEvent } from "../../src/kernel/events.ts"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import type { Phase } from "../../src/kernel/phase.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { claimRequest, context, finishRequest, makeTeam, run } from "../support/stores.ts"
import { makeSimGit, type SimGit } from "./git.ts"
import { type Invariants, makeInvariants } from "./invariants.ts"
import { SIM_RUN, SIM_TEAM, type SimPlan } from "./plans.ts"
import { openSimStore, type SimStore } from "./store.ts"
import { makeWorld } from "./world.ts"

const INTEGRATION = branchRef(integrationBranch(SIM_TEAM))
const task = { title: "", needs: [], role: "worker", checks: [], paths: [], clash: null } as const
const PLAN: SimPlan = {
  schedule: "waves",
  base: { isRed: false, isReadable: true, lacksLinter: false },
  tasks: [
    { ...task, id: "t1", files: ["src/t1/**"] },
    { ...task, id: "t2", files: ["src/t2/**"] },
    { ...task, id: "t3", files: [] },
  ],
  files: { "README.md": "README.md: start\n" },
}

interface Scene extends AsyncDisposable {
  readonly store: SimStore
  readonly key: number
  readonly git: SimGit
  readonly invariants: Invariants
  readonly shown: { run: number; message: string }[]
  readonly running: string[]
  /** A commit with these files on top of others. */
  commit(parents: readonly string[], files: Record<string, string>, message?: string): string
  readonly main: string
}

async function makeScene(): Promise<Scene> {
  const world = makeWorld({ seed: 1 })
  const store = await openSimStore(world)
  const git = makeSimGit(world, { team: SIM_RUN, files: PLAN.files })
  const { key } = await makeTeam(store.direct, SIM_TEAM)
  for (const { id, files } of PLAN.tasks)
    await run(context(store.direct), createTask, { ...SIM_TEAM, id, title: id, files })
  const shown: Scene["shown"] = []
  const running: string[] = []
  const agents = { shown, of: () => [], runningFor: () => [] }
  const invariants = makeInvariants({
    run: 1,
    store,
    key,
    git,
    plan: PLAN,
    agents,
    running: () => running,
    wasKilled: () => false,
  })
  await invariants.check()
  const { repository } = git
  const main = repository.refs.get("refs/heads/main") ?? ""
  return {
    ...{ store, key, git, invariants, shown, running, main },
    commit(parents, files, message = "Commit") {
      const before = parents[0] === undefined ? new Map() : repository.objects.files(parents[0])
      return repository.commitFiles({ files: new Map([...before, ...Object.entries(files)]), parents, message })
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

const of = (taskId: string, owner: string) => ({ ...claimRequest(owner, { taskId }), ...SIM_TEAM })

describe("an invariant that is broken is told", () => {
  it("I1: a task with a lease that lasts is somebody else's", async () => {
    await using scene = await makeScene()
    await scene.store.direct.claimTask(of("t1", "w1"))
    await scene.invariants.check()
    await scene.store.direct.write(async (tx) => {
      await tx.tasks.update(scene.key, "t1" as never, { status: "open", claimedBy: null, leaseUntil: null })
      await tx.claimTask(of("t1", "w2"))
    })
    await expect(scene.invariants.check()).rejects.toThrow("I1: task t1 was claimed by w2 while w1 held it")
  })

  it("I3: nothing keeps a commit any more", async () => {
    await using scene = await makeScene()
    const { repository } = scene.git
    const lost = scene.commit([scene.main], { a: "a\n" })
    repository.setRef("refs/heads/work", lost)
    repository.setRef("refs/teamwork/pin", lost)
    repository.setRef("refs/heads/work", null)
    await scene.invariants.check()
    repository.setRef("refs/teamwork/pin", scene.main)
    await expect(scene.invariants.check()).rejects.toThrow(`I3: commit ${lost.slice(0, 10)}`)
  })

  it("I4: the target went back, or past a gate that said nothing", async () => {
    await using scene = await makeScene()
    const { repository } = scene.git
    const next = scene.commit([scene.main], { a: "a\n" })
    const { tree } = repository.objects.commit(next)
    const verdict = { scope: "final", subject: null, checks: [], issues: [], by: "gate", commit: next, tree } as const
    await scene.store.direct.write((tx) => tx.verdicts.add(scene.key, { ...verdict, status: "passed" }))
    repository.setRef("refs/heads/main", next)
    await scene.invariants.check()
    const unseen = scene.commit([next], { b: "b\n" })
    repository.setRef("refs/heads/main", unseen)
    await expect(scene.invariants.check()).rejects.toThrow("I4: the target went to")
    repository.setRef("refs/heads/kept", unseen)
    repository.setRef("refs/heads/main", scene.main)
    await expect(scene.invariants.check()).rejects.toThrow("which is not forward")
  })

  it("I5: a task is resolved that its gate did not pass", async () => {
    await using scene = await makeScene()
    const { repository } = scene.git
    const finish = async (id: string) => {
      await scene.store.direct.claimTask(of(id, "w1"))
      await scene.store.direct.finishTask({ ...finishRequest(id, { owner: "w1" }), ...SIM_TEAM })
    }
    const head = scene.commit([scene.main], { "src/t1/a": "a\n" })
    repository.setRef(pinRef(SIM_RUN, { taskId: "t1", attempt: 1 }, "head"), head)
    const { tree } = repository.objects.commit(head)
    const verdict = { scope: "task", subject: "t1", checks: [], issues: [], by: "gate", commit: head, tree } as const
    await scene.store.direct.write((tx) => tx.verdicts.add(scene.key, { ...verdict, status: "passed" }))
    await finish("t1")
    await scene.invariants.check()
    repository.setRef(pinRef(SIM_RUN, { taskId: "t2", attempt: 1 }, "head"), head)
    await finish("t2")
    await expect(scene.invariants.check()).rejects.toThrow("I5: task t2 was resolved")
  })

  it("I6: a file of somebody else's is on the integration branch, or came past the queue", async () => {
    await using scene = await makeScene()
    const { repository } = scene.git
    const merge = (files: Record<string, string>, name: string) => {
      const head = scene.commit([scene.main], files)
      const tip = repository.refs.get(INTEGRATION) ?? scene.main
      repository.setRef(
        INTEGRATION,
        scene.commit([tip, head], files, `Merge\n\nTeamwork-Task: ${name}\nTeamwork-Attempt: 1\n`),
      )
    }
    repository.setRef(INTEGRATION, scene.main)
    await scene.invariants.check()
    merge({ "src/t1/a": "a\n" }, "t1")
    merge({ "free/a": "a\n" }, "t3")
    merge({ "src/t1/b": "a\n" }, "fix-t1-1")
    await scene.invariants.check()
    merge({ "src/t2/a": "a\n" }, "t1")
    await expect(scene.invariants.check()).rejects.toThrow("I6: task t1 brought src/t2/a")
    merge({ "src/t1/c": "a\n" }, "t3")
    await expect(scene.invariants.check()).rejects.toThrow("I6: task t3 brought src/t1/c, which is task t1's")
  })

  it("I6: a commit came to the integration branch past the queue", async () => {
    await using scene = await makeScene()
    const { repository } = scene.git
    repository.setRef(INTEGRATION, scene.main)
    await scene.invariants.check()
    repository.setRef(INTEGRATION, scene.commit([scene.main], { "src/t1/a": "a\n" }))
    await expect(scene.invariants.check()).rejects.toThrow("came past the merge queue")
  })

  it("I7: an agent runs before the team may execute", async () => {
    await using scene = await makeScene()
    const data = {
      run: "t1-1-1",
      task: parseTaskId("t1"),
      attempt: 1,
      worker: "w1",
      agent: "codex",
      model: null,
      turn: 1,
    }
    await scene.store.direct.write((tx) => tx.events.append(scene.key, "w1", { type: "run.started", data }))
    await expect(scene.invariants.check()).rejects.toThrow("I7: run t1-1-1")
  })

  it("I7: a planned task is carried out without an approval, or one question gets two answers", async () => {
    await using scene = await makeScene()
    const append = (event: NewEvent) => scene.store.direct.write((tx) => tx.events.append(scene.key, "w1", event))
    const phase = (from: Phase, to: Phase): NewEvent => ({
      type: "task.phase_changed",
      data: { task: parseTaskId("t1"), attempt: 1, from, to, reason: null },
    })
    await append(phase("plan_design", "awaiting_approval"))
    await scene.invariants.check()
    await append({
      type: "task.step",
      data: { task: parseTaskId("t1"), attempt: 1, worker: parseWorkerId("w1"), step: "agent" },
    })
    await expect(scene.invariants.check()).rejects.toThrow("I7: task t1 is carried out in awaiting_approval")
    await append(phase("awaiting_approval", "execution"))
    await expect(scene.invariants.check()).rejects.toThrow("I7: w1 began to execute task t1 without an approval")
    const about = "approval 1 (plan of task t1)"
    const record = { kind: "approval", number: 1, task: parseTaskId("t1"), about } as const
    await append({ type: "record.added", data: { ...record, status: "pending" } })
    await append({ type: "record.changed", data: { ...record, status: "rejected" } })
    await scene.invariants.check()
    await append({ type: "record.changed", data: { ...record, status: "approved" } })
    await expect(scene.invariants.check()).rejects.toThrow("I7: approval 1 was decided twice")
  })

  it("I8: something is left at the end", async () => {
    await using scene = await makeScene()
    scene.running.push("worker w1")
    await expect(scene.invariants.checkEnd()).rejects.toThrow("I8: worker w1 still runs")
    scene.running.pop()
    const tree = { worker: "w1", path: "/w1", branch: "b", head: null, record: null, files: new Map(), log: [] }
    scene.git.repository.worktrees.set("w1", tree)
    await expect(scene.invariants.checkEnd()).rejects.toThrow("I8: the worktree of w1 is left")
    scene.git.repository.worktrees.clear()
    await expect(scene.invariants.checkEnd()).rejects.toThrow("end: task t1 is open")
  })

  it("I10: a message is read twice, or shown as new once it was read", async () => {
    await using scene = await makeScene()
    const read = { inbox: "w1", ids: ["m1"] }
    await scene.store.direct.write(async (tx) => {
      await tx.messages.send(scene.key, "lead", { id: "m1", from: "lead", to: "w1", type: "text", payload: {} })
      await tx.events.append(scene.key, "w1", { type: "message.read", data: read })
    })
    await scene.invariants.check()
    scene.shown.push({ run: 1, message: "m1" })
    await expect(scene.invariants.check()).rejects.toThrow("I10: message m1 was shown as new after it was read")
    scene.shown.pop()
    await scene.store.direct.write((tx) => tx.events.append(scene.key, "w1", { type: "message.read", data: read }))
    await expect(scene.invariants.check()).rejects.toThrow("I10: message m1 was read twice")
  })
})
