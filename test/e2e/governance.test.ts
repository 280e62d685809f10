// A person in control: phases by hand through the command line, and a supervised team of real processes.
import { describe, expect, it } from "bun:test"
import { PHASE_TRANSITIONS, PHASES, type Phase } from "../../src/kernel/phase.ts"
import { until } from "../support/stores.ts"
import { makeRepository, processesOf, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

const LONG_MS = 4 * TEST_TIMEOUT_MS

/** A planned task 1, held by w1, in one of the phases. */
async function benchIn(phase: Phase): Promise<Bench> {
  const bench = makeBench()
  await bench.ok("project", "create", "--goal", "Search page", "--protocol", "planned")
  await bench.ok("task", "create", "--id", "1", "--title", "Schema")
  await bench.ok("task", "claim", "--id", "1", "--owner", "w1")
  for (const to of PHASES.slice(1, PHASES.indexOf(phase) + 1)) {
    if (to === "execution") await bench.ok("approve", "1")
    else await bench.ok("task", "phase", "1", to, "--owner", "w1", "--report", `before ${to}`)
  }
  return bench
}

describe("the phases of a planned task, through the command line", () => {
  it.each(PHASES)(
    "from %s only what comes next, and every refusal names the way",
    async (from) => {
      using bench = await benchIn(from)
      const phase = async () => (await bench.ok("task", "get", "1")).phase
      const allowed: readonly Phase[] = PHASE_TRANSITIONS[from]
      for (const to of PHASES) {
        if (from !== "awaiting_approval" && allowed.includes(to)) continue
        const code = from === "awaiting_approval" && allowed.includes(to) ? "approval.needed" : "phase.transition"
        const message = await bench.refused(code, "task", "phase", "1", to, "--owner", "w1", "--report", "x")
        if (code === "approval.needed") expect(message).toContain("teamwork approve NUMBER")
        else expect(message).toMatch(from === "completion" ? /the last one/ : /next comes /)
      }
      if (from !== "completion") {
        const code = from === "awaiting_approval" ? "approval.needed" : "phase.transition"
        const message = await bench.refused(
          code,
          "task",
          "update",
          "--id",
          "1",
          "--owner",
          "w1",
          "--status",
          "resolved",
        )
        expect(message).toMatch(/teamwork (?:approvals|task phase 1 )/)
      }
      expect(await phase()).toBe(from)
      const [next] = allowed
      if (from === "awaiting_approval") await bench.ok("approve", "1")
      else if (next !== undefined) await bench.ok("task", "phase", "1", next, "--owner", "w1", "--report", "so far")
      else await bench.ok("task", "update", "--id", "1", "--owner", "w1", "--status", "resolved")
      expect(await phase()).toBe(next ?? "completion")
    },
    TEST_TIMEOUT_MS,
  )

  it("does not let anybody else speak for whoever holds the task", async () => {
    using bench = await benchIn("requirement")
    const report = ["--report", "x"]
    await bench.refused("claim.lost", "task", "phase", "1", "skill_research", "--owner", "w2", ...report)
    await bench.ok("project", "update", "--protocol", "none")
    const message = await bench.refused("phase.none", "task", "phase", "1", "requirement", "--owner", "w1", ...report)
    expect(message).toContain("teamwork project update --protocol planned")
  })
})

const RUN = ["run", "--no-review", "--no-cascade", "--workers", "2"]

function pending(bench: Bench): Promise<Data[]> {
  return bench.ok<Data[]>("approvals")
}

describe("a supervised team", () => {
  it(
    "waits for a person at every checkpoint, through kills and restarts, and does nothing before",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { Makefile: "test:\n\ttest -e README.md\n" })
      const plan = writePlan(
        `${bench.home}/plan.json`,
        [
          { id: "1", run: ["echo one > f1"] },
          { id: "2", needs: ["1"], run: ["cat f1 > f2"] },
        ],
        { mode: "SUPERVISED" },
      )
      await bench.ok("plan", plan, "--yes")
      const seen: string[] = []
      for (let rounds = 0; ; rounds++) {
        await using team = bench.start(RUN)
        const asked = await until(async () => {
          const [first] = await pending(bench)
          const [stop] = await bench.ok<Data[]>("escalations")
          return first ?? (stop !== undefined || (await isOver(team)) ? "over" : undefined)
        })
        if (asked === "over") {
          if ((await bench.ok<Data[]>("escalations")).length === 0 && (await team.exited) === 0) break
          // Whoever supervises is also asked before a worker that crashed is started again.
          const [crash] = await bench.ok<Data[]>("escalations")
          await bench.ok("decide", String(crash?.number), "go-on")
          continue
        }
        const runs = await bench.ok<{ events: Data[] }>("events", "tail", "--type", "run.started")
        expectApproved(seen, runs.events.length)
        // Whatever waits is still asked after everything was killed, as the same question.
        if (rounds % 2 === 0) {
          await team.stop("SIGKILL")
          for (const { pid } of processesOf(bench.home)) tryKill(pid)
          expect((await pending(bench)).map(({ number }) => number)).toContain(asked.number)
        }
        await bench.ok("approve", String(asked.number))
        await bench.refused("approval.decided", "reject", String(asked.number), "--reason", "too late")
        seen.push(`${asked.subject}${asked.task_id === null ? "" : ` ${asked.task_id}`}`)
        if (rounds % 2 === 1) await team.stop("SIGINT")
      }
      expect(seen).toEqual(["understanding", "team-plan", "plan 1", "draft", "plan 2", "final"])
      expect(git(bench.cwd, "show", "main:f2")).toBe("one")
      expect(await bench.ok("project", "status")).toMatchObject({ phase: "COMPLETE" })
    },
    LONG_MS,
  )

  it(
    "makes another plan when the first is rejected, and goes on by itself once nobody wants to be asked",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const plan = writePlan(`${bench.home}/plan.json`, [{ id: "1", run: ["echo one > f1"] }], { mode: "SUPERVISED" })
      await using team = bench.start([...RUN, plan])
      await until(async () => (await pending(bench).catch(() => [])).length === 2 || undefined)
      for (const number of ["1", "2"]) await bench.ok("approve", number)
      const first = await until(async () => (await pending(bench))[0])
      expect(first).toMatchObject({ scope: "agent-phase", task_id: "1", question: expect.stringContaining("echo one") })
      await bench.ok("reject", String(first.number), "--reason", "say why")
      const second = await until(async () => (await pending(bench)).find(({ number }) => number !== first.number))
      expect(Number(second.number)).toBeGreaterThan(Number(first.number))
      await bench.ok("project", "update", "--mode", "FULL_AUTO")
      expect(await team.exited).toBe(0)
      expect(await bench.ok<Data[]>("approvals", "--status", "approved")).toContainEqual(
        expect.objectContaining({ number: second.number, decided_by: "policy" }),
      )
      expect(git(bench.cwd, "show", "main:f1")).toBe("one")
    },
    LONG_MS,
  )

  it("shows what is asked to whoever watches", async () => {
    using bench = makeBench()
    await bench.ok("project", "create", "--goal", "Search page")
    await using watching = bench.start(["approvals", "--watch", "--format", "table"])
    await bench.ok("checkpoint", "draft")
    await watching.untilLine("out", (line) => line.startsWith("approval 1 (draft), asked by person"))
    expect(await watching.stop()).toBe(0)
  })
})

async function isOver(team: { readonly exited: Promise<number> }): Promise<boolean> {
  return Promise.race([team.exited.then(() => true), Bun.sleep(0).then(() => false)])
}

/** Agents ran only for tasks whose plans were approved. */
function expectApproved(seen: readonly string[], runs: number): void {
  const approved = seen.filter((subject) => subject.startsWith("plan ")).length
  if (approved === 0) expect(runs).toBe(0)
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It ended in this very moment.
  }
}
