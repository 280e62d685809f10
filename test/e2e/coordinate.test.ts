// A goal that is taken apart: roles made for it, a capability that turns out to be missing, and the work to its end. And
// the examples, which need no agent program.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Answers, writeAnswers } from "../support/answers.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { type Bench, type Data, git, makeBench } from "./bench.ts"
import { prepareRepository } from "./command-cases.ts"

setDefaultTimeout(120_000)

const EXAMPLES = join(import.meta.dir, "../../examples")
const MAP = { affected: [], modules: [], shared: [], tests: [], remarks: "nothing special" }
const ROLE = { context: "Read a.txt.", work: "Do it.", validation: "Look again." }
const TASK = { description: "", acceptance: ["it is known"], checks: [], complexity: "simple", needs: [], files: [] }
const ANALYSIS = {
  understanding: "Know what a.txt says",
  capabilities: ["read", "judge"],
  roles: [
    { ...ROLE, name: "reader", prefix: "READ", responsibility: "exploration", capability: "Read old texts" },
    { ...ROLE, name: "judge", prefix: "JUDGE", responsibility: "review", capability: "Judge what was read" },
  ],
  tasks: [
    { ...TASK, id: "READ-1", title: "Read the text", owner: "reader" },
    { ...TASK, id: "READ-2", title: "Read it again", owner: "reader", needs: ["READ-1"] },
    { ...TASK, id: "JUDGE-1", title: "Judge it", owner: "judge", needs: ["READ-2"] },
  ],
}

function makeCoordinated(answers: readonly unknown[]): Bench & { readonly answers: Answers } {
  const bench = makeBench()
  const written = writeAnswers(join(bench.home, "answers"), answers)
  const off = Object.fromEntries(["codex", "gemini", "opencode", "acp"].map((name) => [name, { enabled: false }]))
  const agents = { ...off, claude: { command: written.command("claude") } }
  writeFileSync(join(bench.home, "config.json"), JSON.stringify({ agents }))
  mkdirSync(join(bench.home, ".claude"), { recursive: true })
  writeFileSync(join(bench.home, ".claude", ".credentials.json"), "{}")
  prepareRepository(bench)
  git(bench.cwd, "config", "user.name", "Test")
  git(bench.cwd, "config", "user.email", "test@example.com")
  return { ...bench, answers: written }
}

describe("coordinate", () => {
  it.each([
    ["coordinate", "做一个网页，使用 house-style 技能", "READ-1"],
    ["plan", "Build a page. Use the house-style skill.", "page"],
  ])("F046: %s keeps the words that the user typed, and with them the skill: %s", async (command, goal, task) => {
    const page = { ...TASK, id: "page", title: "Add the page", role: "frontend", agentType: "executor" }
    const answer = command === "plan" ? { understanding: "A page exists", tasks: [page] } : ANALYSIS
    using bench = makeCoordinated([MAP, answer])
    const folder = join(bench.cwd, ".claude", "skills", "house-style")
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, "SKILL.md"),
      "---\nname: house-style\ndescription: How this house writes\n---\nBriefly.\n",
    )
    const shown = await bench.ok(command, goal, "--yes")
    expect(shown).toMatchObject({ goal, understanding: answer.understanding })
    expect((await bench.ok("project", "get")).goal).toBe(goal)
    expect(JSON.stringify(await bench.ok("skill", "list", "--task", task))).toContain('"house-style"')
    expect(await bench.text("prompt", task)).toContain("house-style")
  })

  it("has a goal analysed, makes roles, answers a gap with a role, and brings it to its end", async () => {
    const many = {
      ...ANALYSIS,
      roles: ["a", "b", "c", "d", "e", "f"].map((id) => ({
        ...ANALYSIS.roles[0],
        name: `role-${id}`,
        prefix: `R${id.toUpperCase()}`,
      })),
    }
    using bench = makeCoordinated([
      ...[MAP, many, ANALYSIS],
      "It is in Latin.\nCAPABILITY GAP task #READ-1: Know Latin",
      "It says: hello.",
      "Read with the help of KNOW-1.",
      "Read again: hello.",
      "The reading is right.",
    ])
    const planned = await bench.run([
      "coordinate",
      "What does a.txt say?",
      "--yes",
      "--save-roles",
      "--format",
      "table",
    ])
    expect(planned).toMatchObject({ exitCode: 0 })
    expect(planned.stdout).toContain(
      "Roles made for it\n  reader (READ-, exploration): Read old texts; READ-1, READ-2\n",
    )
    expect(planned.stderr).toMatch(
      /exploring the repository\n.*analysing the goal\n.*the plan has \d+ faults, planning again\n$/,
    )
    expect(bench.answers.prompt(2)).toContain("First list the capabilities that the goal needs")
    expect(bench.answers.prompt(3)).toContain("roleSpecs: has 6 roles; at most 5 are made")
    const file = join(bench.cwd, ".teamwork", "roles", "reader.md")
    expect(readFileSync(file, "utf8")).toContain(
      "inner_loop: true\n---\n# reader\n\nRead old texts\n\n## Phase 2: Context\n\nRead a.txt.\n",
    )
    // What people write there holds.
    writeFileSync(file, readFileSync(file, "utf8").replace("Do it.", "Do it slowly."))

    const ran = await bench.run(["run", "--workers", "1", "--no-review", "--no-cascade"])
    expect({ ...ran, stderr: "" }).toMatchObject({ exitCode: 0 })
    const tasks = await bench.ok<Data[]>("task", "list")
    expect(tasks.map(({ id, status, blocked_by }) => [id, status, blocked_by])).toEqual([
      ["READ-1", "resolved", ["KNOW-1"]],
      ["READ-2", "resolved", ["READ-1"]],
      ["JUDGE-1", "resolved", ["READ-2"]],
      ["KNOW-1", "resolved", []],
    ])
    const [first = "", gap = "", again = "", second = "", judge = ""] = [4, 5, 6, 7, 8].map((at) =>
      bench.answers.prompt(at),
    )
    for (const said of [
      ...["You work as reader (exploration).", "Do it slowly.", "role-spec role-specs/reader.md", "Inner loop: yes"],
      ...[
        "Session: TC-what-does-a-txt-say-",
        "Pipeline phase: wave 1 of 3",
        "What does a.txt say?",
        "Task READ-1: Read the text",
      ],
    ])
      expect(first).toContain(said)
    expect(gap).toContain("You work as know-latin (exploration).")
    expect(again).toContain("Task KNOW-1: Know Latin (resolved)\n```text\nIt says: hello.")
    expect(second).toContain("Task READ-1: Read the text (resolved)\n```text\nRead with the help of KNOW-1.")
    expect(judge).toContain("You work as judge (review).")
    expect(bench.answers.args(4)).toContain("--effort\nmedium")
    expect(bench.answers.args(8)).toContain("--effort\nhigh")

    const out = join(bench.cwd, "..", "out")
    await bench.ok("export", "--to", out, "--archive")
    expect(JSON.parse(readFileSync(join(out, "task-analysis.json"), "utf8"))).toMatchObject({
      ...{ goal: "What does a.txt say?", understanding: "Know what a.txt says", capabilities: ["read", "judge"] },
      needs: { "READ-1": [], "READ-2": ["READ-1"] },
    })
    const session = JSON.parse(readFileSync(join(out, "team-session.json"), "utf8"))
    expect(session).toMatchObject({
      status: "completed",
      completion_action: "export",
      pipeline: { tasks_total: 4, tasks_completed: 4 },
    })
    expect(session.roles).toEqual([
      ...[
        {
          name: "judge",
          prefix: "JUDGE",
          responsibility_type: "review",
          inner_loop: false,
          role_spec: "role-specs/judge.md",
        },
      ],
      ...[
        {
          name: "know-latin",
          prefix: "KNOW",
          responsibility_type: "exploration",
          inner_loop: false,
          role_spec: "role-specs/know-latin.md",
        },
      ],
      ...[
        {
          name: "reader",
          prefix: "READ",
          responsibility_type: "exploration",
          inner_loop: true,
          role_spec: "role-specs/reader.md",
        },
      ],
    ])
    expect(readFileSync(join(out, "deliverables/research/SYNTHESIS.md"), "utf8")).toContain(
      "- **Judge it (JUDGE-1):** The reading is right.\n",
    )
  })

  it("takes a role that is there, and says so to whoever analyses", async () => {
    const more = { ...ANALYSIS, tasks: [{ ...TASK, id: "READ-3", title: "Read the end", owner: "reader" }] }
    using bench = makeCoordinated([MAP, ANALYSIS, MAP, more])
    await bench.ok("coordinate", "What does a.txt say?", "--yes")
    const again = await bench.ok<Data>("coordinate", "And how does it end?", "--yes")
    expect(bench.answers.prompt(4)).toContain(
      "## Existing roles\n\n- judge (JUDGE-, review)\n- reader (READ-, exploration)",
    )
    expect(again).toMatchObject({ role_specs: [], applied: { role_specs: [], created: ["READ-3"] } })
    expect(existsSync(join(bench.cwd, ".teamwork"))).toBe(false)
  })

  it("a task whose role-spec is gone is refused with one line, and the plan makes the role anew", async () => {
    using bench = openExample("coordinate")
    const plan = join(EXAMPLES, "coordinate/plan.yml")
    await bench.ok("coordinate", plan, "--yes")
    const before = await bench.ok("role", "show", "scanner")
    bench.tamper("delete from document")
    expect(await bench.refused("role.not_found", "prompt", "SCAN-1")).toContain(
      'there is no role or agent type "scanner"',
    )
    expect(await bench.ok("coordinate", plan, "--yes")).toMatchObject({
      applied: { created: [], role_specs: ["scanner", "cleaner", "reporter"] },
    })
    expect(await bench.ok("role", "show", "scanner")).toEqual(before)
  })
})

/** A repository of its own, as the example's README says. */
function openExample(name: string): Bench {
  const bench = makeBench()
  const { success, stderr } = Bun.spawnSync(["sh", join(EXAMPLES, "setup.sh"), name, bench.cwd], { env: sandboxEnv() })
  if (!success) throw new Error(String(stderr))
  return bench
}

describe("the examples", () => {
  it("coordinate: four tasks of three made roles, to the target branch", async () => {
    using bench = openExample("coordinate")
    const { exitCode, stdout } = await bench.run(["run", join(EXAMPLES, "coordinate/plan.yml")])
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    expect(git(bench.cwd, "show", "main:words.txt").split("\n")).toEqual(["apple", "cherry", "pear", "plum"])
    expect(git(bench.cwd, "show", "main:REPORT.md")).toContain("It has 4 words")
    const { deliverables } = await bench.ok<{ deliverables: Data[] }>("deliverables")
    expect(deliverables.map(({ type, tasks }) => [type, (tasks as Data[]).map(({ id }) => id)])).toEqual([
      ["code", ["CLEAN-1", "CLEAN-2"]],
      ["document", ["REPORT-1"]],
      ["research", ["SCAN-1"]],
    ])
    expect(await bench.text("report")).toContain(
      "Deliverables   code of 2 tasks, document of 1 task, research of 1 task\n",
    )
  })

  it("pm-team: the preset says who does what, and that it is planned and checked", async () => {
    using bench = openExample("pm-team")
    const plan = await bench.ok<{ tasks: Data[] }>("plan", join(EXAMPLES, "pm-team/plan.yml"), "--yes")
    expect(plan).toMatchObject({
      ...{ preset: "pm-team", protocol: "planned", qa: true, workers: "3", total_waves: 2 },
      applied: { team: { protocol: "planned", has_qa: true } },
    })
    expect(plan.tasks.map(({ id, role, agent_type }) => [id, role, agent_type])).toEqual([
      ["greetings", "worker", "executor"],
      ["style", "worker", "designer"],
      ["languages", "worker", "explorer"],
      ["page", "worker", "executor"],
      ["guide", "docs", "docs"],
    ])
  })
})
