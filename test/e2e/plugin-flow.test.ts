// An agent that does what the plugin's texts say, word by word, gets there: each call is taken from the text and run.
import { expect, it, setDefaultTimeout } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { callsIn, codeIn } from "../support/mentions.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(3 * TEST_TIMEOUT_MS)

/** The calls of a text in their order, with values for what it leaves to its reader. */
function callsOf(path: string, values: Readonly<Record<string, string>>): string[][] {
  const text = readFileSync(join(import.meta.dir, "../../plugin", path), "utf8")
  return callsIn(codeIn(text)).map((args) => args.map((word) => values[word] ?? word))
}

function prepare({ cwd }: Bench, files: Readonly<Record<string, string>>): void {
  git(cwd, "init", "--quiet", "--initial-branch=main")
  git(cwd, "config", "user.name", "Test")
  git(cwd, "config", "user.email", "test@example.com")
  for (const [path, text] of Object.entries(files)) writeFileSync(join(cwd, path), text)
  git(cwd, "add", "--all")
  git(cwd, "commit", "--quiet", "-m", "Start")
}

async function call(bench: Bench, args: readonly string[], cwd = bench.cwd): Promise<Data> {
  const env = { TEAMWORK_TERMINAL_ID: "session-1" }
  const { exitCode, stdout, stderr } = await bench.run(args, { cwd, env, timeoutMs: TEST_TIMEOUT_MS })
  if (exitCode !== 0) throw new Error(`teamwork ${args.join(" ")}: exit code ${exitCode}\n${stdout}${stderr}`)
  return stdout.startsWith("{") ? JSON.parse(stdout).data : { text: stdout }
}

it("a worker takes a task from claim to done by its skill, and gives another one back", async () => {
  using bench = makeBench()
  prepare(bench, { Makefile: "test:\n\ttest -e Makefile\n" })
  await bench.ok("project", "create", "--goal", "Search page")
  await bench.ok("task", "create", "Search", "--role", "backend", "--files", "src/", "--check", "test -s src/search.js")
  await bench.ok("wave", "calculate")
  const values = { ID: "w1", TASK: "1", ROLE: "backend", npm: "make", PATH: "Makefile" }
  const all = callsOf("skills/worker-workflow/SKILL.md", values)
  const end = all.findIndex(([noun, verb]) => noun === "task" && verb === "release")
  expect(end).toBeGreaterThan(10)
  let folder = bench.cwd
  const answers: Record<string, Data> = {}
  for (const args of all.slice(0, end)) {
    const answer = await call(bench, args, folder)
    answers[args.slice(0, 2).join(" ")] = answer
    if (args[0] !== "worktree") continue
    folder = String(answer.path)
    mkdirSync(join(folder, "src"))
    writeFileSync(join(folder, "src/search.js"), "exports.find = () => 1\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "Search")
  }
  expect(answers["join --role"]).toMatchObject({ worker: "w1", role: "backend" })
  expect(answers["prompt 1"]?.text).toContain("You are worker w1 of the team shop/main")
  expect(answers["evidence run"]).toMatchObject({ trust: "attested", exit_code: 0 })
  expect(answers["verify task"]).toMatchObject({ status: "passed" })
  expect(answers["task update"]).toMatchObject({ status: "resolved" })
  expect(await call(bench, ["swarm", "merge"])).toMatchObject({ outcomes: [{ kind: "merged" }] })

  await call(bench, ["task", "create", "More", "--role", "backend", "--id", "2"])
  await call(bench, ["task", "create", "Again", "--role", "backend", "--id", "3"])
  for (const id of ["2", "3"]) await call(bench, ["task", "claim", id, "--owner", "w1"])
  const rest = callsOf("skills/worker-workflow/SKILL.md", { ...values, TASK: "2" }).slice(end)
  expect(rest.map(([noun]) => noun)).toEqual(["task", "escalate", "mailbox", "mailbox"])
  for (const args of rest)
    await call(bench, args[0] === "escalate" ? args.map((word) => (word === "2" ? "3" : word)) : args)
  expect(await call(bench, ["task", "get", "2"])).toMatchObject({ status: "open" })
  expect(await call(bench, ["task", "get", "3"])).toMatchObject({ status: "paused" })
})

it("a lead goes from a plan to the report by its command", async () => {
  using bench = makeBench()
  const task = { id: "1", title: "One", files: ["one.txt"], acceptance: ["it is there"], run: ["echo 1 > one.txt"] }
  prepare(bench, { "plan.json": JSON.stringify({ goal: "One", tasks: [task] }) })
  /** What the text offers instead of something else, or for when there is something to answer. */
  const choices = ["task list", "project create", "task create", "wave calculate", "approve", "reject", "decide"]
  const isChoice = (args: readonly string[]) =>
    choices.some((name) => args.join(" ").startsWith(name)) ||
    args.includes("--delegation") ||
    args.includes("--workers")
  const calls = callsOf("commands/teamwork.md", { "GOAL OR FILE": "plan.json", FILE: "plan.json" })
  const done: string[] = []
  for (const args of calls.filter((each) => !isChoice(each))) {
    await call(bench, args)
    done.push(args[0] ?? "")
  }
  expect(done).toEqual([
    ...["setup", "plan", "plan", "join", "run", "project", "mailbox", "approvals", "escalations", "report", "leave"],
  ])
  expect(git(bench.cwd, "show", "main:one.txt")).toBe("1")
})
