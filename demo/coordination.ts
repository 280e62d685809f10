// `npm run demo`: four worker processes share twelve tasks in three waves, one of them is killed in the middle, and in
// the end the counts are checked. Every command is real, and so is its output; everything happens in a scratch folder.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { callProgram, callTeamwork, echo, paint, print, quote, type Stage, setStage, stopCommands } from "./stage.ts"
import { checkCounts } from "./tally.ts"
import { startWorker, stopWorkers, type Worker } from "./workers.ts"

const GOAL = "A search page for the shop"
/** Title, role, needs. */
const TASKS = [
  ["Table of items", "backend", ""],
  ["Page layout", "frontend", ""],
  ["Test data", "test", ""],
  ["Glossary", "docs", ""],
  ["Search query", "backend", "1"],
  ["Search box", "frontend", "2"],
  ["Result list", "frontend", "1,2"],
  ["Test of the query", "test", "1,3"],
  ["Help text", "docs", "4"],
  ["Search page", "frontend", "5,6,7"],
  ["Speed of the query", "test", "5,8"],
  ["User guide", "docs", "6,9"],
] as const
const WAVES = 3
const FIRST_OF_WAVE_2 = 5
const PATIENCE_MS = 20_000
const LOOK_EVERY_MS = 100

const start = performance.now()
process.exit(await main())

async function main(): Promise<number> {
  using stage = setStage()
  const workers: Worker[] = []
  const leave = async () => {
    await stopCommands()
    await stopWorkers(workers)
    stage[Symbol.dispose]()
    process.exit(130)
  }
  process.once("SIGINT", leave).once("SIGTERM", leave)
  try {
    await makePlan(stage)
    await workByHand(stage)
    await startTeam(stage, workers)
    await firstWave(stage)
    const taken = await secondWave(stage, workers)
    await thirdWave(stage)
    await finish(stage, workers, taken)
    return await summarize(stage, workers)
  } catch (error) {
    print(`The demo failed: ${error instanceof Error ? error.message : error}`, "red")
    return 1
  } finally {
    await stopWorkers(workers)
  }
}

async function makePlan(stage: Stage): Promise<void> {
  scene("1. A repository, a goal and a plan")
  writeFileSync(join(stage.repository, "README.md"), "# Shop\n")
  for (const command of ["git init --quiet --initial-branch main", "git add .", "git commit --quiet -m Start"]) {
    echo(command.split(" "))
    const answer = await callProgram(stage, command.split(" "))
    if (answer.exitCode !== 0) throw new Error(answer.stderr)
  }
  await lead(stage, ["project", "create", "--goal", GOAL])
  for (const [title, role, needs] of TASKS) {
    const blockedBy = needs === "" ? [] : ["--blocked-by", needs]
    await lead(stage, ["task", "create", title, "--role", role, ...blockedBy])
  }
  tell("The needs make three waves. A wave opens when the one before is verified.")
  await lead(stage, ["wave", "calculate"])
}

async function workByHand(stage: Stage): Promise<void> {
  scene("2. One task by hand: claim, prove, resolve")
  const eva = ["--owner", "eva"]
  await lead(stage, ["task", "claim", "1", ...eva])
  writeFileSync(join(stage.repository, "items.sql"), "create table items (name text);\n")
  tell("Hope is not proof:")
  const hope = ["--status", "resolved", "--add-evidence", "should work"]
  await lead(stage, ["task", "update", "1", ...eva, ...hope], "refused")
  tell("What counts is a command that teamwork itself ran:")
  await lead(stage, ["evidence", "run", "--id", "1", ...eva, "--", "grep", "-c", "items", "items.sql"])
  await lead(stage, ["task", "update", "1", ...eva, "--status", "resolved"])
  await lead(stage, ["evidence", "list", "1"])
}

async function startTeam(stage: Stage, workers: Worker[]): Promise<void> {
  scene("3. Four workers, each a process of its own")
  const team = [
    { name: "ann", role: "worker", note: "takes any task" },
    { name: "ben", role: "frontend", note: "will dawdle in wave 2" },
    { name: "cleo", role: "docs", note: "" },
    { name: "dan", role: "test", note: "" },
  ]
  tell("Each claims the next task it may take, does it, has it checked, resolves it.")
  for (const { name, role, note } of team) {
    const worker = startWorker(stage, { name, role, dawdlesFrom: name === "ben" ? FIRST_OF_WAVE_2 : 0 })
    workers.push(worker)
    print(`started ${name.padEnd(4)}  role ${role}${note === "" ? "" : `, ${note}`}`)
  }
}

async function firstWave(stage: Stage): Promise<void> {
  await untilWave(stage, 1, "completed")
  scene("4. The gate between two waves")
  tell("Wave 1 is done, but nobody has judged it yet. So wave 2 stays closed:")
  await lead(stage, ["task", "claim", "5", "--owner", "eva"], "refused")
  await lead(stage, ["wave", "status"])
  await openGate(stage, 1)
}

async function secondWave(stage: Stage, workers: readonly Worker[]): Promise<string> {
  scene("5. kill -9 in the middle of a task")
  const ben = workers.find((worker) => worker.name === "ben")
  if (ben === undefined) throw new Error("ben is missing")
  const taken = await until("ben to be in the middle of a task of wave 2", async () => {
    const tasks = await ask<{ id: string; wave: number; claimed_by: string; status: string }[]>(stage, ["task", "list"])
    return tasks.find((task) => task.wave === 2 && task.claimed_by === "ben" && task.status === "in_progress")?.id
  })
  ben.kill()
  await ben.ended
  tell(`kill -9 ${ben.pid}: ben is gone. Task ${taken} is his until his lease runs out.`)
  await lead(stage, ["task", "get", taken])
  await lead(stage, ["swarm", "status"])
  tell("The others go on, and after two seconds one of them takes his task over.")
  await untilWave(stage, 2, "completed")
  tell(`Task ${taken} is finished as well, and so is wave 2.`)
  await openGate(stage, 2)
  return taken
}

async function thirdWave(stage: Stage): Promise<void> {
  scene("6. The last wave")
  await untilWave(stage, WAVES, "completed")
  await openGate(stage, WAVES)
}

async function finish(stage: Stage, workers: readonly Worker[], taken: string): Promise<void> {
  scene("7. The end, and what is left to read")
  const payload = JSON.stringify({ request_id: "end" })
  const toAll = ["--from", "lead", "--to", "all", "--type", "shutdown_request"]
  await lead(stage, ["mailbox", "send", ...toAll, "--payload", payload])
  tell("The three that are left answer, and end.")
  for (const worker of workers) await worker.ended
  await lead(stage, ["mailbox", "read", "lead", "--type", "shutdown_response"])
  await lead(stage, ["swarm", "status"])
  await lead(stage, ["verdict", "record", "--scope", "final", "--status", "passed"])
  await lead(stage, ["project", "status"])
  await leadThrough(stage, ["whiteboard"], "cut -c 1-80", (line) => line.slice(0, 80))
  tell(`The story of task ${taken}, which changed hands:`)
  const isAbout = new RegExp(` task=${taken}( |$)`)
  const tail = ["events", "tail", "--limit", "1000"]
  await leadThrough(stage, tail, `grep -w task=${taken}`, (line) => (isAbout.test(line) ? line : undefined))
}

async function summarize(stage: Stage, workers: readonly Worker[]): Promise<number> {
  scene("Summary")
  const checks = await checkCounts({ tasks: TASKS.length, waves: WAVES, workers, ask: (args) => ask(stage, args) })
  for (const { what, isRight } of checks) print(`${isRight ? "ok   " : "WRONG"} ${what}`, isRight ? "green" : "red")
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  const wrong = checks.filter((check) => !check.isRight).length
  print(wrong === 0 ? `All counts are right, after ${seconds} s.` : `${wrong} counts are wrong.`)
  return wrong === 0 ? 0 : 1
}

/** A command of the lead, shown with its output. */
async function lead(stage: Stage, args: readonly string[], outcome: "done" | "refused" = "done"): Promise<void> {
  const answer = await callTeamwork(stage, args)
  echo(["teamwork", ...args.map(quote)])
  print((answer.stderr + answer.stdout).trimEnd())
  const isExpected = outcome === "done" ? answer.exitCode === 0 : answer.exitCode === 1
  if (!isExpected) throw new Error(`teamwork ${args.join(" ")} ended with exit code ${answer.exitCode}`)
}

/** The same with its output through another command, which is done here. */
async function leadThrough(
  stage: Stage,
  args: readonly string[],
  filter: string,
  keep: (line: string) => string | undefined,
): Promise<void> {
  const { stdout } = await callTeamwork(stage, args)
  echo(["teamwork", ...args.map(quote), "|", filter])
  const lines = stdout.trimEnd().split("\n").map(keep)
  print(lines.filter((line) => line !== undefined).join("\n"))
}

/** A question of the demo itself, not shown. */
async function ask<Data>(stage: Stage, args: readonly string[]): Promise<Data> {
  const answer = await callTeamwork(stage, [...args, "--json"])
  if (answer.exitCode !== 0) throw new Error(answer.stderr)
  return JSON.parse(answer.stdout).data
}

async function openGate(stage: Stage, wave: number): Promise<void> {
  await lead(stage, ["verdict", "record", "--scope", "wave", "--subject", String(wave), "--status", "passed"])
  const message = `Wave ${wave} is verified`
  await lead(stage, ["mailbox", "send", "--from", "lead", "--to", "all", "--message", message])
}

function untilWave(stage: Stage, number: number, status: string): Promise<true> {
  return until(`wave ${number} to be ${status}`, async () => {
    const plan = await ask<{ waves: { id: number; status: string }[] }>(stage, ["wave", "status"])
    return plan.waves.some((wave) => wave.id === number && wave.status === status) || undefined
  })
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await Bun.sleep(LOOK_EVERY_MS)
  }
}

function scene(title: string): void {
  print(`\n${paint(title, "bold")}\n${"=".repeat(title.length)}`)
}

function tell(text: string): void {
  print(`\n# ${text}`, "dim")
}
