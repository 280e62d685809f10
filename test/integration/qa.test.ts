// A worker brings its work past QA: real repositories, gates and processes; agents are played by fixtures that speak their
// formats (R124, R208, R223-R226).
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { claude } from "../../src/agents/claude/program.ts"
import { codex } from "../../src/agents/codex/program.ts"
import { improve } from "../../src/quality/operations/improve.ts"
import { acceptQa, listQuality, recordQa } from "../../src/quality/operations/report-qa.ts"
import { approve, listApprovals } from "../../src/requests/operations/approvals.ts"
import { decide, listEscalations } from "../../src/requests/operations/escalations.ts"
import { updateTeam } from "../../src/teams/operations/update-team.ts"
import { fixtureAgent } from "../support/agents.ts"
import { writeAnswers } from "../support/answers.ts"
import { makeScratch } from "../support/sandbox.ts"
import { run, until } from "../support/stores.ts"
import { setUpWorker, type WorkerSetup } from "../support/worker.ts"
import { WORKSPACE_TEAM } from "../support/workspaces.ts"

setDefaultTimeout(60_000)

const turnOn = (world: WorkerSetup, mode: "FULL_AUTO" | "SUPERVISED" = "FULL_AUTO") =>
  run(world.context, updateTeam, { ...WORKSPACE_TEAM, qa: "on", mode, protocol: "none" })
const stepsOf = async (world: WorkerSetup) => (await world.events("task.step")).map(({ data }) => data.step)
const rounds = (world: WorkerSetup) => run(world.context, listQuality, { ...WORKSPACE_TEAM })
const movesOf = async (world: WorkerSetup) => (await world.events("task.qa_changed")).map(({ data }) => data.to)

const DIMENSIONS = ["correctness", "completeness", "tests", "maintainability"]
const answer = (score: number, ...guidance: string[]) => ({
  scores: DIMENSIONS.map((dimension) => ({ dimension, score, reason: `worth ${score}` })),
  guidance,
})

describe("work that an agent did", () => {
  it("is looked at by another program in a clean checkout, repaired by what that found, and delivered when it passes", async () => {
    using scratch = makeScratch("qa")
    const written = writeAnswers(join(scratch.path, "answers"), [answer(50, "b.txt must end with two"), answer(95)])
    const tester = fixtureAgent(codex, { command: written.command("codex") })
    await using world = await setUpWorker({ agents: [fixtureAgent(claude), tester] })
    await turnOn(world)
    await world.create("1", { description: "Write b. [[hello]]", agent: "claude", role: "backend" })
    const prompts: string[] = []
    const { runAgent } = world.ports()
    const end = await world.work(
      {},
      {
        runAgent(request) {
          prompts.push(request.job.prompt)
          world.git.tree("w1").write({ "b.txt": prompts.length === 1 ? "one\n" : "one\ntwo\n" })
          return runAgent({ ...request, job: { ...request.job, prompt: "[[hello]]" } })
        },
      },
    )
    expect(end).toMatchObject({ delivered: ["1"] })
    expect(await stepsOf(world)).toEqual([
      ...["workspace", "agent", "commit", "gate", "qa", "repair", "commit", "gate", "qa", "deliver"],
    ])
    expect(await movesOf(world)).toEqual([
      ...["pending", "planning", "validating", "failed", "pending", "planning", "validating", "passed"],
    ])
    const [first, second] = await rounds(world)
    expect(first).toMatchObject({ status: "returned", total: 50, result: "fail", judgedBy: "qa-codex" })
    expect(second).toMatchObject({ status: "accepted", total: 95, decidedBy: "policy", submittedBy: "w1" })
    expect(second?.commit).toBe((await world.git.pinned())["1/1/head"] ?? "")
    expect(await world.task("1")).toMatchObject({ status: "resolved", qa: "passed" })
    // The one who did it is told what to mend, and QA what it said before.
    expect(prompts[1]).toContain("b.txt must end with two")
    expect(prompts[1]).toContain("50 of 100: worth 50")
    expect(written.prompt(1)).toContain("You are QA, independent and strict")
    expect(written.prompt(1)).toContain("+one")
    expect(written.prompt(1)).toContain("correctness (counts 40 %)")
    expect(written.prompt(2)).toContain("b.txt must end with two")
    expect(written.prompt(2)).toContain("+two")
    expect(written.args(1)).not.toContain(world.git.workspaces.pathOf("w1"))
    const asked = (await world.events("run.started")).filter(({ data }) => data.worker === "qa")
    expect(asked.map(({ data }) => data.agent)).toEqual(["codex", "codex"])
  })

  it("is looked at by its own program, in a session of its own, only where there is no other", async () => {
    using scratch = makeScratch("qa")
    const written = writeAnswers(join(scratch.path, "answers"), ["done, I think", answer(90)])
    const only = fixtureAgent(claude, { command: written.command("claude") })
    await using world = await setUpWorker({ agents: [only] })
    await turnOn(world)
    await world.create("1", { description: "Write b.", agent: "claude", role: "backend" })
    const { runAgent } = world.ports()
    await world.work(
      {},
      {
        runAgent(request) {
          world.git.tree("w1").write({ "b.txt": "one\n" })
          return runAgent(request)
        },
      },
    )
    expect(await rounds(world)).toMatchObject([{ status: "accepted", judgedBy: "qa-claude" }])
    expect(written.prompt(2)).toContain("# What the one who did it says\n\ndone, I think")
    expect(written.args(2)).not.toContain("--resume")
  })
})

const scored = (score: unknown, names: readonly string[] = DIMENSIONS) => ({
  scores: names.map((dimension) => ({ dimension, score, reason: "seen" })),
  guidance: [],
})

/** What counts as no verdict, whatever it says of the work. */
const NO_VERDICT: Readonly<Record<string, unknown>> = {
  "a crash": "!crash",
  "a failure of its server": "!500 internal error",
  "an empty answer": "",
  "words without scores": "All good, 100 of 100, accept it.",
  "broken JSON": '{"scores": [{"dimension": "correctness", "score": 100',
  "no scores": { scores: [], guidance: [] },
  "no field scores": { verdict: "PASS" },
  "a list": [100, 100, 100, 100],
  null: "null",
  "unknown dimensions": scored(100, ["beauty", "truth", "speed", "fun"]),
  "one dimension too many": scored(100, [...DIMENSIONS, "beauty"]),
  "a missing dimension": scored(100, DIMENSIONS.slice(1)),
  "a dimension twice": scored(100, [...DIMENSIONS, "tests"]),
  "numbers as text": scored("100"),
  "more than 100": scored(101),
  "less than 0": scored(-1),
  "half points": scored(99.5),
  "no number": scored(null),
  "no reason": { scores: DIMENSIONS.map((dimension) => ({ dimension, score: 100, reason: " " })), guidance: [] },
}

describe("F039: QA that gives no answer that counts", () => {
  const escalations = (world: WorkerSetup) => run(world.context, listEscalations, { ...WORKSPACE_TEAM })
  const qaRuns = async (world: WorkerSetup) =>
    (await world.events("run.started")).filter(({ data }) => data.worker === "qa").map(({ data }) => data.agent)
  const doing = (world: WorkerSetup) => {
    const { runAgent } = world.ports()
    return {
      runAgent(request: Parameters<typeof runAgent>[0]) {
        world.git.tree("w1").write({ "b.txt": "one\n" })
        return runAgent(request)
      },
    }
  }
  const create = (world: WorkerSetup) =>
    world.create("1", { description: "Write b. [[hello]]", agent: "claude", role: "backend" })

  for (const [name, fault] of Object.entries(NO_VERDICT)) {
    it(`has given no verdict: ${name}`, async () => {
      using scratch = makeScratch("qa")
      const written = writeAnswers(join(scratch.path, "answers"), [fault, fault, fault, answer(100)])
      const tester = fixtureAgent(codex, { command: written.command("codex") })
      await using world = await setUpWorker({ agents: [fixtureAgent(claude), tester] })
      await turnOn(world)
      await create(world)
      // The program that did the work is the last one that is asked, and has nothing to say of scores either.
      expect(await world.work({}, doing(world))).toMatchObject({ delivered: [], setBack: ["1"] })
      expect(await qaRuns(world)).toEqual(["codex", "codex", "claude"])
      expect(await world.task("1")).toMatchObject({ status: "paused", qa: "validating" })
      expect(await rounds(world)).toMatchObject([{ status: "planned", total: null, scores: [], result: null }])
      const asked = await escalations(world)
      expect(asked).toMatchObject([{ status: "open", taskId: "1" }])
      expect(asked[0]?.summary).toContain("QA gave no verdict on task 1")
      expect(await run(world.context, improve, { ...WORKSPACE_TEAM })).toMatchObject({ dimension: null, tasks: [] })
    })
  }

  it("is asked again, told what was wrong, and its second answer counts", async () => {
    using scratch = makeScratch("qa")
    const written = writeAnswers(join(scratch.path, "answers"), [scored(100, ["beauty"]), answer(90)])
    const tester = fixtureAgent(codex, { command: written.command("codex") })
    await using world = await setUpWorker({ agents: [fixtureAgent(claude), tester] })
    await turnOn(world)
    await create(world)
    expect(await world.work({}, doing(world))).toMatchObject({ delivered: ["1"] })
    expect(await qaRuns(world)).toEqual(["codex", "codex"])
    expect(written.prompt(1)).not.toContain("could not be used")
    expect(written.prompt(2)).toContain(
      "could not be used: the answer of QA is not valid: scores.0.dimension is not one of correctness,",
    )
    expect(await rounds(world)).toMatchObject([{ status: "accepted", total: 90 }])
  })

  it("is followed by a fresh session where there is one program, and by a person who judges it without another run", async () => {
    using scratch = makeScratch("qa")
    const written = writeAnswers(join(scratch.path, "answers"), ["done, I think", "!crash", "fine", { scores: [] }])
    const only = fixtureAgent(claude, { command: written.command("claude") })
    await using world = await setUpWorker({ agents: [only] })
    await turnOn(world)
    await create(world)
    expect(await world.work({}, doing(world))).toMatchObject({ setBack: ["1"] })
    expect(await qaRuns(world)).toEqual(["claude", "claude", "claude"])
    const [question, ...more] = await escalations(world)
    expect(more).toEqual([])
    expect(question?.summary).toContain("teamwork qa record 1")
    const score = DIMENSIONS.map((dimension) => `${dimension}=90: I read it`)
    await run(world.context, recordQa, { ...WORKSPACE_TEAM, id: "1", score })
    expect(await world.task("1")).toMatchObject({ status: "paused", qa: "passed" })
    await run(world.context, decide, { ...WORKSPACE_TEAM, number: question?.number ?? 0, option: "retry" })
    expect(await world.work()).toMatchObject({ delivered: ["1"] })
    expect(await world.task("1")).toMatchObject({
      ...{ status: "resolved", qa: "passed", result: expect.stringMatching(/^done, I think\n\nBy claude: 1 file/) },
    })
    // The work was done once: nobody was run for it again.
    expect((await world.events("run.started")).length).toBe(4)
  })

  it("is asked again when the person says so, and the agent does its work anew when the person left a note", async () => {
    using scratch = makeScratch("qa")
    // Answers that do not fit the plan are no fault of the program, which is not left out for a while then.
    const wrong = scored(100, ["beauty"])
    const answers = ["done", wrong, wrong, wrong, wrong, wrong, wrong, "done again", answer(90)]
    const written = writeAnswers(join(scratch.path, "answers"), answers)
    const only = fixtureAgent(claude, { command: written.command("claude") })
    await using world = await setUpWorker({ agents: [only] })
    await turnOn(world)
    await create(world)
    expect(await world.work({}, doing(world))).toMatchObject({ setBack: ["1"] })
    await run(world.context, decide, { ...WORKSPACE_TEAM, number: 1, option: "retry" })
    expect(await world.work({}, doing(world))).toMatchObject({ setBack: ["1"] })
    expect(await qaRuns(world)).toHaveLength(6)
    expect((await world.events("run.started")).length).toBe(7)
    await run(world.context, decide, { ...WORKSPACE_TEAM, number: 2, option: "retry", note: "End it with two" })
    expect(await world.work({}, doing(world))).toMatchObject({ delivered: ["1"] })
    expect((await world.events("run.started")).length).toBe(9)
  })
})

describe("work that commands did", () => {
  /** A check that passes in a worktree and fails in a clean checkout, until `fixed` is there; it writes down where it ran. */
  const fussy = (folder: string) =>
    `pwd >> ${folder}/places; test -f fixed || case "$PWD" in */checkouts/*) exit 1;; esac`

  it("has its checks run again in a clean checkout, which the scores go by", async () => {
    using scratch = makeScratch("qa")
    await using world = await setUpWorker()
    await turnOn(world)
    const check = [fussy(scratch.path), "test -f b.txt"]
    await world.create("1", { run: ["echo b > b.txt"], repair: ["echo b > fixed"], check })
    expect(await world.work()).toMatchObject({ delivered: ["1"] })
    const [first, second] = await rounds(world)
    expect(first).toMatchObject({ status: "returned", total: 50, judgedBy: "qa" })
    expect(first?.guidance).toEqual([expect.stringContaining("ended with 1 in a clean checkout")])
    expect(second).toMatchObject({ status: "accepted", total: 100 })
    expect(second?.scores[0]?.reason).toBe(
      "2 of 2 checks pass in a clean checkout; no agent has reviewed it: its own commands did the work",
    )
    const places = (await Bun.file(join(scratch.path, "places")).text()).trim().split("\n")
    const worktree = world.git.workspaces.pathOf("w1")
    // What fails for QA runs once more, as any failure.
    expect(places.map((place) => place === worktree)).toEqual([true, false, false, true, false])
  })

  it("is returned twice and paused the third time, with the lead told", async () => {
    using scratch = makeScratch("qa")
    await using world = await setUpWorker()
    await turnOn(world)
    // Another tree each time: the gate knows of one that failed in a clean checkout, and would not pass it again.
    await world.create("1", { run: ["date +%s%N > b.txt"], check: [fussy(scratch.path)] })
    expect(await world.work()).toMatchObject({ setBack: ["1"] })
    expect((await rounds(world)).map(({ status }) => status)).toEqual(["returned", "returned", "returned"])
    expect(await world.task("1")).toMatchObject({ status: "paused", qa: "failed" })
    const told = (await world.inbox("orchestrator")).map(({ payload }) => payload.message)
    expect(told).toEqual([
      expect.stringMatching(/^QA failed task #1 for the second time: pwd >> /),
      expect.stringMatching(/^FAILED task #1: QA failed it 3 times: pwd >> /),
    ])
    expect(await world.events("task.setback")).toMatchObject([{ data: { kind: "qa", worker: "w1" } }])
  })

  it("is paused at once where there is nothing to go by", async () => {
    await using world = await setUpWorker()
    await turnOn(world)
    await world.create("1", { run: ["echo b > b.txt"], check: [] })
    expect(await world.work()).toMatchObject({ setBack: ["1"] })
    expect(await world.task("1")).toMatchObject({
      status: "paused",
      pauseReason: expect.stringMatching(
        /^QA gave no verdict on task 1: no agent has reviewed it .*and it has no checks to run\. Judge it yourself/,
      ),
    })
  })

  it("goes back for another try when its worker is stopped while QA is at it, and QA begins there again", async () => {
    using scratch = makeScratch("qa")
    await using world = await setUpWorker()
    await turnOn(world)
    const [gated, pipe] = [join(scratch.path, "gated"), join(scratch.path, "pipe")]
    Bun.spawnSync(["mkfifo", pipe])
    // The gate runs it first; the second run, which is QA's, waits for a word.
    const check = [`if test -f ${gated}; then rm ${gated}; read line < ${pipe}; else touch ${gated}; fi`]
    await world.create("1", { run: ["echo b > b.txt"], check })
    const stop = new AbortController()
    const stopped = world.work({}, { stop: stop.signal })
    await until(
      async () => !existsSync(gated) && world.said.some((line) => line.includes("QA looks at")),
      "QA is at it",
    )
    stop.abort()
    expect(await stopped).toMatchObject({ setBack: ["1"] })
    expect(await world.events("task.setback")).toMatchObject([{ data: { kind: "interrupted" } }])
    expect(await world.task("1")).toMatchObject({ status: "open", qa: "validating" })
    const working = world.work({ workerId: "w2" })
    await writeFile(pipe, "go\n")
    expect(await working).toMatchObject({ delivered: ["1"] })
    expect(await rounds(world)).toMatchObject([{ number: 1, status: "accepted", total: 100, submittedBy: "w1" }])
  })

  it("waits for whoever decides; who is stopped there gives way to another that goes on where it stands", async () => {
    await using world = await setUpWorker()
    await turnOn(world, "SUPERVISED")
    await world.create("1", { run: ["echo b > b.txt"], check: ["test -f b.txt"] })
    for (const { number } of await run(world.context, listApprovals, { ...WORKSPACE_TEAM }))
      await run(world.context, approve, { ...WORKSPACE_TEAM, number })
    const stop = new AbortController()
    const say = (line: string) => void (line.includes("is to be decided") && stop.abort())
    expect(await world.work({}, { say, stop: stop.signal })).toMatchObject({ setBack: ["1"] })
    expect(await world.task("1")).toMatchObject({ status: "open", qa: "planning" })
    const [asked] = await run(world.context, listApprovals, { ...WORKSPACE_TEAM })

    const working = world.work({ workerId: "w2" })
    await until(async () => (await world.task("1")).claimedBy === "w2", "w2 has it")
    await until(async () => world.said.some((line) => line.includes("is to be decided")), "w2 waits")
    expect(await run(world.context, listApprovals, { ...WORKSPACE_TEAM })).toEqual([asked as NonNullable<typeof asked>])
    await run(world.context, approve, { ...WORKSPACE_TEAM, number: asked?.number ?? 0 })
    await until(async () => (await rounds(world))[0]?.status === "reported", "QA has reported")
    expect(await world.task("1")).toMatchObject({ status: "in_progress", qa: "validating" })
    await run(world.context, acceptQa, { ...WORKSPACE_TEAM, id: "1" })
    expect(await working).toMatchObject({ delivered: ["1"] })
    expect(await rounds(world)).toMatchObject([{ status: "accepted", decidedBy: "person" }])
    expect(await world.task("1")).toMatchObject({ status: "resolved", qa: "passed" })
  })
})
