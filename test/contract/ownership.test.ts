// Who owns which files: at planning, by exception, and as everybody is told. On every store.

import { describe, expect, it } from "bun:test"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { readMailbox } from "../../src/messages/operations/read-mailbox.ts"
import {
  askException,
  denyException,
  grantException,
  listExceptions,
} from "../../src/ownership/operations/exceptions.ts"
import { checkOwnership, ownershipFacts } from "../../src/ownership/operations/ownership-facts.ts"
import { recordAside } from "../../src/ownership/operations/record-aside.ts"
import { waitForAnswer } from "../../src/ownership/operations/wait-for-answer.ts"
import { listEscalations } from "../../src/requests/operations/escalations.ts"
import { join } from "../../src/sessions/operations/seats.ts"
import type { Settings } from "../../src/store/operation.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { deleteTask } from "../../src/tasks/operations/delete-task.ts"
import { getTask } from "../../src/tasks/operations/get-task.ts"
import { getTeam } from "../../src/tasks/operations/lookup.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { takeLead } from "../../src/teams/operations/lead-team.ts"
import { plainEvents } from "../support/plain-events.ts"
import {
  allEvents,
  type Given,
  type MakeDatabase,
  openTestTeam,
  refusal,
  run,
  STORES,
  snapshot,
  TEAM,
} from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) describe(name, () => ownershipContract(makeDatabase))

type TaskInput = Given<typeof createTask.input>

async function makeHouse(makeDatabase: MakeDatabase, settings: Partial<Settings> = {}) {
  const { db, store, testTeam, key } = await openTestTeam(makeDatabase, settings)
  const unchanged = async (work: () => Promise<unknown>) => {
    const before = await snapshot(store, key)
    const error = await refusal(work())
    expect(await snapshot(store, key)).toEqual(before)
    return error
  }
  return {
    context: testTeam,
    store,
    key,
    task: (id: string, files: string[], more: TaskInput = {}) =>
      run(testTeam, createTask, { id, title: `Task ${id}`, files, ...more }),
    update: async (id: string, more: Given<typeof updateTask.input>) =>
      (await run(testTeam, updateTask, { id, ...more })).task,
    claim: async (id: string, owner: string) => (await run(testTeam, claimTask, { id, owner })).task,
    /** As `teamwork run` does. */
    lead: () =>
      takeLead(testTeam, { ...TEAM, holder: "host:1:1", leaseMs: 60_000, settings: "{}", isGone: () => false }),
    /** The refusal of something that must leave no trace. */
    refused: unchanged,
    events: async (type: string) => {
      return plainEvents(await allEvents(store, key)).filter((event) => event.type.startsWith(type))
    },
    inbox: async (inbox: string) =>
      (await run(testTeam, readMailbox, { inbox })).map(({ payload }) => String(payload.message)),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  }
}

function ownershipContract(makeDatabase: MakeDatabase): void {
  const makeOurs = (settings?: Partial<Settings>) => makeHouse(makeDatabase, settings)

  describe("planning", () => {
    it("refuses a task whose files overlap with those of one that could run at the same time", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["src/api/**"])
      const error = await testTeam.refused(() => testTeam.task("2", ["docs/**", "src/**/*.ts"]))
      expect(error.code).toBe("ownership.overlap")
      expect(error.message).toBe(
        "src/**/*.ts of task 2 and src/api/** of task 1 both match src/api/.ts, and the two could run at the same time; change the files, add a need, or use onOverlap serialise",
      )
      expect(error.details).toEqual({
        overlaps: [{ task: "2", pattern: "src/**/*.ts", other: "1", otherPattern: "src/api/**", path: "src/api/.ts" }],
      })
      await testTeam.task("2", ["src/**/*.ts"], { blockedBy: ["1"] })
      await testTeam.task("3", ["src/api/a.css"], { blockedBy: ["2"] })
      await testTeam.task("4", ["src/web/*.css"])
    })

    it("keeps patterns clean, and refuses those that are not valid", async () => {
      await using testTeam = await makeOurs()
      expect((await testTeam.task("1", ["./src//api/", "src/api/", "a b/*"])).files).toEqual(["src/api/", "a b/*"])
      for (const pattern of ["/etc/**", "../x", "!src/**", "", "a\\b", ".git/x"]) {
        const error = await testTeam.refused(() => testTeam.task("2", [pattern]))
        expect([error.code, error.message.startsWith("files ")]).toEqual(["input.invalid", true])
      }
    })

    it("lets one wait for the other when asked to serialise", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["src/api/**"])
      await testTeam.task("2", ["src/web/**"])
      await testTeam.task("3", ["lib/**"])
      const fourth = await testTeam.task("4", ["src/**"], { onOverlap: "serialise", blockedBy: ["3"] })
      expect([fourth.blockedBy.toSorted(), fourth.unmet]).toEqual([["1", "2", "3"].map(parseTaskId), 3])
      const [created] = (await testTeam.events("task.created")).filter((event) => event.data.task === "4")
      expect(created?.data.blocked_by).toEqual(["3", "1", "2"])
    })

    it("serialises or refuses as the configuration says, unless told otherwise", async () => {
      await using testTeam = await makeOurs({ onOverlap: "serialise" })
      await testTeam.task("1", ["src/**"])
      expect((await testTeam.task("2", ["src/**"])).blockedBy).toEqual([parseTaskId("1")])
      const error = await testTeam.refused(() => testTeam.task("3", ["src/**"], { onOverlap: "refuse" }))
      expect(error.code).toBe("ownership.overlap")
      // The third need not wait for the first as well, but does: both own what it owns.
      expect((await testTeam.task("3", ["src/**"])).blockedBy).toEqual(["1", "2"].map(parseTaskId))
    })

    it("looks at the files of a task again when they change", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["src/**"])
      await testTeam.task("2", ["docs/**"])
      const error = await testTeam.refused(() => testTeam.update("2", { files: ["docs/**", "src/a.ts"] }))
      expect(error.code).toBe("ownership.overlap")
      expect((await testTeam.update("2", { files: ["docs/**", "lib/"] })).files).toEqual(["docs/**", "lib/"])
      const second = await testTeam.update("2", { files: ["src/a.ts"], onOverlap: "serialise" })
      expect(second).toMatchObject({ files: ["src/a.ts"], blockedBy: ["1"], unmet: 1 })
      expect((await testTeam.update("2", { files: [""] })).files).toEqual([])
      expect((await testTeam.events("task.updated")).map((event) => event.data.fields)).toEqual([
        ["files"],
        ["files"],
        ["files"],
      ])
    })

    it("lets the one that has not begun wait for the one that has, and never two that both have", async () => {
      await using testTeam = await makeOurs()
      for (const [id, files] of [
        ["1", "a/**"],
        ["2", "b/**"],
        ["3", "c/**"],
      ] as const)
        await testTeam.task(id, [files])
      await testTeam.claim("1", "w1")
      await testTeam.update("1", { files: ["a/**", "b/x"], onOverlap: "serialise" })
      const second = await testTeam.store.read((tx) => tx.tasks.find(testTeam.key, parseTaskId("2")))
      expect(second).toMatchObject({ blockedBy: ["1"], unmet: 1 })
      await testTeam.claim("3", "w3")
      const error = await testTeam.refused(() => testTeam.update("1", { files: ["c/**"], onOverlap: "serialise" }))
      expect([error.code, error.message]).toEqual([
        "ownership.overlap",
        expect.stringContaining("both are in progress"),
      ])
    })

    it("counts needs that come, and files that go, in the same call", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["a/**"])
      await testTeam.task("2", [])
      expect(await testTeam.update("2", { files: ["a/x"], addBlockedBy: ["1"] })).toMatchObject({ blockedBy: ["1"] })
      expect(await testTeam.update("2", { files: ["b/x"], removeBlockedBy: ["1"] })).toMatchObject({ blockedBy: [] })
    })

    it("does not let a need go that keeps two tasks apart, directly or through others", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["a/**"])
      await testTeam.task("2", [], { blockedBy: ["1"] })
      await testTeam.task("3", ["a/x"], { blockedBy: ["2"] })
      for (const change of [
        ["2", "1"],
        ["3", "2"],
      ] as const) {
        const error = await testTeam.refused(() => testTeam.update(change[0], { removeBlockedBy: [change[1]] }))
        expect([error.code, error.message]).toEqual([
          "ownership.overlap",
          expect.stringContaining("keep the need between them"),
        ])
      }
      const error = await testTeam.refused(() => run(testTeam.context, deleteTask, { id: "2", force: true }))
      expect(error.code).toBe("ownership.overlap")
      await testTeam.update("3", { addBlockedBy: ["1"] })
      await testTeam.update("3", { removeBlockedBy: ["2"] })
      await run(testTeam.context, deleteTask, { id: "2", force: true })
    })

    it("does not count tasks that have ended, until they are opened again", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["src/**"])
      await testTeam.claim("1", "w1")
      await testTeam.update("1", { owner: "w1", status: "resolved" })
      await testTeam.task("2", ["src/**"])
      for (const again of [
        () => run(testTeam.context, reopenTask, { id: "1" }),
        () => testTeam.update("1", { status: "open" }),
      ])
        expect((await testTeam.refused(again)).code).toBe("ownership.overlap")
      await testTeam.claim("2", "w2")
      await testTeam.update("2", { owner: "w2", status: "resolved" })
      expect((await run(testTeam.context, reopenTask, { id: "1" })).attempt).toBe(2)
    })

    it("leaves shared files to the lead", async () => {
      await using testTeam = await makeOurs()
      for (const pattern of ["package.json", "web/tsconfig.json", "**/.env", "{a.ts,yarn.lock}", "*.config.ts"]) {
        const error = await testTeam.refused(() => testTeam.task("1", [pattern]))
        expect([error.code, error.message]).toEqual(["ownership.shared", expect.stringContaining("grantShared")])
      }
      await testTeam.task("1", ["package.json"], { grantShared: true })
      await testTeam.task("2", ["**"])
      const error = await testTeam.refused(() =>
        testTeam.task("3", ["package.json"], { grantShared: true, blockedBy: ["2"] }),
      )
      expect(error.message).toContain("task 1")
      expect(await may(testTeam, "1", "package.json", "src/a.ts")).toEqual(["owned", "not_owned: 2"])
      expect(await may(testTeam, "2", "package.json", "src/a.ts", "web/package.json")).toEqual([
        "not_owned: 1",
        "owned",
        "shared",
      ])
    })

    it("F011: lets every task change shared files where a run leads, and several name them", async () => {
      await using testTeam = await makeOurs()
      await testTeam.lead()
      await testTeam.task("1", ["src/a.ts", "package.json", "src/index.ts"])
      await testTeam.task("2", ["src/b.ts", "package.json", "src/index.ts"])
      await testTeam.task("3", ["docs/**"])
      const error = await testTeam.refused(() => testTeam.task("4", ["src/**"]))
      expect(error.code).toBe("ownership.overlap")
      expect(await may(testTeam, "1", "package.json", "src/index.ts", "src/b.ts")).toEqual([
        "owned",
        "owned",
        "not_owned: 2",
      ])
      expect(await may(testTeam, "3", "package.json", "go.mod", "src/index.ts")).toEqual([
        "shared",
        "shared",
        "not_owned: 1",
      ])
      const { paths } = await run(testTeam.context, checkOwnership, { task: "3", paths: ["package.json"] })
      expect(paths[0]).toMatchObject({ allowed: true })
      expect(await run(testTeam.context, checkOwnership, {})).toMatchObject({ overlaps: [] })
      // A session that leads looks after them itself.
      await run(testTeam.context, join, { terminalId: "t1", lead: true })
      expect(await may(testTeam, "3", "go.mod")).toEqual(["shared"])
      const { paths: led } = await run(testTeam.context, checkOwnership, { task: "3", paths: ["go.mod"] })
      expect(led[0]).toMatchObject({ allowed: false })
    })

    it("says when the configuration of shared files is wrong", async () => {
      await using testTeam = await makeOurs({ sharedFiles: ["!x"] })
      const error = await testTeam.refused(() => testTeam.task("1", ["a"]))
      expect([error.code, error.message]).toEqual(["config.bad_value", expect.stringContaining("ownership.shared")])
      await testTeam.task("1", [])
    })

    it("tells of overlaps that came in by another way", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["a/**"])
      await testTeam.claim("1", "w1")
      await testTeam.update("1", { owner: "w1", status: "resolved" })
      await testTeam.task("2", ["a/x"])
      await testTeam.task("3", ["b"])
      // As an import of a plan that teamwork did not check would bring it in.
      await testTeam.context.store.write(async (tx) => {
        const { key } = await getTeam(tx, TEAM)
        await tx.tasks.update(key, parseTaskId("1"), { status: "open" })
      })
      const overlap = { task: "1", pattern: "a/**", other: "2", otherPattern: "a/x", path: "a/x" }
      expect(await run(testTeam.context, checkOwnership, {})).toEqual({ task: null, paths: [], overlaps: [overlap] })
      expect((await run(testTeam.context, checkOwnership, { task: "3" })).overlaps).toEqual([])
    })
  })

  describe("who may write", () => {
    it("a task without files may write what no open task owns", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", [])
      await testTeam.task("2", ["src/**"])
      expect(await may(testTeam, "1", "src/a.ts", "docs/a.md", "package.json", "../x")).toEqual([
        "owned_by_other: 2",
        "free",
        "shared",
        "outside",
      ])
      await testTeam.claim("2", "w2")
      await testTeam.update("2", { owner: "w2", status: "resolved" })
      expect(await may(testTeam, "1", "src/a.ts")).toEqual(["free"])
    })

    it("is told to the lead as well, who looks after the rest", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("2", ["src/**"])
      const { paths } = await run(testTeam.context, checkOwnership, { paths: ["src/a.ts", "package.json", "x"] })
      expect(paths.map(({ allowed, reason, owner }) => [allowed, reason, owner])).toEqual([
        [false, "owned_by_other", "2"],
        [true, "shared", null],
        [true, "free", null],
      ])
    })

    it("is told with everything a hook needs, to who holds the task", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["a/**"])
      await testTeam.task("2", ["b/**"])
      await testTeam.claim("1", "w1")
      const facts = await run(testTeam.context, ownershipFacts, { task: "1", owner: "w1" })
      expect(facts).toMatchObject({ attempt: 1, title: "Task 1" })
      expect(facts.ownership).toMatchObject({ task: { id: "1", files: ["a/**"] }, others: [{ id: "2" }], granted: [] })
      expect((await refusal(run(testTeam.context, ownershipFacts, { task: "1", owner: "w2" }))).code).toBe("claim.lost")
    })
  })

  describe("exceptions", () => {
    it("hold for the fix of that attempt as well, which brings the same work along", async () => {
      await using testTeam = await makeHouse(makeDatabase)
      await testTeam.task("1", ["a/**"])
      await testTeam.claim("1", "w1")
      await run(testTeam.context, askException, { task: "1", owner: "w1", path: "docs/api.md", reason: "it changed" })
      await run(testTeam.context, grantException, { task: "1", number: 1, by: "lead" })
      await testTeam.update("1", { owner: "w1", status: "resolved" })
      await testTeam.task("fix-1-1", ["a/**"])
      await testTeam.task("fix-1-2", ["b/**"])
      expect(await may(testTeam, "fix-1-1", "a/x", "docs/api.md", "docs/b.md")).toEqual([
        "owned",
        "granted",
        "not_owned",
      ])
      expect(await may(testTeam, "fix-1-2", "docs/api.md")).toEqual(["not_owned"])
    })

    it("are asked by the owner, granted by the lead, and hold for that attempt", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["src/**"])
      await testTeam.task("2", ["docs/**"])
      await testTeam.claim("1", "w1")
      const ask = { task: "1", owner: "w1", path: "./docs/api.md", reason: "the endpoint changed" }
      const asked = await run(testTeam.context, askException, ask)
      expect(asked).toMatchObject({
        number: 1,
        taskId: "1",
        attempt: 1,
        pattern: "docs/api.md",
        status: "asked",
        askedBy: "w1",
      })
      expect(await may(testTeam, "1", "docs/api.md")).toEqual(["not_owned: 2"])
      expect(await testTeam.inbox("orchestrator")).toEqual([
        "BOUNDARY: w1 asks to write docs/api.md for task 1: the endpoint changed (teamwork ownership grant 1 1, or deny)",
      ])
      const granted = await run(testTeam.context, grantException, { task: "1", number: 1, by: "lead", reason: "fine" })
      expect(granted).toMatchObject({ status: "granted", decidedBy: "orchestrator", decision: "fine" })
      expect(await may(testTeam, "1", "docs/api.md", "docs/b.md")).toEqual(["granted", "not_owned: 2"])
      expect(await may(testTeam, "2", "docs/api.md")).toEqual(["owned"])
      expect(await testTeam.inbox("w1")).toEqual(["BOUNDARY: docs/api.md is granted for task 1: fine"])
      expect((await testTeam.events("ownership.")).map(({ type, by }) => `${type} ${by}`)).toEqual([
        "ownership.asked w1",
        "ownership.granted orchestrator",
      ])
      await testTeam.update("1", { owner: "w1", status: "resolved" })
      await run(testTeam.context, reopenTask, { id: "1" })
      expect(await may(testTeam, "1", "docs/api.md")).toEqual(["not_owned: 2"])
    })

    it("are denied, and listed with what became of them", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["src/**"])
      await testTeam.claim("1", "w1")
      await run(testTeam.context, askException, { task: "1", owner: "w1", path: "package.json", reason: "a library" })
      await run(testTeam.context, askException, { task: "1", path: "docs/**", reason: "to tell of it" })
      const denied = await run(testTeam.context, denyException, { task: "1", number: 1, reason: "use what is there" })
      expect(denied).toMatchObject({ status: "denied", decidedBy: "person" })
      expect(await may(testTeam, "1", "package.json")).toEqual(["shared"])
      const statuses = async (given: Given<typeof listExceptions.input>) =>
        (await run(testTeam.context, listExceptions, given)).map(({ number, status }) => `${number} ${status}`)
      expect(await statuses({})).toEqual(["1 denied", "2 asked"])
      expect(await statuses({ task: "1", status: "asked" })).toEqual(["2 asked"])
      expect((await refusal(run(testTeam.context, listExceptions, { task: "9" }))).code).toBe("task.not_found")
    })

    it("are asked and decided once", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["src/**"])
      await testTeam.claim("1", "w1")
      const ask = () => run(testTeam.context, askException, { task: "1", owner: "w1", path: "docs/a", reason: "x" })
      expect([(await ask()).number, (await ask()).number]).toEqual([1, 1])
      expect(await testTeam.inbox("orchestrator")).toHaveLength(1)
      const decide = (operation: typeof grantException) => run(testTeam.context, operation, { task: "1", number: 1 })
      expect([(await decide(grantException)).status, (await decide(grantException)).status]).toEqual([
        "granted",
        "granted",
      ])
      expect((await testTeam.refused(() => decide(denyException))).code).toBe("ownership.decided")
      expect((await refusal(ask())).code).toBe("ownership.decided")
      expect(await testTeam.events("ownership.granted")).toHaveLength(1)
    })

    it("F011: are refused to those who do not hold the task, not decided by a worker, and answered for the next attempt", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["src/**"])
      await testTeam.claim("1", "w1")
      const ask = (more: Given<typeof askException.input>) =>
        run(testTeam.context, askException, { task: "1", owner: "w1", path: "docs/a", reason: "x", ...more })
      expect((await testTeam.refused(() => ask({ owner: "w2" }))).code).toBe("claim.lost")
      expect((await testTeam.refused(() => ask({ path: "../x" }))).code).toBe("input.invalid")
      expect((await testTeam.refused(() => ask({ reason: " " }))).code).toBe("input.invalid")
      expect((await refusal(ask({ path: "src/a.ts" }))).code).toBe("ownership.decided")
      await ask({})
      const grant = (more: Given<typeof grantException.input>) =>
        run(testTeam.context, grantException, { task: "1", number: 1, ...more })
      expect((await testTeam.refused(() => grant({ by: "w1" }))).code).toBe("ownership.not_allowed")
      expect((await testTeam.refused(() => grant({ number: 2 }))).code).toBe("ownership.not_found")
      await testTeam.update("1", { owner: "w1", status: "resolved" })
      expect((await testTeam.refused(() => ask({ owner: undefined }))).code).toBe("task.transition")
      expect(await grant({})).toMatchObject({ status: "granted", attempt: 2 })
      await run(testTeam.context, reopenTask, { id: "1" })
      expect(await may(testTeam, "1", "docs/a")).toEqual(["granted"])
    })

    it("F011: in a run the engine answers by rule, and a person for files of open tasks, while the task waits", async () => {
      await using testTeam = await makeOurs()
      await testTeam.lead()
      await testTeam.task("1", ["src/**"])
      await testTeam.task("2", ["docs/**"])
      const { claimToken } = await testTeam.claim("1", "w1")
      const ask = (path: string) =>
        run(testTeam.context, askException, { task: "1", owner: "w1", path, reason: "it is needed" })
      expect((await refusal(ask("package.json"))).code).toBe("ownership.decided")
      expect(await ask("scripts/*.sh")).toMatchObject({ status: "granted", decidedBy: "teamwork" })
      expect(await may(testTeam, "1", "scripts/a.sh", "docs/a.md")).toEqual(["granted", "not_owned: 2"])
      expect(await testTeam.inbox("orchestrator")).toEqual([])
      const wait = () =>
        waitForAnswer(testTeam.context, { ...TEAM, task: parseTaskId("1"), owner: "w1", token: claimToken })
      expect(await wait()).toEqual([])
      expect(await ask("docs/a.md")).toMatchObject({ number: 2, status: "asked" })
      expect(await wait()).toMatchObject([{ pattern: "docs/a.md" }])
      expect(await run(testTeam.context, getTask, { id: "1" })).toMatchObject({ status: "paused" })
      const [open] = await run(testTeam.context, listEscalations, {})
      expect(open?.summary).toContain("teamwork ownership grant 1 2")
      await run(testTeam.context, denyException, { task: "1", number: 2, reason: "leave it" })
      expect(await run(testTeam.context, getTask, { id: "1" })).toMatchObject({ status: "open", attempt: 1 })
      expect(await run(testTeam.context, listEscalations, {})).toEqual([])
    })

    it("are the only way for an owner to more files", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["src/**"])
      await testTeam.claim("1", "w1")
      const error = await testTeam.refused(() => testTeam.update("1", { owner: "w1", files: ["**"] }))
      expect([error.code, error.message]).toEqual(["ownership.not_allowed", expect.stringContaining("ownership ask")])
    })

    it("go with their task", async () => {
      await using testTeam = await makeOurs()
      await testTeam.task("1", ["src/**"])
      await run(testTeam.context, askException, { task: "1", path: "docs/a", reason: "x" })
      await run(testTeam.context, deleteTask, { id: "1" })
      await testTeam.task("1", ["src/**"])
      expect(await run(testTeam.context, listExceptions, {})).toEqual([])
    })
  })

  it("what was set aside is told to the lead and to the owner", async () => {
    await using testTeam = await makeOurs()
    await testTeam.task("1", ["src/**"])
    await testTeam.claim("1", "w1")
    const paths = ["a", "b", "c", "d", "e", "f"]
    const record = { ...TEAM, task: parseTaskId("1"), attempt: 1, owner: "w1", commit: "c0ffee", ref: "refs/x", paths }
    await recordAside(testTeam.context, record)
    const message =
      "BOUNDARY: set aside, because task 1 does not own it: a, b, c, d, e and 1 more; see: git diff refs/x^1 refs/x"
    expect([await testTeam.inbox("orchestrator"), await testTeam.inbox("w1")]).toEqual([[message], [message]])
    expect((await testTeam.events("ownership.set_aside")).map(({ data }) => data)).toEqual([
      { task: "1", attempt: 1, commit: "c0ffee", ref: "refs/x", paths },
    ])
  })
}

/** What the rule says of each path, for a task. */
async function may(
  testTeam: Awaited<ReturnType<typeof makeHouse>>,
  task: string,
  ...paths: string[]
): Promise<string[]> {
  const report = await run(testTeam.context, checkOwnership, { task, paths })
  return report.paths.map(({ reason, owner }) => (owner === null || owner === task ? reason : `${reason}: ${owner}`))
}
