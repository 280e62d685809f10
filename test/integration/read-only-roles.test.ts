// Roles that only read: what was written for their tasks is set aside, and their work is their answer.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { claude } from "../../src/agents/claude/program.ts"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { askException, grantException } from "../../src/ownership/operations/exceptions.ts"
import { checkOwnership, judgeScope } from "../../src/ownership/operations/ownership-facts.ts"
import { fixtureAgent } from "../support/agents.ts"
import { refusalCode, run } from "../support/stores.ts"
import { setUpWorker, type WorkerSetup } from "../support/worker.ts"
import { WORKSPACE_TEAM } from "../support/workspaces.ts"

setDefaultTimeout(60_000)

const ROLES = [
  ...["architect", "explorer", "code-reviewer", "quality-reviewer", "security-reviewer", "style-reviewer"],
  "performance-reviewer",
]

/** Plays an agent that writes a file and answers; each turn takes the next answer. */
function writing(world: WorkerSetup, ...answers: readonly string[]) {
  const { runAgent } = world.ports()
  let turn = 0
  return {
    async runAgent(request: Parameters<typeof runAgent>[0]) {
      world.git.tree("w1").write({ "report.md": "what I found\n", "a.txt": "changed\n" })
      const result = await runAgent({ ...request, job: { ...request.job, prompt: "[[hello]]" } })
      return { ...result, answer: answers[Math.min(turn++, answers.length - 1)] ?? "" }
    },
  }
}

const kindOf = (type: string) => (type.endsWith("reviewer") ? { role: "review" as const } : {})

describe("F038: a role that only reads", () => {
  for (const agentType of ROLES) {
    it(`delivers none of the files that its agent wrote, as ${agentType}`, async () => {
      await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
      await world.create("1", { agent: "claude", agentType, ...kindOf(agentType) })
      expect(await world.work({}, writing(world, "Two modules do the same."))).toMatchObject({ delivered: ["1"] })
      const pinned = await world.git.pinned()
      expect(pinned["1/1/head"]).toBe(pinned["1/1/base"])
      const [aside] = await world.events("ownership.set_aside")
      expect(aside?.data.paths).toEqual(expect.arrayContaining(["a.txt", "report.md"]))
      expect(await world.task("1")).toMatchObject({
        status: "resolved",
        result: expect.stringContaining("Two modules do the same."),
      })
    })
  }

  it("is not done when its agent changed no file that counts and answered nothing", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    await world.create("1", { agent: "claude", agentType: "architect" })
    expect(await world.work({}, writing(world, "", " \n"))).toMatchObject({ setBack: ["1"] })
    const [setback] = await world.events("task.setback")
    expect(setback?.data).toMatchObject({ kind: "gate", reason: expect.stringContaining("answered nothing") })
    expect((await world.task("1")).status).not.toBe("resolved")
  })

  it("is asked for its answer once more, and done with it", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    await world.create("1", { agent: "claude", agentType: "architect" })
    const agent = writing(world, "", "Two modules do the same.")
    expect(await world.work({}, agent)).toMatchObject({ delivered: ["1"] })
    expect((await world.events("run.started")).length).toBe(2)
  })

  it("may write nothing, whatever its task owns or the lead grants, and cannot ask for more", async () => {
    await using world = await setUpWorker()
    await world.create("1", { agentType: "architect" })
    await world.create("2", { role: "review", files: ["docs/review.md"] })
    await world.create("3", {})
    const check = async (task: string, ...paths: string[]) => {
      const { paths: judged } = await run(world.context, checkOwnership, { ...WORKSPACE_TEAM, task, paths })
      return judged.map(({ allowed, reason }) => ({ allowed, reason }))
    }
    const no = { allowed: false, reason: "read_only" as const }
    expect(await check("1", "docs/plan.md", "package.json")).toEqual([no, no])
    expect(await check("2", "docs/review.md")).toEqual([no])
    expect(await check("3", "docs/plan.md")).toEqual([{ allowed: true, reason: "free" }])
    const ask = { ...WORKSPACE_TEAM, task: "1", path: "docs/plan.md", reason: "to keep it" }
    expect(await refusalCode(run(world.context, askException, ask))).toBe("ownership.not_allowed")
    // A grant of before the task got its role opens nothing either.
    expect(
      await refusalCode(run(world.context, grantException, { ...WORKSPACE_TEAM, task: "1", number: 1 })),
    ).toBeString()
    const changes = [{ path: "docs/plan.md", change: "added", type: "file" }] as const
    const [objection] = await judgeScope(world.context, WORKSPACE_TEAM, { task: parseTaskId("1"), changes })
    expect(objection).toContain("architect, a role that only reads")
    expect(await judgeScope(world.context, WORKSPACE_TEAM, { task: parseTaskId("3"), changes })).toEqual([])
  })

  it("has what its agent committed by itself set aside as well", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    await world.create("1", { agent: "claude", agentType: "architect" })
    const agent = writing(world, "Here is what I think.")
    const committing = {
      async runAgent(request: Parameters<typeof agent.runAgent>[0]) {
        const result = await agent.runAgent(request)
        world.git.tree("w1").commit("my report")
        return result
      },
    }
    expect(await world.work({}, committing)).toMatchObject({ delivered: ["1"] })
    const pinned = await world.git.pinned()
    expect(world.git.repository.run("diff", "--name-only", pinned["1/1/base"] ?? "", pinned["1/1/head"] ?? "")).toBe("")
  })
})
