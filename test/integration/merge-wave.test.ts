// From resolved tasks in the store to merges in git and back: events, fix tasks, and what an interruption leaves.

import { describe, expect, it } from "bun:test"
import type { GateResult } from "../../src/delivery/merge-queue/candidate.ts"
import type { QueuePorts } from "../../src/delivery/merge-queue/merge-batch.ts"
import { mergeWave, type WaveMerge, type WaveReport } from "../../src/delivery/merge-queue/merge-wave.ts"
import { integrationRef, pinRef, workerBranch } from "../../src/kernel/branches.ts"
import type { EventType } from "../../src/kernel/events.ts"
import { listEscalations } from "../../src/requests/operations/escalations.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { calculateWaves, updateWave } from "../../src/tasks/operations/wave-status.ts"
import type { Task } from "../../src/tasks/task.ts"
import { type Files, type MergeRepository, makeMergeRepository } from "../support/merge-repository.ts"
import { plainEvents } from "../support/plain-events.ts"
import { allEvents, context, FIRST_RUN, getTask, makeTeam, run, STORES, TEAM } from "../support/stores.ts"

describe.each(Object.keys(STORES))("merging the tasks of a wave, on %s", (store) => {
  it("merges what is resolved, pinned by whoever worked or by this call, and tells it once", async () => {
    await using scene = await prepare(store, ["1", "2", "3"])
    await scene.work("1", { a: "1\n" })
    const head = await scene.work("2", { b: "2\n" }, { isPinned: false })
    const report = await scene.merge()
    expect(report).toMatchObject({ target: "main", fixes: [], pending: ["3"], left: [] })
    expect(kinds(report)).toEqual({ 1: "merged", 2: "merged" })
    expect(await scene.git.read(["rev-parse", pinRef(FIRST_RUN, { taskId: "2", attempt: 1 }, "head")])).toBe(head)
    await scene.merge()
    const batch = { tasks: ["1", "2"], wave: null }
    expect((await scene.events("merge.started")).map(({ data }) => data)).toEqual([batch, batch])
    expect((await scene.events("merge.ended")).map(({ data }) => data)).toEqual([batch, batch])
    const events = await scene.events("task.merged")
    const merged = await scene.merges.mergedAttempts(scene.base, report.after)
    expect(events.map((event) => event.data)).toEqual(
      ["1", "2"].map((task) => ({ task, attempt: 1, commit: merged.get(`${task}/1`) })),
    )
    expect(new Set(events.map((event) => event.by))).toEqual(new Set(["teamwork"]))
  })

  it("looks only at what is new, unless somebody moved the branch since the last merge", async () => {
    await using scene = await prepare(store, ["1", "2", "3"])
    await scene.work("1", { a: "1\n" })
    const first = await scene.merge()
    const last = { tip: first.after, merged: new Set(["1/1"]) }
    await scene.work("2", { b: "2\n" })
    const second = await scene.merge({ last })
    expect(kinds(second)).toEqual({ 2: "merged" })
    expect(await scene.merges.contains(second.after, first.after)).toBe(true)
    // The branch is not where that merge left it: everything counts again.
    const third = await scene.merge({ last: { tip: first.after, merged: new Set(["1/1", "2/1"]) } })
    expect(kinds(third)).toEqual({ 1: "contained", 2: "contained" })
    const events = await scene.events("task.merged")
    const merged = await scene.merges.mergedAttempts(scene.base, third.after)
    expect(events.map(({ data }) => data.commit)).toEqual([merged.get("1/1"), merged.get("2/1")])
  })

  it("resolves what is in review once it is merged, where that is all it waits for", async () => {
    await using scene = await prepare(store, ["1", "2"], { 3: "1", 4: "2" })
    await scene.work("1", { shared: "one\n" }, { status: "in_review" })
    await scene.work("2", { shared: "two\n" }, { status: "in_review" })
    expect((await scene.merge()).outcomes).toEqual([])
    expect(await scene.task("1")).toMatchObject({ status: "in_review" })
    const report = await scene.merge({ takesReviewed: true })
    expect(kinds(report)).toEqual({ 1: "merged", 2: "conflict" })
    expect(await scene.task("1")).toMatchObject({ status: "resolved", workerId: "w1" })
    expect(await scene.task("3")).toMatchObject({ unmet: 0 })
    // Nobody gets to see that what does not fit is resolved without having to wait for the fix.
    expect(await scene.task("2")).toMatchObject({ status: "resolved" })
    expect(await scene.task("4")).toMatchObject({ unmet: 1, blockedBy: ["2", "fix-2-1"] })
  })

  it("F024: makes one repair after the other of work that collides, each on top of the one before", async () => {
    await using scene = await prepare(store, ["1", "2", "3", "4"], { 5: "4" })
    const heads = new Map<string, string>()
    for (const id of ["1", "2", "3", "4"])
      heads.set(id, await scene.work(id, { shared: `${id}\n` }, { status: "in_review" }))
    const merge = () => scene.merge({ takesReviewed: true })
    let report = await merge()
    expect(kinds(report)).toEqual({ 1: "merged", 2: "conflict", 3: "queued", 4: "queued" })
    expect(await scene.task("3")).toMatchObject({ status: "in_review" })
    expect((await scene.task("fix-2-1")).blockedBy).toEqual([])
    // As long as the repair is not done, nothing changes and nothing is told twice.
    expect(kinds(await merge())).toMatchObject({ 3: "queued", 4: "queued" })
    expect((await scene.events("task.merge_queued")).map(({ data }) => data.task)).toEqual(["3", "4"])
    const parents = () => [report.after, heads.get("2") ?? ""]
    await scene.work("fix-2-1", { shared: "1 2\n" }, { parents: parents(), status: "in_review" })
    report = await merge()
    expect(kinds(report)).toMatchObject({ "fix-2-1": "merged", 3: "conflict", 4: "queued" })
    expect((await scene.task("fix-3-1")).description).toContain("    1 2")
    // One that is given up keeps nobody waiting.
    await run(scene.context, updateTask, { id: "fix-3-1", status: "skipped" })
    report = await merge()
    expect(kinds(report)).toMatchObject({ 4: "conflict" })
    expect(report.fixes).toMatchObject([{ fix: "fix-4-1" }])
    expect((await scene.task("5")).blockedBy).toEqual(["4", "fix-4-1"] as never[])
  })

  it("F024: gives a fix to the worker that did the work, where that is idle and somebody leads", async () => {
    for (const isBusy of [false, true]) {
      await using scene = await prepare(store, ["1", "2", "3"])
      await scene.work("1", { shared: "1\n" }, { status: "in_review" })
      await scene.work("2", { shared: "2\n" }, { status: "in_review" })
      if (isBusy) await run(scene.context, claimTask, { id: "3", owner: "w2" })
      await scene.merge({ takesReviewed: true, assignsFixes: true })
      expect(await scene.task("fix-2-1")).toMatchObject({ assignee: isBusy ? null : "w2" })
    }
  })

  it("resolves what is in review and has no commit", async () => {
    await using scene = await prepare(store, ["1"])
    await scene.work("1", {}, { status: "in_review", isEmpty: true })
    await scene.merge({ takesReviewed: true })
    expect(await scene.task("1")).toMatchObject({ status: "resolved" })
  })

  it("F016: resolves each of several that are in review and have no commit", async () => {
    await using scene = await prepare(store, ["1", "2"], { 3: "2" })
    for (const id of ["1", "2"]) {
      await scene.work(id, {}, { status: "in_review", isEmpty: true })
      await scene.merge({ takesReviewed: true })
      expect(await scene.task(id)).toMatchObject({ status: "resolved" })
    }
    expect(await scene.task("3")).toMatchObject({ unmet: 0 })
  })

  it("makes a conflict a fix task in the same wave, once, and whoever needs the task waits for it", async () => {
    await using scene = await prepare(store, ["1", "2"], { 3: "2" })
    await scene.work("1", { shared: "one\n" })
    const head = await scene.work("2", { shared: "two\n" })
    const report = await scene.merge({ wave: 1 })
    expect(kinds(report)).toEqual({ 1: "merged", 2: "conflict" })
    expect(report.fixes).toMatchObject([{ taskId: "2", fix: "fix-2-1", isNew: true }])
    const fix = await scene.task("fix-2-1")
    expect(fix).toMatchObject({ status: "open", wave: 1, role: "backend", files: ["f2"], checks: ["true"] })
    for (const part of ['"shared": CONFLICT', "    one", "    two", "task 1 as well", `git merge ${head}`])
      expect(fix.description).toContain(part)
    expect(await scene.task("2")).toMatchObject({ status: "resolved", attempt: 1 })
    expect((await scene.task("3")).blockedBy).toEqual(["2", "fix-2-1"] as never[])
    // Again, as after a crash right behind the first time.
    const again = await scene.merge({ wave: 1 })
    expect(again.left).toEqual([{ taskId: "2", attempt: 1, reason: "fix-2-1 mends it" }] as never[])
    expect(again.fixes).toEqual([])
    expect(await scene.events("task.merge_failed")).toHaveLength(1)
    await expect(run(scene.context, updateWave, { wave: 1, status: "verified" })).rejects.toMatchObject({
      code: "wave.transition",
    })
  })

  it("keeps a fix apart from whoever owns some of its files", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { shared: "one\n" })
    await scene.work("2", { shared: "two\n" })
    // Task 2 has ended and owns nothing any more; its fix will.
    await run(scene.context, createTask, { id: "begun", title: "Begun", files: ["f2"] })
    await run(scene.context, createTask, { id: "open", title: "Open", files: ["f2"], blockedBy: ["begun"] })
    await run(scene.context, claimTask, { id: "begun", owner: "w9" })
    await scene.merge({ wave: 1 })
    expect((await scene.task("fix-2-1")).blockedBy).toEqual(["begun"] as never[])
    expect((await scene.task("open")).blockedBy).toEqual(["begun", "fix-2-1"] as never[])
  })

  it("takes a verified wave back when a task of it does not merge after all", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { shared: "one\n" })
    await scene.work("2", { shared: "two\n" })
    await run(scene.context, updateWave, { wave: 1, status: "verified" })
    await scene.merge({ wave: 1 })
    expect((await scene.events("wave.updated")).at(-1)?.data).toEqual({ wave: 1, from: "verified", to: "in_progress" })
  })

  it("merges the fix with the work that it mends, and then the task counts as merged", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { shared: "one\n" })
    const mended = await scene.work("2", { shared: "two\n" })
    const { after } = await scene.merge()
    await scene.work("fix-2-1", { shared: "one and two\n" }, { parents: [after, mended] })
    const report = await scene.merge()
    expect(kinds(report)).toMatchObject({ "fix-2-1": "merged", 2: "contained" })
    expect(await scene.read(report.after, "shared")).toBe("one and two\n")
    expect((await scene.events("task.merged")).map((event) => event.data.task)).toEqual(["1", "fix-2-1", "2"])
  })

  it("refuses a fix without the work that it mends, until it has it", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { shared: "one\n" })
    const mended = await scene.work("2", { shared: "two\n", own: "two\n" })
    const { after } = await scene.merge()
    await scene.work("fix-2-1", { shared: "anew\n" }, { parents: [after] })
    const report = await scene.merge()
    expect(kinds(report)).toEqual({ 1: "contained", "fix-2-1": "refused" })
    expect(report.after).toBe(after)
    expect(report.left).toMatchObject([{ taskId: "2", reason: "fix-2-1 mends it" }])
    const short = mended.slice(0, 12)
    const why = `the work of task 2 (${short}) is not in it; bring it in with: git merge ${short}`
    expect(report.outcomes).toContainEqual(
      expect.objectContaining({ outcome: { kind: "refused", notices: [{ code: "missing_work", message: why }] } }),
    )
    const reopened = await scene.events("task.reopened")
    expect(String(reopened.at(-1)?.data.reason)).toContain(why)
    expect(await scene.task("fix-2-1")).toMatchObject({ status: "open", attempt: 2 })
    await scene.work("fix-2-1", { shared: "both\n", own: "two\n" }, { parents: [after, mended] })
    expect(kinds(await scene.merge())).toMatchObject({ "fix-2-1": "merged", 2: "contained" })
  })

  it("F012: fails a fix that is refused as often as a task may cost runs, and asks once", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { shared: "one\n" })
    await scene.work("2", { shared: "two\n" })
    await scene.merge({ maxRuns: 3 })
    for (const attempt of [2, 3]) {
      await scene.work("fix-2-1", {}, { isEmpty: true })
      await scene.merge({ maxRuns: 3 })
      expect(await scene.task("fix-2-1")).toMatchObject({ status: "open", attempt })
    }
    await scene.work("fix-2-1", {}, { isEmpty: true })
    expect(kinds(await scene.merge({ maxRuns: 3 }))).toMatchObject({ "fix-2-1": "refused" })
    expect(await scene.task("fix-2-1")).toMatchObject({ status: "failed", attempt: 3 })
    const failed = (await scene.events("task.status_changed")).filter(({ data }) => data.to === "failed")
    expect(failed).toHaveLength(1)
    expect(String(failed[0]?.data.reason)).toContain("not merged, 3 times for the same reason (refused)")
    await scene.merge({ maxRuns: 3 })
    const asked = await listEscalations.run(scene.context, TEAM)
    expect(asked).toMatchObject([{ trigger: "repeated_failure", taskId: "fix-2-1" }])
  })

  it("I14: an empty look does not bind the worker that brings its commit afterwards", async () => {
    await using scene = await prepare(store, ["1"])
    await scene.work("1", {}, { isEmpty: true, isPinned: false })
    const first = await scene.merge()
    expect(kinds(first)).toEqual({ 1: "empty" })
    const head = await scene.commit([scene.base], { a: "1\n" })
    await scene.set(pinRef(FIRST_RUN, { taskId: "1", attempt: 1 }, "head"), head)
    const second = await scene.merge()
    expect(kinds(second)).toEqual({ 1: "merged" })
    expect(second.restored).toEqual([])
  })

  it("refuses a fix that committed nothing as well", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { shared: "one\n" })
    await scene.work("2", { shared: "two\n" })
    await scene.merge()
    await scene.work("fix-2-1", {}, { isEmpty: true })
    expect(kinds(await scene.merge())).toMatchObject({ "fix-2-1": "refused" })
  })

  it("makes the failing gate a fix task with the end of its output, and starts a fix that fails anew", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { a: "good\n" })
    const bad = await scene.work("2", { b: "bad\n" })
    const gate = async (commit: string): Promise<GateResult> =>
      (await scene.read(commit, "b")) === "bad\n" ? { ...FAILED, output: `${"x".repeat(9000)} the reason` } : PASSED
    const first = await scene.merge({}, { gate })
    expect(kinds(first)).toEqual({ 1: "merged", 2: "guilty" })
    const { description } = await scene.task("fix-2-1")
    expect(description).toContain("- check tests failed")
    expect(description).toEndWith("Only the files of that task may change.")
    expect(description).toContain("the reason")
    expect(description.length).toBeLessThan(8000)
    await scene.work("fix-2-1", { b: "bad\n" }, { parents: [first.after, bad] })
    const second = await scene.merge({}, { gate })
    expect(kinds(second)).toMatchObject({ "fix-2-1": "guilty" })
    expect(second.fixes).toMatchObject([{ taskId: "fix-2-1", fix: "fix-2-1" }])
    expect(await scene.task("fix-2-1")).toMatchObject({ status: "open", attempt: 2 })
  })

  it("makes what was refused a fix task as well", async () => {
    await using scene = await prepare(store, ["1"])
    await scene.work("1", { link: { mode: "120000", content: "/etc/passwd" } })
    expect(kinds(await scene.merge())).toEqual({ 1: "refused" })
    expect((await scene.task("fix-1-1")).description).toContain(
      "- link links to /etc/passwd, outside of the repository",
    )
  })

  it("has nothing to do with a task that committed nothing, or is done again meanwhile", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", {}, { isPinned: false, isEmpty: true })
    await scene.work("2", { a: "1\n" })
    await run(scene.context, reopenTask, { id: "2" })
    const report = await scene.merge()
    expect(kinds(report)).toEqual({ 1: "empty" })
    expect(report).toMatchObject({ pending: ["2"], fixes: [] })
    expect(await scene.git.read(["rev-parse", "teamwork/house/main/integration"])).toBe(scene.base)
  })

  it("does not pin a branch on which its worker has gone on to another task", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { a: "1\n" }, { isPinned: false })
    await run(scene.context, claimTask, { id: "2", owner: "w1" })
    expect((await scene.merge()).left).toMatchObject([
      { taskId: "1", reason: expect.stringContaining("works on task 2") },
    ])
  })

  it("merges two tasks of one branch at once, for both of them", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { a: "1\n" }, { isPinned: false, worker: "w7" })
    await scene.work("2", { a: "1\n", b: "2\n" }, { isPinned: false, worker: "w7" })
    const report = await scene.merge()
    expect(report.outcomes).toMatchObject([{ candidate: { taskId: "1", alsoFor: [{ taskId: "2" }] } }])
    expect((await scene.events("task.merged")).map((event) => event.data)).toEqual(
      ["1", "2"].map((task) => ({ task, attempt: 1, commit: report.after })),
    )
  })

  it("makes one fix of two tasks of one branch, and whoever needs either of them waits for it", async () => {
    await using scene = await prepare(store, ["1", "2", "3"], { 4: "3" })
    await scene.work("1", { shared: "one\n" })
    await scene.work("2", { shared: "two\n" }, { isPinned: false, worker: "w7" })
    await scene.work("3", { shared: "two\n", c: "3\n" }, { isPinned: false, worker: "w7" })
    expect((await scene.merge()).fixes).toMatchObject([{ taskId: "2", fix: "fix-2-1" }])
    expect((await scene.task("4")).blockedBy).toEqual(["3", "fix-2-1"] as never[])
    const again = await scene.merge()
    expect(again.left.map(({ taskId }) => String(taskId))).toEqual(["2", "3"])
    expect(again.fixes).toEqual([])
  })

  it("takes up pins of which only one was written", async () => {
    await using scene = await prepare(store, ["1", "2"])
    const heads = [
      await scene.work("1", { a: "1\n" }, { isPinned: false }),
      await scene.work("2", { b: "2\n" }, { isPinned: false }),
    ]
    await scene.set(pinRef(FIRST_RUN, { taskId: "1", attempt: 1 }, "base"), scene.base)
    await scene.set(pinRef(FIRST_RUN, { taskId: "2", attempt: 1 }, "head"), heads[1] ?? "")
    expect(kinds(await scene.merge())).toEqual({ 1: "merged", 2: "merged" })
  })

  it("F123: sets commits aside that somebody put onto the branch past the queue, and tells of them", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { a: "1\n" })
    const { after, strangers } = await scene.merge()
    expect(strangers).toEqual([])
    // A worker that moves the branch by itself: with a commit, and with a merge that holds more than both sides.
    const pushed = await scene.commit([after], { b: "sneaked in\n" }, "Just a fix")
    const head = await scene.work("2", { c: "2\n" })
    const evil = await scene.commit([pushed, head], { c: "2\n", d: "more\n" }, "Merge task 2: Task 2")
    await scene.set("refs/heads/teamwork/house/main/integration", evil)
    const report = await scene.merge()
    expect(report.strangers.map((each) => each.commit)).toEqual([evil, pushed])
    expect(kinds(report)).toEqual({ 1: "contained", 2: "merged" })
    expect(report.before).toBe(after)
    expect((await scene.git.read(["ls-tree", "--name-only", report.after])).split("\n")).toEqual(["a", "c", "start"])
    const kept = "refs/teamwork/house/main/workers/integration/1/head"
    expect(await scene.git.read(["rev-parse", kept])).toBe(evil)
    expect(await scene.facts("integration.restored")).toMatchObject([{ from: evil, to: after, kept }])
    expect((await scene.merge()).strangers).toEqual([])
  })

  it("F123: puts the branch back that somebody moved back, deleted, or moved elsewhere", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { a: "1\n" })
    const { after } = await scene.merge()
    const branch = "refs/heads/teamwork/house/main/integration"
    const elsewhere = await scene.commit([], { other: "o\n" }, "Another history")
    for (const commit of [scene.base, elsewhere, null]) {
      await scene.git.read(commit === null ? ["update-ref", "-d", branch] : ["update-ref", branch, commit])
      expect(await scene.merge()).toMatchObject({ before: after, after })
    }
    expect(await scene.facts("integration.restored")).toHaveLength(3)
    expect(await scene.git.read(["rev-parse", "refs/teamwork/house/main/workers/integration/1/head"])).toBe(elsewhere)
  })

  it("F122, F123: puts the refs beside the branch back, and never takes another target for them", async () => {
    await using scene = await prepare(store, ["1"])
    await scene.work("1", { a: "1\n" })
    await scene.merge()
    const [start, target] = [integrationRef(FIRST_RUN, "start"), integrationRef(FIRST_RUN, "target")]
    await scene.git.read(["checkout", "--quiet", "-b", "other", "main"])
    await scene.git.read(["update-ref", "-d", target])
    await scene.git.read(["update-ref", "-d", start])
    expect(await scene.merge()).toMatchObject({ target: "main" })
    await scene.merges.nameBranch(target, "refs/heads/other")
    expect(await scene.merge()).toMatchObject({ target: "main" })
    expect(await scene.git.read(["rev-parse", start])).toBe(scene.base)
    expect(await scene.facts("integration.refs_restored")).toMatchObject([
      { refs: [start, target] },
      { refs: [target] },
    ])
    // A person may name another one.
    expect(await scene.merge({ target: "other" })).toMatchObject({ target: "other" })
    expect(await scene.merge()).toMatchObject({ target: "other" })
  })

  it("F123: believes the store, and not a pin that somebody moved or deleted", async () => {
    await using scene = await prepare(store, ["1", "2"])
    const one = await scene.work("1", { a: "1\n" }, { isPinned: false })
    const two = await scene.work("2", { b: "2\n" }, { isPinned: false })
    // What a merge pins is known from then on.
    const checkpoint = async (at: string) => {
      if (at === "merge:before-gate") throw new Error("ended here")
    }
    await expect(scene.merge({}, { checkpoint })).rejects.toThrow("ended here")
    const evil = await scene.commit([one], { a: "evil\n" }, "Not the worker's")
    const pin = (id: string) => pinRef(FIRST_RUN, { taskId: id, attempt: 1 }, "head")
    await scene.set(pin("1"), evil)
    await scene.git.read(["update-ref", "-d", pin("2")])
    const report = await scene.merge()
    expect(kinds(report)).toEqual({ 1: "merged", 2: "merged" })
    expect(await scene.read(report.after, "a")).toBe("1\n")
    expect(await scene.git.read(["rev-parse", pin("1"), pin("2")])).toBe(`${one}\n${two}`)
    const kept = pinRef(FIRST_RUN, { taskId: "1", attempt: 1 }, `earlier/${evil.slice(0, 16)}`)
    expect(await scene.git.read(["rev-parse", kept])).toBe(evil)
    expect(await scene.facts("task.pin_restored")).toMatchObject([
      { task: "1", from: evil, to: one, kept },
      { task: "2", from: null, to: two, kept: null },
    ])
  })

  it("F123: has a task done anew that was begun on a commit of somebody else's", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { a: "1\n" })
    const { after } = await scene.merge()
    const foreign = await scene.commit([after], { evil: "x\n" }, "Not teamwork's")
    await scene.set("refs/heads/teamwork/house/main/integration", foreign)
    await scene.work("2", { b: "2\n" }, { parents: [foreign] })
    expect(await scene.merge()).toMatchObject({ after, fixes: [{ taskId: "2", fix: "2" }] })
    expect(await scene.task("2")).toMatchObject({ status: "open", attempt: 2 })
  })

  it("F123: tells when the target moved, once for each commit it moved to", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { a: "1\n" })
    await scene.merge()
    const moved = await scene.commit([scene.base], { mine: "m\n" }, "By hand")
    await scene.set("refs/heads/main", moved)
    await scene.merge()
    await scene.merge()
    expect(await scene.facts("target.moved")).toEqual([
      { target: "main", from: scene.base, to: moved, commits: [`${moved.slice(0, 10)} By hand`] },
    ])
  })

  it("knows its own merges again, also those it could not write down, and those of the target", async () => {
    await using scene = await prepare(store, ["1", "2"])
    await scene.work("1", { a: "1\n" })
    await scene.work("2", { b: "2\n" })
    const checkpoint = async (at: string) => {
      if (at === "merge:after-move") throw new Error("ended here")
    }
    await expect(scene.merge({}, { checkpoint })).rejects.toThrow("ended here")
    const tip = await scene.git.read(["rev-parse", "teamwork/house/main/integration"])
    const main = await scene.commit([scene.base], { m: "m\n" })
    await scene.set("refs/heads/main", main)
    const taken = await scene.commit([tip, main], { m: "m\n" }, "Merge branch 'main'")
    await scene.set("refs/heads/teamwork/house/main/integration", taken)
    expect((await scene.merge()).strangers).toEqual([])
  })

  it.each(["merge:before-gate", "merge:before-move", "merge:after-move"] as const)(
    "gives the same result after an end at %s",
    async (place) => {
      await using scene = await prepare(store, ["1", "2", "3"])
      await scene.work("1", { shared: "one\n" })
      await scene.work("2", { shared: "two\n" })
      await scene.work("3", { c: "3\n" })
      const checkpoint = async (at: string) => {
        if (at === place) throw new Error("ended here")
      }
      await expect(scene.merge({}, { checkpoint })).rejects.toThrow("ended here")
      const report = await scene.merge()
      expect(report.fixes).toMatchObject([{ taskId: "2", fix: "fix-2-1", isNew: true }])
      expect((await scene.events("task.merged")).map((event) => event.data.task)).toEqual(["1", "3"])
      const subjects = await scene.git.read(["log", "--first-parent", "--format=%s", `${scene.base}..${report.after}`])
      expect(subjects.split("\n")).toHaveLength(2)
    },
  )
})

const PASSED: GateResult = { status: "passed", checks: [{ name: "tests", status: "passed" }], issues: [], output: "" }
const FAILED: GateResult = { ...PASSED, status: "failed", checks: [{ name: "tests", status: "failed" }] }

interface WorkOptions {
  readonly status?: "resolved" | "in_review"
  readonly isPinned?: boolean
  readonly isEmpty?: boolean
  readonly worker?: string
  readonly parents?: readonly string[]
}

async function prepare(store: string, ids: readonly string[], needing: Record<string, string> = {}) {
  const make = STORES[store]
  if (make === undefined) throw new Error(`no store ${store}`)
  const database = await make()
  const opened = await database.connect()
  const repository = await makeMergeRepository()
  const team = await makeTeam(opened)
  const own = context(opened)
  for (const id of ids) {
    await run(own, createTask, { id, title: `Task ${id}`, role: "backend", files: [`f${id}`], check: ["true"] })
  }
  for (const [id, need] of Object.entries(needing)) await run(own, createTask, { id, title: id, blockedBy: [need] })
  await run(own, calculateWaves, {})
  const base = await repository.commit([], { start: "s\n" })
  await repository.set("refs/heads/main", base)
  return {
    ...scene(repository, base),
    context: own,
    task: (id: string): Promise<Task> => getTask(opened, team.key, id),
    events: async (type: string) =>
      plainEvents(await allEvents(opened, team.key)).filter((event) => event.type === type),
    facts: async (type: EventType) =>
      (await allEvents(opened, team.key)).filter((event) => event.type === type).map(({ data }) => data),
    async work(
      id: string,
      files: Files,
      { isPinned = true, isEmpty, worker = `w${id}`, parents = [base], status = "resolved" }: WorkOptions = {},
    ) {
      await run(own, claimTask, { id, owner: worker })
      await run(own, updateTask, { id, owner: worker, status })
      const head = isEmpty === true ? base : await repository.commit(parents, files)
      await repository.set(`refs/heads/${workerBranch(TEAM, worker)}`, head)
      const { attempt } = await getTask(opened, team.key, id)
      if (isPinned) {
        await repository.set(pinRef(FIRST_RUN, { taskId: id, attempt }, "head"), head)
        await repository.set(pinRef(FIRST_RUN, { taskId: id, attempt }, "base"), parents[0] ?? base)
      }
      return head
    },
    merge: (
      request: Partial<Omit<WaveMerge, "project" | "team">> = {},
      ports: Partial<QueuePorts> = {},
    ): Promise<WaveReport> =>
      mergeWave(
        own,
        { merges: repository.merges, gate: async () => PASSED, scope: async () => [], ...ports },
        { ...TEAM, ...request },
      ),
    async [Symbol.asyncDispose]() {
      repository[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

function scene({ git, merges, read, commit, set }: MergeRepository, base: string) {
  return { git, merges, read, commit, set, base }
}

function kinds(report: WaveReport): Record<string, string> {
  return Object.fromEntries(report.outcomes.map(({ candidate, outcome }) => [candidate.taskId, outcome.kind]))
}
