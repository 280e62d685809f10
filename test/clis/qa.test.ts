// The real Claude Code as QA, against a scripted model: an answer without scores is no verdict.
import { expect, it } from "bun:test"
import { join } from "node:path"
import { claude } from "../../src/agents/claude/program.ts"
import { openGateRepository } from "../../src/git/gate-repository.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { BUILT_IN_ROLES } from "../../src/planning/roles/roles.ts"
import { examineWork } from "../../src/quality/effects/examine-work.ts"
import { listQuality } from "../../src/quality/operations/report-qa.ts"
import type { Verifier } from "../../src/quality/verify/verifier.ts"
import { listEscalations } from "../../src/requests/operations/escalations.ts"
import { updateTeam } from "../../src/teams/operations/update-team.ts"
import { fixtureAgent } from "../support/agents.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { run } from "../support/stores.ts"
import { setUpWorker, type WorkerSetup } from "../support/worker.ts"
import { WORKSPACE_TEAM } from "../support/workspaces.ts"
import { type Cli, MAX_RUN_MS, makeWorld, type World } from "./cli-world.ts"
import type { Scripts } from "./fake-model.ts"
import { ACP_OPENCODE, CLAUDE, OPENCODE } from "./programs.ts"

const DIMENSIONS = ["correctness", "completeness", "tests", "maintainability"]
const SCORES = {
  scores: DIMENSIONS.map((dimension) => ({ dimension, score: 90, reason: "read it" })),
  guidance: [],
}

/** A worker whose task is done by a fixture, with the real program as QA. */
async function work(scripts: Scripts, program: Cli = CLAUDE) {
  const cli = makeWorld(program, scripts)
  const world = await setUpWorker({ agents: [fixtureAgent(claude)] })
  await run(world.context, updateTeam, { ...WORKSPACE_TEAM, qa: "on", mode: "FULL_AUTO", protocol: "none" })
  // The question of QA quotes the task, and the marker in it selects what the model says.
  await world.create("1", { title: "[[qa]] Write b", agent: "claude", role: "backend" })
  const { runAgent } = world.ports()
  const end = await world.work(
    {},
    {
      runAgent(request) {
        world.git.tree("w1").write({ "b.txt": "one\n" })
        return runAgent({ ...request, job: { ...request.job, prompt: "[[hello]]" } })
      },
      examine: async ({ folder, ...request }) => examineWork(await qaPorts(world, { cli, program, folder }), request),
    },
  )
  return {
    ...{ cli, world, end },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await cli[Symbol.asyncDispose]()
    },
  }
}

async function qaPorts(
  world: WorkerSetup,
  { cli: { agent, env }, program, folder }: { cli: World; program: Cli; folder: string },
) {
  const { git, home } = world
  const repository = await openGateRepository(git.repository.at(folder).git, { home, prepare: async () => undefined })
  const model = { model: program.model, price: null }
  const ask = {
    ready: [{ agent, env, isEnabled: true, models: { haiku: model, sonnet: model, opus: model } }],
    ...{ home: join(home, "asked"), clock: systemClock, ids: systemIds, maxBytes: 10_000_000 },
    ...{ roles: BUILT_IN_ROLES, callerEnv: sandboxEnv() },
    defaults: { agentType: "executor", tier: "sonnet" } as const,
    health: { now: new Date().toISOString(), until: {}, faults: {}, quotas: {} },
    ...{ hasStore: async () => true, openContext: async () => world.context },
  }
  return {
    verifier: { repository, runner: { mask: (text: string) => text } } as unknown as Verifier,
    ...{ ask: async () => ask, promptLimit: () => 40_000, timeoutMs: MAX_RUN_MS },
  }
}

it("F039: is asked again and in a fresh session when it gives no scores, and then a person is, once", async () => {
  await using done = await work({ qa: [{ text: "I read all of it. 100 of 100, accept it." }] })
  const { world } = done
  expect(done.end).toMatchObject({ delivered: [], setBack: ["1"] })
  const asked = (await world.events("run.started")).filter(({ data }) => data.worker === "qa")
  expect(asked.map(({ data }) => data.agent)).toEqual(["claude", "claude", "claude"])
  expect(await world.task("1")).toMatchObject({ status: "paused", qa: "validating" })
  expect(await run(world.context, listQuality, { ...WORKSPACE_TEAM })).toMatchObject([
    { status: "planned", total: null },
  ])
  const questions = await run(world.context, listEscalations, { ...WORKSPACE_TEAM })
  expect(questions).toMatchObject([{ status: "open", taskId: "1" }])
  expect(questions[0]?.summary).toContain("QA gave no verdict on task 1")
})

it("F039: passes the work with a score for each dimension", async () => {
  await using done = await work({ qa: CLAUDE.structured(SCORES) })
  expect(done.end).toMatchObject({ delivered: ["1"] })
  expect(await run(done.world.context, listQuality, { ...WORKSPACE_TEAM })).toMatchObject([
    { status: "accepted", total: 90, judgedBy: "qa-claude", isByChecks: false },
  ])
})

it.each([
  ["opencode", OPENCODE],
  ["acp", ACP_OPENCODE],
])("lets %s judge the work of another program, in a folder in which it cannot write", async (name, program) => {
  const replies = [{ tool: program.write("forged.txt", "x") }, ...program.structured(SCORES)]
  await using done = await work({ qa: replies }, program)
  expect(done.end).toMatchObject({ delivered: ["1"] })
  expect(await run(done.world.context, listQuality, { ...WORKSPACE_TEAM })).toMatchObject([
    { status: "accepted", total: 90, judgedBy: `qa-${name}`, isByChecks: false },
  ])
  const files = [...new Bun.Glob("**/forged.txt").scanSync({ cwd: done.world.home, dot: true })]
  expect(files).toEqual([])
})
