// `npm run demo`: a team of four workers does the ten tasks of examples/shop on a scratch repository, from the plan to the
// target branch. Everything is real but the agent: it is the script agent, which runs the plan's own commands. In the end
// the outcome is checked.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const ROOT = join(import.meta.dir, "..")
const EXAMPLE = join(ROOT, "examples/shop")
const WORKERS = 4

const start = performance.now()
process.exit(await main())

async function main(): Promise<number> {
  using stage = setStage()
  // Ctrl+C reaches the team too, which ends by itself; so do we then.
  process.on("SIGINT", () => undefined)
  tell("A repository with a few files and one test")
  await call(stage, ["sh", join(EXAMPLE, "../setup.sh"), "shop", stage.repository])
  tell(`A plan of ten tasks, and ${WORKERS} workers that take it to the target branch`)
  const plan = join(EXAMPLE, "plan.yml")
  const code = await call(stage, teamwork("run", plan, "--workers", String(WORKERS), "--trust"))
  if (code !== 0) return code
  tell("What it came to")
  await call(stage, teamwork("report", "--format", "text"))
  await call(stage, ["git", "log", "--oneline", "--first-parent", "main"])
  return await check(stage)
}

interface Stage extends Disposable {
  readonly repository: string
  readonly env: Record<string, string>
}

/** A scratch folder that is home, temp folder and repository at once, and gone in the end. */
function setStage(): Stage {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "teamwork-demo-")))
  const folder = (name: string) => {
    mkdirSync(join(root, name))
    return join(root, name)
  }
  // Nothing else of the person's environment reaches a process of the demo.
  const known = ["PATH", "LANG", "TERM", "NO_COLOR"].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const env = {
    ...Object.fromEntries(known),
    ...{ HOME: folder("home"), TEAMWORK_HOME: folder("teamwork"), TMPDIR: folder("tmp") },
    ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
    ...{ GIT_AUTHOR_NAME: "Demo", GIT_AUTHOR_EMAIL: "demo@example.invalid" },
    ...{ GIT_COMMITTER_NAME: "Demo", GIT_COMMITTER_EMAIL: "demo@example.invalid" },
  }
  const dispose = () => rmSync(root, { recursive: true, force: true, maxRetries: 3 })
  return { repository: folder("shop"), env, [Symbol.dispose]: dispose }
}

function teamwork(...args: string[]): string[] {
  return [process.execPath, join(ROOT, "src/bin/main.ts"), ...args]
}

/** Shows the command and what it prints; how it ended. */
async function call({ repository, env }: Stage, command: readonly string[]): Promise<number> {
  const shown = command.map((word) => (word === process.execPath ? "" : word.replace(`${ROOT}/`, "")))
  console.log(`\n$ ${shown.join(" ").replace("src/bin/main.ts", "teamwork").replace(repository, "shop").trim()}`)
  const stdio = ["inherit", "inherit", "inherit"] as const
  return Bun.spawn([...command], { cwd: repository, env, stdio: [...stdio] }).exited
}

async function read({ repository, env }: Stage, command: readonly string[]): Promise<string> {
  return Bun.spawn([...command], { cwd: repository, env, stdio: ["ignore", "pipe", "inherit"] }).stdout.text()
}

interface Fact {
  readonly id?: string
  readonly scope?: string
  readonly subject?: string | null
  readonly status: string
}

/** What the demo promises: all of it done and verified, one repaired gate, one mended conflict, everything on `main`. */
async function check(stage: Stage): Promise<number> {
  const list = async (...args: string[]) =>
    (JSON.parse(await read(stage, teamwork(...args, "--json"))) as { data: Fact[] }).data
  const [tasks, verdicts] = [await list("task", "list"), await list("verdict", "list")]
  const files = (await read(stage, ["git", "ls-tree", "-r", "--name-only", "main"])).trim().split("\n")
  const status = await read(stage, ["git", "status", "--porcelain"])
  const seconds = (performance.now() - start) / 1000
  const isFix = ({ id }: Fact) => id?.startsWith("fix-") === true
  const promises = [
    [`${tasks.length} tasks are resolved`, tasks.every(({ status }) => status === "resolved")],
    ["one gate failed and its task was repaired", verdicts.filter(isFailedTask).length === 1],
    ["one conflict became a fix task", tasks.filter(isFix).length === 1],
    ["the final gate passed", verdicts.some(({ scope, status }) => scope === "final" && status === "passed")],
    [`main has ${files.length} files, and the checkout is clean`, files.includes("src/checkout.js") && status === ""],
  ] as const
  tell("Checked")
  for (const [promise, isKept] of promises) console.log(`${isKept ? "ok  " : "FAIL"} ${promise}`)
  console.log(`\nThe demo took ${seconds.toFixed(1)} s.`)
  return promises.every(([, isKept]) => isKept) ? 0 : 1
}

function isFailedTask({ scope, status }: Fact): boolean {
  return scope === "task" && status === "failed"
}

function tell(line: string): void {
  console.log(`\n== ${line}`)
}
