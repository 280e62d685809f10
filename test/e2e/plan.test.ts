// Planning from the command line: documents, goals that agents plan, templates, and the person who decides.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Answers, writeAnswers } from "../support/answers.ts"
import { type Bench, type Data, makeBench, readError, TEST_TIMEOUT_MS } from "./bench.ts"
import { prepareRepository } from "./command-cases.ts"
import { END, HAS_TMUX, openPane, WHY_NO_TMUX } from "./pane.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

const SHOP = `goal: A small shop
tasks:
  - id: types
    title: Types of the shop
    files: src/types.ts
    acceptance: Item and Cart are there
    run: mkdir -p src && echo 'export type Item = string' > src/types.ts
  - id: cart
    title: Cart
    needs: [types]
    files: [src/cart/**]
    checks: node --check src/cart/cart.js
    run: [mkdir -p src/cart, "echo 1 > src/cart/cart.js"]
`

/** A folder with these files. */
function makePlanBench(files: Readonly<Record<string, string>> = {}): Bench {
  const bench = makeBench()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(bench.cwd, name), text)
  return bench
}

const tasksOf = async (bench: Bench) => (await bench.ok<Data[]>("task", "list")).map(({ id, wave }) => [id, wave])

describe("a plan document", () => {
  it("is shown and applied, and changes nothing the second time", async () => {
    using bench = makePlanBench({ "plan.yml": SHOP })
    const first = await bench.ok("plan", "plan.yml", "--yes")
    expect(first).toMatchObject({
      ...{ goal: "A small shop", schedule: "eager", workers: "auto", total_waves: 2, notes: [] },
      applied: { created: ["types", "cart"], total_waves: 2, team: { project: "shop", team: "main" } },
    })
    expect(await tasksOf(bench)).toEqual([
      ["types", 1],
      ["cart", 2],
    ])
    const before = bench.dump()
    expect(await bench.ok("plan", "plan.yml", "--yes")).toMatchObject({ applied: { created: [], updated: [] } })
    expect(bench.dump()).toEqual(before)
  })

  it("F040: derives the complexity that it does not say, tells why, and keeps what it says", async () => {
    const plan = `goal: A shop
tasks:
  - { id: lock, title: Deadlock in the connection pool, acceptance: it is gone }
  - { id: typo, title: Fix the typo in the footer, acceptance: it is right }
  - { id: page, title: Add a page with the orders, acceptance: it is there }
  - { id: said, title: Deadlock in the queue, complexity: standard, acceptance: it is gone }
`
    using bench = makePlanBench({ "plan.yml": plan })
    const shown = await bench.run(["plan", "plan.yml", "--dry-run", "--explain", "--format", "table"])
    for (const line of [
      'why    complex: concurrency ("Deadlock") makes it complex',
      'why    simple: words ("typo") makes it simple',
      "why    standard: no words show that it is simple or complex",
      "why    standard: the task is planned as standard",
    ])
      expect(shown.stdout).toContain(line)
    const complexities = async () => (await bench.ok<Data[]>("task", "list")).map(({ complexity }) => complexity)
    await bench.ok("plan", "plan.yml", "--yes")
    expect(await complexities()).toEqual(["complex", "simple", "standard", "standard"])
    // A setting that changes later does not change tasks that are there.
    await bench.ok("config", "set", "team.defaultModel", "opus")
    expect(await bench.ok("plan", "plan.yml", "--yes")).toMatchObject({ applied: { updated: [] } })
    const tiers = (await bench.ok<{ tasks: Data[] }>("plan", "plan.yml", "--dry-run")).tasks.map(({ tier }) => tier)
    expect(tiers).toEqual(["opus", "haiku", "opus", "sonnet"])
  })

  it("may be written as JSON or Markdown", async () => {
    const markdown = "# A shop\n\n## Types {#types}\n\n- files: `src/types.ts`\n- acceptance: it compiles\n"
    const json = JSON.stringify({ goal: "A shop", tasks: [{ id: "types", title: "Types", acceptance: "it compiles" }] })
    using bench = makePlanBench({ "plan.md": markdown, "plan.json": json })
    for (const file of ["plan.md", "plan.json"]) {
      const { tasks } = await bench.ok<{ tasks: Data[] }>("plan", file, "--dry-run")
      expect(tasks).toMatchObject([{ id: "types", title: "Types", acceptance: ["it compiles"] }])
    }
  })

  it("creates nothing without a word, and says how", async () => {
    using bench = makePlanBench({ "plan.yml": SHOP })
    for (const more of [[], ["--dry-run"], ["--dry-run", "--yes"]]) {
      const { exitCode, stdout } = await bench.run(["plan", "plan.yml", ...more, "--format", "table"])
      expect(exitCode).toBe(0)
      expect(stdout).toStartWith("TEAM DECOMPOSITION\nGoal      A small shop\n")
      expect(stdout).toEndWith("\nNothing was created; apply it with: teamwork plan plan.yml --yes\n")
    }
    expect(bench.dump()).toEqual({})
  })

  it("tells everything that is wrong with line, column and field, and changes nothing", async () => {
    const wrong = SHOP.replace("[types]", "[typos]").replace("title: Cart", "titel: Cart")
    using bench = makePlanBench({ "plan.yml": wrong })
    const told = await bench.run(["plan", "plan.yml", "--yes"])
    expect(told).toMatchObject({ exitCode: 2, stdout: "" })
    expect(told.stderr.split("\n")).toEqual([
      "plan.yml:8:5: tasks[1]: title is missing",
      "plan.yml:9:5: tasks[1].titel: is not known here; did you mean title?",
      'plan.yml:10:13: tasks[1].needs: "typos" is no task of this plan; did you mean "types"?',
      "Error: plan.yml has 3 problems; nothing was changed",
      "",
    ])
    writeFileSync(join(bench.cwd, "plan.yml"), SHOP.replace("[types]", "[typos]"))
    const { code, message, details } = readError(await bench.run(["plan", "plan.yml", "--yes", "--json"]))
    expect({ code, message }).toEqual({
      code: "plan.invalid",
      message: 'plan.yml:10:13: tasks[1].needs: "typos" is no task of this plan; did you mean "types"?',
    })
    expect(details).toMatchObject({ problems: [{ line: 10, column: 13, field: "tasks[1].needs" }] })
    expect(bench.dump()).toEqual({})
  })

  it("refuses files that overlap, or makes one wait", async () => {
    const both = SHOP.replace("needs: [types]", "needs: []").replace("[src/cart/**]", "[src/**]")
    using bench = makePlanBench({ "plan.yml": both })
    expect(await bench.refused("plan.invalid", "plan", "plan.yml", "--yes")).toContain(
      "plan.yml:11:13: tasks[1].files: src/** and src/types.ts of task types both match src/types.ts",
    )
    const serialise = ["plan", "plan.yml", "--on-overlap", "serialise"]
    expect(await bench.text(...serialise)).toEndWith(
      "apply it with: teamwork plan plan.yml --on-overlap serialise --yes\n",
    )
    const { notes } = await bench.ok<{ notes: string[] }>(...serialise, "--yes")
    expect(notes).toEqual(["task cart waits for types: both own src/types.ts"])
    expect(await tasksOf(bench)).toEqual([
      ["types", 1],
      ["cart", 2],
    ])
  })

  it("that is not there, or no file, or not readable, gets one line", async () => {
    using bench = makePlanBench()
    mkdirSync(join(bench.cwd, "folder"))
    expect(await bench.refused("plan.not_found", "plan", "no.yml")).toBe('there is no file "no.yml"')
    expect(await bench.refused("plan.not_found", "plan", "folder")).toContain("is not a file")
    writeFileSync(join(bench.cwd, "bin.yml"), new Uint8Array([0, 255, 254, 1]))
    expect(await bench.refused("plan.invalid", "plan", "bin.yml")).toStartWith("bin.yml:1:1: ")
  })

  it("needs something that says when a task is done, unless the project has tests", async () => {
    const bare = "goal: g\ntasks:\n  - title: t\n    run: echo\n"
    using bench = makePlanBench({ "plan.yml": bare })
    const why = "plan.yml:3:5: tasks[0]: nothing says when it is done; give it acceptance or checks,"
    expect(await bench.refused("plan.invalid", "plan", "plan.yml")).toStartWith(why)
    writeFileSync(join(bench.cwd, "package.json"), '{"scripts": {"test": "node --test"}}')
    prepareRepository(bench)
    await bench.ok("plan", "plan.yml", "--dry-run")
  })
})

const MAP = { affected: [], modules: [], shared: [], tests: [], remarks: "nothing special" }
const TASK = {
  ...{ description: "", acceptance: ["it works"], checks: [], role: "backend", agentType: "executor" },
  ...{ complexity: "standard", needs: [] as string[], files: [] as string[] },
}
const GOOD = {
  understanding: "Customers can pay",
  tasks: [
    { ...TASK, id: "pay", title: "Payments", files: ["src/pay/**"] },
    { ...TASK, id: "page", title: "Page", role: "frontend", agentType: "designer", needs: ["pay"], files: ["web/**"] },
  ],
}
const BAD = { understanding: "Customers can pay", tasks: [{ ...TASK, id: "pay", title: "Payments", needs: ["cart"] }] }

/** With an agent that answers these, one after the other. */
function makeGoalBench(answers: readonly unknown[]): Bench & { readonly answers: Answers } {
  const bench = makeBench()
  const written = writeAnswers(join(bench.home, "answers"), answers)
  const off = Object.fromEntries(["codex", "gemini", "opencode", "acp"].map((name) => [name, { enabled: false }]))
  const agents = { ...off, claude: { command: written.command("claude") } }
  writeFileSync(join(bench.home, "config.json"), JSON.stringify({ agents }))
  mkdirSync(join(bench.home, ".claude"), { recursive: true })
  writeFileSync(join(bench.home, ".claude", ".credentials.json"), "{}")
  return { ...bench, answers: written }
}

describe("a goal", () => {
  it("is explored, planned, and planned again until the plan has no faults", async () => {
    using bench = makeGoalBench([MAP, BAD, GOOD])
    writeFileSync(join(bench.cwd, "index.html"), "<h1>Shop</h1>")
    prepareRepository(bench)
    const { exitCode, stdout, stderr } = await bench.run(["plan", "Let customers pay", "--yes", "--format", "table"])
    expect({ exitCode, stderr: stderr.replaceAll(/\d\d:\d\d:\d\d/g, "TIME") }).toEqual({
      exitCode: 0,
      stderr: "[TIME] exploring the repository\n[TIME] planning\n[TIME] the plan has a fault, planning again\n",
    })
    expect(stdout).toContain("  pay   Payments\n        route  backend as executor, by claude, sonnet, effort high\n")
    expect(stdout).toEndWith("\nProject shop/main: tasks 2 created; 2 waves\n")
    const [explorer = "", planner = "", again = ""] = [1, 2, 3].map((number) => bench.answers.prompt(number))
    for (const prompt of [explorer, planner]) {
      expect(prompt).toContain("## Goal\n\nLet customers pay\n")
      expect(prompt).toContain("a.txt\nindex.html")
    }
    expect(bench.answers.args(1)).toContain("--model\nhaiku")
    expect(bench.answers.args(2)).toContain("--model\nopus")
    expect(bench.answers.args(2)).toContain('"needs"')
    expect(planner).toContain('"remarks": "nothing special"')
    expect(again).toContain('- tasks[0].needs[0]: "cart" is no task of this plan')
    // F046: the goal stays as it was typed.
    expect((await bench.ok("project", "get")).goal).toBe("Let customers pay")
    expect(stdout).toContain("Goal      Let customers pay\nTaken as  Customers can pay\n")
    const { events } = await bench.ok<{ events: Data[] }>("events", "tail", "--limit", "100")
    const runs = events.filter(({ type }) => String(type).startsWith("run."))
    expect(runs.map(({ type, by, data }) => [type, by, (data as Data).task, (data as Data).agent])).toEqual(
      [1, 2, 3].flatMap(() => [
        ["run.started", "planner", null, "claude"],
        ["run.ended", "planner", null, "claude"],
      ]),
    )
    expect(readdirSync(join(bench.home, "runs", "shop", "main"))).toHaveLength(3)
  })

  it("is explored only once while the repository is the same", async () => {
    // The explorer, the planner; the planner; then, after a commit and with a corrupt entry, both again each time.
    using bench = makeGoalBench([MAP, GOOD, GOOD, MAP, GOOD, MAP, GOOD])
    writeFileSync(join(bench.cwd, "index.html"), "<h1>Shop</h1>")
    prepareRepository(bench)
    await bench.ok("plan", "Let customers pay", "--yes")
    const again = async () => (await bench.run(["plan", "let customers pay!", "--dry-run", "--format", "table"])).stderr
    expect(await again()).toContain("] the repository was explored before, and is the same\n")
    expect(bench.answers.prompt(3)).toContain("What an explorer found")
    expect(bench.answers.prompt(3)).toContain('"remarks": "nothing special"')
    expect(bench.answers.prompt(4)).toBeUndefined()
    writeFileSync(join(bench.cwd, "index.html"), "<h1>Another shop</h1>")
    expect(await again()).toContain("] exploring the repository\n")
    expect(bench.answers.prompt(5)).toContain("What an explorer found")
    expect(bench.answers.prompt(6)).toBeUndefined()
    bench.tamper("update record set data = replace(data, 'nothing', 'something') where kind = 'exploration'")
    const told = await again()
    expect(told).toContain('] the exploration of "plan: let customers pay!" was corrupt and has been removed\n')
    expect(told).toContain("] exploring the repository\n")
    expect(bench.answers.prompt(7)).toContain("What an explorer found")
    expect(await bench.ok<Data[]>("explore", "list")).toMatchObject([
      { angle: "plan: let customers pay!", stale: null },
    ])
  })

  it("without a word is kept as a document and nothing else", async () => {
    using bench = makeGoalBench([MAP, GOOD])
    const { stdout } = await bench.run(["plan", "Let customers pay", "--format", "table"])
    const [, file = ""] = /apply it with: teamwork plan (\S+) --yes\n$/.exec(stdout) ?? []
    expect(readFileSync(file, "utf8")).toStartWith(
      "goal: Let customers pay\nunderstanding: Customers can pay\ntasks:\n  - id: pay\n    title: Payments\n",
    )
    expect(bench.dump()).toEqual({})
    expect(await bench.ok("plan", file, "--dry-run")).toMatchObject({ file, applied: null })
    expect(await bench.ok("plan", file, "--yes")).toMatchObject({ applied: { created: ["pay", "page"] } })
  })

  it("is given up after two returns, with what is wrong", async () => {
    using bench = makeGoalBench([MAP, BAD, BAD, BAD, GOOD])
    const message = await bench.refused("plan.invalid", "plan", "Let customers pay", "--yes")
    expect(message).toStartWith("the planner gave no plan without faults: tasks[0].needs[0]: ")
    expect(bench.answers.prompt(5)).toBeUndefined()
    expect(bench.dump()).toEqual({})
  })

  it("for so many workers of a type has them and no others", async () => {
    using bench = makeGoalBench([MAP, GOOD])
    const plan = await bench.ok<{ workers: string; tasks: Data[] }>(
      "plan",
      "2:executor",
      "Let customers pay",
      "--dry-run",
    )
    expect(plan).toMatchObject({ workers: "2", template: "custom" })
    expect(plan.tasks.map((task) => task.agent_type)).toEqual(["executor", "executor"])
    expect(bench.answers.prompt(2)).toContain(
      "Every task has the agent type executor, and 2 of them work at the same time",
    )
  })

  it("that cannot be planned says why", async () => {
    using bench = makeBench()
    expect(await bench.refused("agent.unavailable", "plan", "Let customers pay")).toContain("claude is not installed")
    expect(await bench.refused("input.invalid", "plan", "6:executor", "pay")).toBe(
      "6 workers: use 1 to 5, which is team.maxAgents",
    )
    expect(await bench.refused("input.invalid", "plan", "0:executor", "pay")).toStartWith("0 workers: use 1 to 5")
    expect(await bench.refused("role.not_found", "plan", "2:executer", "pay")).toContain("did you mean executor?")
    expect(await bench.refused("role.mismatch", "plan", "2:orchestrator", "pay")).toContain(
      "orchestrator is for coordination",
    )
    expect(await bench.refused("usage", "plan", "2:executor")).toBe("say behind 2:executor what is to be done")
    expect(await bench.refused("usage", "plan", "let", "customers")).toContain("put a goal of several words in quotes")
    expect(await bench.refused("input.invalid", "plan", " ")).toBe("--what is empty")
  })
})

describe("a template", () => {
  const shapeOf = async (bench: Bench, template: string) => {
    const args = ["plan", "--template", template, "Let customers pay", "--dry-run"]
    const { tasks, workers, ...plan } = await bench.ok<{ tasks: Data[]; workers: string }>(...args)
    expect(plan).toMatchObject({ template })
    const shape = tasks.map(({ id, wave, tier, agent, title }) => {
      return `${id} ${wave} ${tier} ${agent}${String(title).endsWith("[no-cascade]") ? "" : " cascades"}`
    })
    return { workers, shape }
  }

  it("has the shape that it is known for", async () => {
    using bench = makeGoalBench([])
    expect(await shapeOf(bench, "build-team")).toEqual({
      workers: "3",
      shape: [
        "architect 1 opus claude",
        "executor 2 sonnet claude cascades",
        "designer 2 sonnet claude",
        "review-designer 3 sonnet claude",
      ],
    })
    expect(await shapeOf(bench, "review-team")).toEqual({
      workers: "4",
      shape: [
        "style-reviewer 1 haiku claude",
        "quality-reviewer 1 sonnet claude",
        "security-reviewer 1 sonnet claude",
        "performance-reviewer 1 sonnet claude",
      ],
    })
    expect(await shapeOf(bench, "fullstack-team")).toEqual({
      workers: "4",
      shape: [
        "architect 1 opus claude",
        "executor 2 sonnet claude",
        "designer 2 sonnet claude",
        "test-engineer 3 sonnet claude cascades",
      ],
    })
    expect(await shapeOf(bench, "audit-team")).toEqual({
      workers: "3",
      shape: ["security-reviewer 1 sonnet claude", "quality-reviewer 1 sonnet claude", "code-reviewer 1 opus claude"],
    })
    expect(await shapeOf(bench, "debug-team")).toEqual({
      workers: "3",
      shape: ["explorer 1 haiku claude", "debugger 2 sonnet claude", "executor 3 sonnet claude cascades"],
    })
  })

  it("takes the agent that suits best of those that can be had", async () => {
    using bench = makeGoalBench([])
    const config = join(bench.home, "config.json")
    const { agents } = JSON.parse(readFileSync(config, "utf8"))
    const others = {
      codex: { command: bench.answers.command("codex") },
      gemini: { command: bench.answers.command("codex") },
    }
    writeFileSync(config, JSON.stringify({ agents: { ...agents, ...others } }))
    const env = { OPENAI_API_KEY: "not-a-key", GEMINI_API_KEY: "not-a-key" }
    const { stdout } = await bench.run(["plan", "--template", "build-team", "Pay", "--dry-run"], { env })
    const { tasks } = JSON.parse(stdout).data
    expect(tasks.map(({ id, agent }: Data) => [id, agent])).toEqual([
      ["architect", "claude"],
      ["executor", "codex"],
      ["designer", "gemini"],
      ["review-designer", "codex"],
    ])
    // F045: by the table of the template, whatever the words of the task speak of.
    const debug = await bench.run(["plan", "debug-team", "The API server returns 500", "--dry-run"], { env })
    expect(JSON.parse(debug.stdout).data.tasks.map(({ id, agent }: Data) => [id, agent])).toEqual([
      ["explorer", "claude"],
      ["debugger", "claude"],
      ["executor", "codex"],
    ])
  })

  it("F045: looks at the repository and lets no two write the same file at the same time", async () => {
    using bench = makeGoalBench([])
    for (const folder of ["web", "src/components", "src/server"])
      mkdirSync(join(bench.cwd, folder), { recursive: true })
    writeFileSync(join(bench.cwd, "web", "index.html"), "<h1>Shop</h1>")
    writeFileSync(join(bench.cwd, "src/components", "Cart.tsx"), "export {}")
    writeFileSync(join(bench.cwd, "src/server", "index.ts"), "export {}")
    prepareRepository(bench)
    const text = await bench.text("plan", "build-team", "Let customers pay", "--yes")
    expect(text).toContain("files  src/components/**, web/**, **/*.{css,")
    expect(text).toContain("task designer owns the files of the interface: src/components/**, web/**,")
    const mayWrite = async (task: string, path: string) =>
      (await bench.run(["ownership", "check", "--task", task, path])).exitCode === 0
    for (const path of ["web/pay.js", "src/components/pay.ts", "src/pay.css"]) {
      expect([path, await mayWrite("designer", path)]).toEqual([path, true])
      expect([path, await mayWrite("executor", path)]).toEqual([path, false])
    }
    for (const path of ["src/server/pay.ts", "src/new/pay.ts"]) {
      expect([path, await mayWrite("designer", path)]).toEqual([path, false])
      expect([path, await mayWrite("executor", path)]).toEqual([path, true])
    }
  })

  it("of an unknown name, or together with workers, is refused", async () => {
    using bench = makeBench()
    expect(await bench.refused("input.invalid", "plan", "--template", "biuld-team", "Pay")).toContain(
      "did you mean build-team?",
    )
    expect(await bench.refused("usage", "plan", "--template", "build-team", "2:executor", "Pay")).toContain(
      "use one of them",
    )
  })
})

describe.skipIf(!HAS_TMUX)(`a person at a terminal${WHY_NO_TMUX}`, () => {
  it("applies it with a key, or leaves it", async () => {
    using bench = makePlanBench({ "plan.yml": SHOP })
    using no = openPane(bench, 100, "teamwork plan plan.yml")
    await no.until((screen) => screen.includes("Proceed? [Y/n/e]"))
    no.press("x", "Enter")
    await no.until((screen) => screen.includes('"x" is none of them: y to apply, n to leave it, e to change it'))
    no.press("n", "Enter")
    await no.until((screen) => screen.includes(END))
    expect(no.screen()).toContain("Nothing was created; apply it with: teamwork plan plan.yml --yes")
    expect(bench.dump()).toEqual({})
    using yes = openPane(bench, 100, "teamwork plan plan.yml")
    await yes.until((screen) => screen.includes("Proceed?"))
    yes.press("Enter")
    await yes.until((screen) => screen.includes(END))
    expect(yes.screen()).toContain("Project shop/main: tasks 2 created; 2 waves")
  })

  it("changes it in an editor, which comes back with what is wrong", async () => {
    using bench = makePlanBench({ "plan.yml": SHOP })
    const editor = join(bench.home, "editor.sh")
    // The first time it breaks the plan, the second time it keeps what it was shown and mends it.
    const script = `#!/bin/sh
if grep -q 'wrong:' "$2"; then cp "$2" "$HOME/seen"; sed -i 's/- typo$/- types/; s/title: Cart/title: Basket/' "$2"
else sed -i 's/- types$/- typo/' "$2"; fi
`
    writeFileSync(editor, script)
    chmodSync(editor, 0o755)
    using pane = openPane(bench, 100, "teamwork plan plan.yml", { EDITOR: `${editor} --wait` })
    await pane.until((screen) => screen.includes("Proceed?"))
    pane.press("e", "Enter")
    await pane.until((screen) => screen.includes("Basket") && screen.trimEnd().endsWith("Proceed? [Y/n/e]"))
    pane.press("y", "Enter")
    await pane.until((screen) => screen.includes(END))
    const seen = readFileSync(join(bench.home, "seen"), "utf8")
    const [, line = ""] =
      /# {3}line (\d+), column \d+: tasks\[1\]\.needs: "typo" is no task of this plan/.exec(seen) ?? []
    expect(seen.split("\n")[Number(line) - 1]).toContain("- typo")
    const tasks = await bench.ok<Data[]>("task", "list")
    expect(tasks.map(({ title }) => title)).toEqual(["Types of the shop", "Basket"])
    expect(existsSync(join(bench.cwd, "plan.yml"))).toBe(true)
    expect(readFileSync(join(bench.cwd, "plan.yml"), "utf8")).toBe(SHOP)
  })

  it("keeps the plan when another one cannot be had", async () => {
    using bench = makeGoalBench([MAP, GOOD, "!500 broken"])
    using pane = openPane(bench, 100, "teamwork plan 'Let customers pay'", { EDITOR: "false" })
    await pane.until((screen) => screen.includes("Proceed? [Y/n/e/a]"))
    pane.press("e", "Enter")
    await pane.until((screen) => screen.includes("Warning: the editor ended with exit code 1; nothing was changed"))
    pane.press("a", "Enter")
    await pane.until((screen) => screen.includes("What should be different?"))
    pane.press("Use Rust", "Enter")
    await pane.until((screen) => screen.includes("Warning: no answer from the planner (claude: overloaded"))
    pane.press("y", "Enter")
    await pane.until((screen) => screen.includes(END))
    expect((await bench.ok<Data[]>("task", "list")).map(({ id }) => id)).toEqual(["pay", "page"])
  })

  it("has a goal planned again with a remark", async () => {
    const other = { ...GOOD, tasks: GOOD.tasks.map((task) => ({ ...task, title: `${task.title} with Rust` })) }
    using bench = makeGoalBench([MAP, GOOD, other])
    using pane = openPane(bench, 100, "teamwork plan 'Let customers pay'")
    await pane.until((screen) => screen.includes("Proceed? [Y/n/e/a]"))
    pane.press("a", "Enter")
    await pane.until((screen) => screen.includes("What should be different?"))
    pane.press("Use Rust", "Enter")
    await pane.until((screen) => screen.includes("Payments with Rust"))
    expect(bench.answers.prompt(3)).toContain("- Use Rust")
    pane.press("y", "Enter")
    await pane.until((screen) => screen.includes(END))
    expect((await bench.ok<Data[]>("task", "list")).map(({ id }) => id)).toEqual(["pay", "page"])
  })
})
