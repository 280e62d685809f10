// F011: shared files at the merge, from the store to git and back, with lock tools that fail, are missing or answer.
import { describe, expect, it } from "bun:test"
import { existsSync, mkdirSync, utimesSync } from "node:fs"
import { join } from "node:path"
import type { GateResult } from "../../src/delivery/merge-queue/candidate.ts"
import { makeLockMaker } from "../../src/delivery/merge-queue/make-lock-maker.ts"
import { mergeWave, type WavePorts, type WaveReport } from "../../src/delivery/merge-queue/merge-wave.ts"
import type { LockMaker } from "../../src/delivery/merge-queue/settle-locks.ts"
import { LOCK_TOOLS } from "../../src/delivery/shared-files/lock-files.ts"
import { UNITED } from "../../src/delivery/shared-files/shared-file.ts"
import { pinRef, workerBranch } from "../../src/kernel/branches.ts"
import { systemProcesses } from "../../src/lib/process/process.ts"
import { approve, listApprovals, reject } from "../../src/requests/operations/approvals.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { takeLead } from "../../src/teams/operations/lead-team.ts"
import { type Files, makeMergeRepository } from "../support/merge-repository.ts"
import { plainEvents } from "../support/plain-events.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { allEvents, context, makeTeam, run, STORES, TEAM } from "../support/stores.ts"

const PASSED: GateResult = { status: "passed", checks: [], issues: [], output: "" }
const BROKEN: LockMaker = async () => ({ problem: "npm ended with 1: no network" })

function manifest(dependencies: Record<string, string>): string {
  return `${JSON.stringify({ name: "shop", dependencies }, null, 2)}\n`
}

const LOCK = (...names: string[]) => `${JSON.stringify({ packages: Object.fromEntries(names.map((n) => [n, {}])) })}\n`
const START: Files = { "package.json": manifest({ a: "1" }), "package-lock.json": LOCK("a") }

async function prepare({ files = START, isLed = true }: { readonly files?: Files; readonly isLed?: boolean } = {}) {
  const database = await (STORES.sqlite as NonNullable<(typeof STORES)["sqlite"]>)()
  const store = await database.connect()
  const repository = await makeMergeRepository("shared")
  const team = await makeTeam(store)
  const own = context(store)
  for (const id of ["1", "2"]) await run(own, createTask, { id, title: `Task ${id}`, files: [`f${id}`] })
  if (isLed) await takeLead(own, { ...TEAM, holder: "host:1:1", leaseMs: 60_000, settings: "{}", isGone: () => false })
  const base = await repository.commit([], files)
  await repository.set("refs/heads/main", base)
  return {
    context: own,
    ...{ read: repository.read, merges: repository.merges },
    events: async (type: string) =>
      plainEvents(await allEvents(store, team.key)).filter((event) => event.type === type),
    async work(id: string, changed: Files) {
      await run(own, claimTask, { id, owner: `w${id}` })
      await run(own, updateTask, { id, owner: `w${id}`, status: "resolved" })
      const head = await repository.commit([base], changed)
      await repository.set(`refs/heads/${workerBranch(TEAM, `w${id}`)}`, head)
      await repository.set(pinRef({ ...TEAM, run: 1 }, { taskId: id, attempt: 1 }, "head"), head)
      await repository.set(pinRef({ ...TEAM, run: 1 }, { taskId: id, attempt: 1 }, "base"), base)
    },
    merge: (ports: Partial<WavePorts> = {}): Promise<WaveReport> =>
      mergeWave(own, { merges: repository.merges, gate: async () => PASSED, scope: async () => [], ...ports }, TEAM),
    async [Symbol.asyncDispose]() {
      repository[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

function kinds(report: WaveReport): Record<string, string> {
  return Object.fromEntries(report.outcomes.map(({ candidate, outcome }) => [candidate.taskId, outcome.kind]))
}

describe("F011: shared files at the merge", () => {
  it("merges manifests by meaning, and has the lock file made from the merged one", async () => {
    await using scene = await prepare()
    await scene.work("1", { "package.json": manifest({ a: "1", b: "1" }), "package-lock.json": LOCK("a", "b") })
    await scene.work("2", { "package.json": manifest({ a: "1", c: "1" }), "package-lock.json": LOCK("a", "c") })
    const seen: string[] = []
    const report = await scene.merge({
      async makeLock({ tool, lock, files }) {
        seen.push(tool.name, lock, ...files.keys(), files.get("package.json") ?? "", files.get(lock) ?? "")
        return { text: "made\n" }
      },
    })
    expect(kinds(report)).toEqual({ 1: "merged", 2: "merged" })
    expect(await scene.read(report.after, "package.json")).toBe(manifest({ a: "1", b: "1", c: "1" }))
    expect(await scene.read(report.after, "package-lock.json")).toBe("made\n")
    // What both sides know of packages is given to the tool, so that it need not ask the network.
    expect(JSON.parse(seen.at(-1) ?? "")).toEqual({ packages: { a: {}, b: {}, c: {} } })
    expect(seen.slice(0, 4)).toEqual(["npm", "package-lock.json", "package-lock.json", "package.json"])
    const [event] = await scene.events("task.shared_files_merged")
    expect(event?.data).toMatchObject({ task: "2", paths: ["package.json", "package-lock.json"] })
  })

  it("brings the lock file of a task along that changed only the manifest", async () => {
    await using scene = await prepare()
    await scene.work("1", { "package.json": manifest({ a: "1", b: "1" }) })
    const report = await scene.merge({ makeLock: async () => ({ text: "made\n" }) })
    expect(await scene.read(report.after, "package-lock.json")).toBe("made\n")
  })

  it("leaves a lock file alone whose manifest asks for the same as before", async () => {
    await using scene = await prepare()
    await scene.work("1", { "package.json": manifest({ a: "1" }).replace("shop", "store") })
    const report = await scene.merge({ makeLock: async () => ({ text: "made\n" }) })
    expect(await scene.read(report.after, "package-lock.json")).toBe(LOCK("a"))
  })

  it("takes the only lock file that was changed where the tool fails, and says so", async () => {
    await using scene = await prepare()
    await scene.work("1", { "package.json": manifest({ a: "1", b: "1" }) })
    const report = await scene.merge({ makeLock: BROKEN })
    expect(report.outcomes[0]?.outcome).toMatchObject({
      kind: "merged",
      notices: [{ code: "shared_file", message: expect.stringContaining("no network") }],
    })
    expect(await scene.read(report.after, "package-lock.json")).toBe(LOCK("a"))
  })

  it.each([
    ["approve", LOCK("a", "c")],
    ["reject", LOCK("a", "b")],
  ] as const)("asks about two lock files that no tool can bring together, once: %s", async (word, wanted) => {
    await using scene = await prepare()
    await scene.work("1", { "package.json": manifest({ a: "1", b: "1" }), "package-lock.json": LOCK("a", "b") })
    await scene.work("2", { "package.json": manifest({ a: "1", c: "1" }), "package-lock.json": LOCK("a", "c") })
    let times = 0
    const makeLock: LockMaker = async () => ({ problem: `try ${++times}: no network` })
    const first = await scene.merge({ makeLock })
    expect(kinds(first)).toEqual({ 1: "merged", 2: "asked" })
    expect(kinds(await scene.merge({ makeLock }))).toEqual({ 1: "contained", 2: "asked" })
    const open = await run(scene.context, listApprovals, {})
    expect(open).toMatchObject([
      { scope: "shared-file", subject: "package-lock.json", taskId: "2", askedBy: "teamwork" },
    ])
    expect(open[0]?.question).toContain("no network")
    const number = open[0]?.number ?? 0
    if (word === "approve") await run(scene.context, approve, { number })
    else await run(scene.context, reject, { number, reason: "keep it" })
    const after = await scene.merge({ makeLock })
    expect(kinds(after)).toMatchObject({ 2: "merged" })
    expect(await scene.read(after.after, "package-lock.json")).toBe(wanted)
    expect(await scene.read(after.after, "package.json")).toBe(manifest({ a: "1", b: "1", c: "1" }))
  })

  it("asks about two versions, and an answer counts only for what was asked", async () => {
    await using scene = await prepare({ files: { "package.json": manifest({ a: "^1.0.0" }) } })
    await scene.work("1", { "package.json": manifest({ a: "^2.0.0" }) })
    await scene.work("2", { "package.json": manifest({ a: "^3.0.0" }) })
    expect(kinds(await scene.merge())).toEqual({ 1: "merged", 2: "asked" })
    const [asked] = await run(scene.context, listApprovals, {})
    await run(scene.context, approve, { number: asked?.number ?? 0 })
    expect(await scene.read((await scene.merge()).after, "package.json")).toBe(manifest({ a: "^3.0.0" }))
  })

  it("knows its own merge after a crash between the move and the note of it", async () => {
    await using scene = await prepare({ files: { "package.json": manifest({ a: "1" }) } })
    await scene.work("1", { "package.json": manifest({ a: "1", b: "1" }) })
    await scene.work("2", { "package.json": manifest({ a: "1", c: "1" }) })
    const checkpoint = async (name: string) => {
      if (name === "merge:after-move") throw new Error("killed")
    }
    await expect(scene.merge({ checkpoint })).rejects.toThrow("killed")
    const report = await scene.merge()
    expect(report.strangers).toEqual([])
    expect(kinds(report)).toEqual({ 1: "contained", 2: "contained" })
    expect((await scene.events("task.merged")).map(({ data }) => data.task)).toEqual(["1", "2"])
  })

  it("repairs a file that git merged into something that is not valid", async () => {
    const lines = (...middle: string[]) =>
      `{\n${["", '  "b": 1', '  "c": 1', '  "d": 1', '  "e": 1', ...middle].slice(1).join(",\n")}\n}\n`
    const base = lines()
    await using scene = await prepare({ files: { "tsconfig.json": base } })
    await scene.work("1", { "tsconfig.json": base.replace("{\n", '{\n  "x": 1,\n') })
    await scene.work("2", { "tsconfig.json": base.replace('"e": 1', '"e": 1,\n  "x": 1') })
    const report = await scene.merge()
    expect(kinds(report)).toEqual({ 1: "merged", 2: "merged" })
    const text = (await scene.read(report.after, "tsconfig.json")) ?? ""
    expect(text.match(/"x"/g)).toHaveLength(1)
  })

  it("leaves a conflict in other files to a fix task, and everything to the lead where no run leads the team", async () => {
    await using scene = await prepare({ files: { "vite.config.ts": "export default 1\n" } })
    await scene.work("1", { "vite.config.ts": "export default 2\n" })
    await scene.work("2", { "vite.config.ts": "export default 3\n" })
    expect(kinds(await scene.merge())).toEqual({ 1: "merged", 2: "conflict" })
    await using led = await prepare({ isLed: false })
    await led.work("1", { "package.json": manifest({ a: "1", b: "1" }) })
    await led.work("2", { "package.json": manifest({ a: "1", c: "1" }) })
    expect(kinds(await led.merge())).toEqual({ 1: "merged", 2: "conflict" })
  })
})

describe("running a lock tool", () => {
  const npm = LOCK_TOOLS[0] as (typeof LOCK_TOOLS)[number]
  const files = new Map([["web/package.json", "{}"]])

  it("says what is missing or failed, with the last lines, and leaves nothing behind", async () => {
    using scratch = makeScratch("locks")
    const make = makeLockMaker({ processes: systemProcesses, env: sandboxEnv(), home: scratch.path })
    const lock = "web/package-lock.json"
    expect(await make({ tool: { ...npm, commands: [["no-such-tool"]] }, lock, files })).toEqual({
      problem: "no-such-tool is not installed",
    })
    const failing = ["sh", "-c", "echo first; echo last >&2; exit 3"]
    const failed = await make({ tool: { ...npm, commands: [failing] }, lock, files })
    expect(failed).toMatchObject({ problem: expect.stringContaining("ended with 3") })
    const written = ["sh", "-c", "pwd > package-lock.json; ls >> package-lock.json"]
    const made = await make({ tool: { ...npm, commands: [failing, written] }, lock, files })
    expect("text" in made && made.text.split("\n").slice(1)).toEqual(["package-lock.json", "package.json", ""])
    const [folder = ""] = "text" in made ? made.text.split("\n") : []
    expect(folder).toEndWith("/web")
    expect(existsSync(join(folder, ".."))).toBeFalse()
    // What a killed process left is removed by a later one.
    const left = join(scratch.path, "locks/lock-left")
    mkdirSync(left)
    utimesSync(left, 1, 1)
    await make({ tool: { ...npm, commands: [written] }, lock, files })
    expect(existsSync(left)).toBeFalse()
  })
})

describe("F019: additions of both sides", () => {
  const ROUTES = "const routes = [\n]\nexport { routes }\n"
  const route = (name: string) => ROUTES.replace("[\n", `[\n  "${name}",\n`)
  const both = 'const routes = [\n  "one",\n  "two",\n]\nexport { routes }\n'
  const JUDGED: GateResult = { ...PASSED, checks: [{ name: "tests_pass", status: "passed" }] }
  const files = { "src/routes.ts": ROUTES }

  async function collide(start: Files = files, one: Files = { "src/routes.ts": route("one") }, two: Files = {}) {
    const scene = await prepare({ files: start })
    await scene.work("1", one)
    await scene.work("2", { "src/routes.ts": route("two"), ...two })
    return scene
  }

  it("are taken where a gate judges the result, and marked for the reviewer", async () => {
    await using scene = await collide()
    const report = await scene.merge({ gate: async () => JUDGED })
    expect(kinds(report)).toEqual({ 1: "merged", 2: "merged" })
    expect(await scene.read(report.after, "src/routes.ts")).toBe(both)
    const [event] = await scene.events("task.shared_files_merged")
    expect(event?.data).toMatchObject({ task: "2", paths: ["src/routes.ts"], how: [UNITED] })
    // Our own merge, and nobody else's.
    expect(await scene.merge({ gate: async () => JUDGED })).toMatchObject({ strangers: [] })
  })

  it("become a repair where no gate can judge them, and where the lead looks after shared files", async () => {
    await using scene = await collide()
    const report = await scene.merge({ gate: async () => ({ ...PASSED, status: "skipped" }) })
    expect(kinds(report)).toEqual({ 1: "merged", 2: "conflict" })
    expect(report.fixes).toMatchObject([{ fix: "fix-2-1" }])
    await using led = await prepare({ files, isLed: false })
    await led.work("1", { "src/routes.ts": route("one") })
    await led.work("2", { "src/routes.ts": route("two") })
    expect(kinds(await led.merge({ gate: async () => JUDGED }))).toEqual({ 1: "merged", 2: "conflict" })
  })

  it("become a repair where the gate fails with them, and nobody is called guilty", async () => {
    await using scene = await collide()
    const gate = async (commit: string): Promise<GateResult> =>
      (await scene.read(commit, "src/routes.ts")) === both ? { ...JUDGED, status: "failed", issues: ["red"] } : JUDGED
    const report = await scene.merge({ gate })
    expect(kinds(report)).toEqual({ 1: "merged", 2: "conflict" })
    expect(await scene.read(report.after, "src/routes.ts")).toBe(route("one"))
    expect(await scene.events("task.shared_files_merged")).toEqual([])
  })

  it.each([
    ["both sides made the file", {}, {}],
    ["a side changed a line", files, { "src/routes.ts": ROUTES.replace("[\n", '["one"\n') }],
    ["a side removed a line", files, { "src/routes.ts": route("one").replace("]\n", "") }],
    [
      "a link",
      { "src/routes.ts": { mode: "120000", content: "a" } },
      { "src/routes.ts": { mode: "120000", content: "b" } },
    ],
    ["no text", { "src/routes.ts": "\0\n" }, { "src/routes.ts": "\0\n1\n" }],
  ])("are never taken where there is more to it: %s", async (_, start, one) => {
    const first = Object.keys(one).length === 0 ? { "src/routes.ts": route("one") } : (one as Files)
    const isLink = typeof Object.values(start)[0] === "object"
    const two: Files = isLink ? { "src/routes.ts": { mode: "120000", content: "c" } } : {}
    await using scene = await collide({ other: "o\n", ...(start as Files) }, first, two)
    const report = await scene.merge({ gate: async () => JUDGED })
    expect(kinds(report)).toEqual({ 1: "merged", 2: "conflict" })
  })

  it("are not taken where the result cannot be read", async () => {
    const start = { "data.json": '{\n  "a": [\n    1\n  ]\n}\n' }
    await using scene = await prepare({ files: start })
    await scene.work("1", { "data.json": start["data.json"].replace("[\n", '[\n    "x",\n') })
    await scene.work("2", { "data.json": start["data.json"].replace("[\n", '[\n    "y",\n    "x"\n    ,\n') })
    const fine = await scene.merge({ gate: async () => JUDGED })
    expect(kinds(fine)).toEqual({ 1: "merged", 2: "merged" })
    await using other = await prepare({ files: { "data.json": "{\n}\n" } })
    await other.work("1", { "data.json": '{\n  "a": 1\n}\n' })
    await other.work("2", { "data.json": '{\n  "b": 2\n}\n' })
    expect(kinds(await other.merge({ gate: async () => JUDGED }))).toEqual({ 1: "merged", 2: "conflict" })
  })
})
