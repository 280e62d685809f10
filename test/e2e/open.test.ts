// `teamwork open` on a real terminal: a person takes a task over, works in the agent's own session and gives it back.
import { describe, expect, it } from "bun:test"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { agentMark } from "../../src/workers/loop/orphans.ts"
import { FIXTURE_AGENT } from "../support/agents.ts"
import { processesWith } from "../support/processes.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS, until } from "./bench.ts"
import { prepareRepository } from "./command-cases.ts"
import { END, HAS_TMUX, openPane, type Pane, WHY_NO_TMUX } from "./pane.ts"

const LONG_MS = 3 * TEST_TIMEOUT_MS
const OPENS = join(import.meta.dir, "../fixtures/agents/opens.sh")
const AGENT = {
  TEAMWORK_AGENTS_CLAUDE_COMMAND: JSON.stringify(["sh", OPENS, process.execPath, FIXTURE_AGENT, "claude"]),
  ...{ TEAMWORK_CLAIM_WORKER_LEASE_SECONDS: "3", TEAMWORK_CLAIM_RENEW_SECONDS: "1" },
  ...{ USER: "anna", SHELL: "/bin/sh" },
}

async function makeProject(): Promise<Bench> {
  const bench = makeBench()
  prepareRepository(bench)
  await bench.ok("project", "create", "--goal", "Search page")
  return bench
}

const task = (bench: Bench, id = "1") => bench.ok<Data>("task", "get", id)
const waits = ({ home }: Bench) => existsSync(join(home, "waits"))
const go = ({ home }: Bench) => writeFileSync(join(home, "go"), "")
const fileOf = (bench: Bench, path: string, attempt = 1) =>
  git(bench.cwd, "show", `refs/teamwork/shop/main/1/${attempt}/head:${path}`)

/** The agent commits something, leaves something and waits. */
async function startWaiting(bench: Bench) {
  await bench.ok("task", "create", "--title", "Half", "--description", "[[half]]", "--agent", "claude")
  const worker = bench.start(["worker", "--loop"], AGENT)
  await until(() => waits(bench))
  return worker
}

async function enter(pane: Pane, ...lines: string[]): Promise<void> {
  for (const line of lines) pane.press(line, "Enter")
}

describe.skipIf(!HAS_TMUX)(`open${WHY_NO_TMUX}`, () => {
  it(
    "F049: takes a task over from its worker, opens the agent's session and delivers what came of it",
    async () => {
      using bench = await makeProject()
      await using worker = await startWaiting(bench)
      using pane = openPane(bench, 200, "teamwork open 1", AGENT)
      const seen = await pane.until((screen) => screen.includes("OPENED claude"))
      expect(seen).toContain("taken over from w1")
      expect(seen.replaceAll("\n", "")).toMatch(/OPENED claude: .*--resume [\w-]+/)
      expect(seen).not.toContain(" -p ")
      expect(await task(bench)).toMatchObject({ status: "in_progress", claimed_by: "person-anna", attempt: 1 })
      await worker.untilLine("err", (line) => line.includes("is no longer w1's"))
      await enter(pane, "cat c.txt > seen.txt; echo rest >> b.txt", "bye")
      await pane.until((screen) => screen.includes("Is the task done (d)"))
      await enter(pane, "d")
      await pane.until((screen) => screen.includes("Task 1 is done") && screen.includes(END))
      expect(await task(bench)).toMatchObject({ status: "resolved", claimed_by: "person-anna" })
      expect(fileOf(bench, "b.txt")).toContain("rest")
      expect(fileOf(bench, "seen.txt")).toContain("not committed")
    },
    LONG_MS,
  )

  it(
    "F049: loses nothing when it is killed: its lease ends, its session is ended, and a worker goes on",
    async () => {
      using bench = await makeProject()
      await bench.ok("task", "create", "--title", "Half", "--description", "[[half]]", "--agent", "claude")
      using pane = openPane(bench, 200, `sh -c 'echo PID $$; exec "$BUN" "$MAIN" open 1'`, AGENT)
      await pane.until((screen) => screen.includes("this is a shell in"))
      const { worktree } = await findPerson(bench)
      writeFileSync(join(worktree, "by-hand.txt"), "mine\n")
      const mark = agentMark({ home: bench.home, project: "shop", team: "main", worker: "person-anna" })
      expect(processesWith(mark)).not.toEqual([])
      const [, pid = ""] = /PID (\d+)/.exec(pane.all()) ?? []
      process.kill(Number(pid), "SIGKILL")
      await using worker = bench.start(["worker", "--once", "--loop"], AGENT)
      await until(() => waits(bench))
      expect(processesWith(mark)).toEqual([])
      go(bench)
      expect(await worker.exited).toBe(0)
      expect(await task(bench)).toMatchObject({ status: "resolved", claimed_by: "w1", attempt: 1 })
      expect(fileOf(bench, "by-hand.txt")).toBe("mine")
    },
    LONG_MS,
  )

  it(
    "F049: keeps a task for the person, opens it again, and gives it back to a worker",
    async () => {
      using bench = await makeProject()
      await bench.ok("task", "create", "--title", "Half", "--run", "cat mine.txt > copy.txt || exit 1")
      {
        using pane = openPane(bench, 200, "teamwork open 1 --keep", AGENT)
        await pane.until((screen) => screen.includes("this is a shell in"))
        // Ctrl+C is the session's own, however often.
        for (let times = 0; times < 4; times++) pane.press("C-c")
        // What is typed while the shell still takes one in is thrown away with it, so it is typed until it is there.
        await pane.until((screen) => {
          if (/^ready$/m.test(screen)) return true
          pane.press('echo "rea""dy"', "Enter")
          return false
        })
        await enter(pane, "echo mine > mine.txt", "exit")
        await pane.until((screen) => screen.includes("is paused for you") && screen.includes(END))
      }
      expect(await task(bench)).toMatchObject({
        status: "paused",
        pause_reason: expect.stringContaining("person-anna"),
      })
      {
        using pane = openPane(bench, 200, "teamwork open 1 --give-back", AGENT)
        await pane.until((screen) => screen.includes("this is a shell in"))
        await enter(pane, "cp mine.txt again.txt", "exit")
        await pane.until((screen) => screen.includes("goes back to the workers") && screen.includes(END))
      }
      expect(await task(bench)).toMatchObject({ status: "open", attempt: 1 })
      expect(fileOf(bench, "again.txt")).toBe("mine")
    },
    LONG_MS,
  )

  it(
    "F049: goes on from a failed attempt, and gives back what does not pass its gate",
    async () => {
      using bench = await makeProject()
      await bench.ok("task", "create", "--title", "T", "--run", "echo bad > f.txt", "--check", "grep good f.txt")
      const env = { ...AGENT, TEAMWORK_TEAM_MAX_RUNS_PER_TASK: "1" }
      await using worker = bench.start(["worker", "--once"], env)
      await worker.exited
      expect(await task(bench)).toMatchObject({ status: "failed" })
      using pane = openPane(bench, 200, "teamwork open 1 --done; teamwork open 1 --done", env)
      await pane.until((screen) => screen.includes("this is a shell in"))
      await enter(pane, "cat f.txt", "exit")
      await pane.until((screen) => screen.includes("goes back to the workers: the gate failed"))
      await pane.until((screen) => screen.split("this is a shell in").length === 3)
      await enter(pane, "echo good > f.txt", "exit")
      await pane.until((screen) => screen.includes("Task 1 is done"))
      expect(await task(bench)).toMatchObject({ status: "resolved", attempt: 2 })
      expect(fileOf(bench, "f.txt", 2)).toBe("good")
    },
    LONG_MS,
  )

  it(
    "F049: refuses in one line what cannot be opened, and changes nothing",
    async () => {
      using bench = await makeProject()
      await bench.ok("task", "create", "--title", "One")
      await bench.ok("task", "create", "--title", "Two", "--blocked-by", "1")
      const { exitCode, stderr } = await bench.run(["open", "1"])
      expect(exitCode).not.toBe(0)
      expect(stderr).toContain("a session needs a terminal")
      expect(await bench.refused("task.not_found", "open", "77", "--print")).toContain("task 77 does not exist")
      expect(await bench.ok("open", "1", "--print", "--json")).toMatchObject({ agent: null, session: null })
      expect(await bench.refused("usage", "open", "1", "--done", "--keep")).toContain("choose one of")
      using pane = openPane(bench, 200, "teamwork open 2; teamwork open 1 --give-back", AGENT)
      const seen = await pane.until((screen) => screen.includes("this is a shell in"))
      expect(seen).toMatch(/Error: task 2 .*1/)
      await enter(pane, "exit")
      await pane.until((screen) => screen.includes(END))
      expect(await task(bench)).toMatchObject({ status: "open" })
    },
    LONG_MS,
  )

  it(
    "F049: prints the command without claiming anything, and says that a program is gone",
    async () => {
      using bench = await makeProject()
      await using worker = await startWaiting(bench)
      await worker.stop("SIGTERM")
      const before = bench.dump().task
      const { stdout } = await bench.run(["open", "1", "--print", "--format", "table"], { env: AGENT })
      expect(stdout).toMatch(/^cd \S+\/person-anna && env .*opens\.sh.* --resume \S+/)
      expect(bench.dump().task).toEqual(before)
      const gone = { ...AGENT, TEAMWORK_AGENTS_CLAUDE_COMMAND: "no-such-claude" }
      const refused = await bench.run(["open", "1", "--print"], { env: gone })
      expect(refused.stderr).toContain("claude is not installed")
    },
    LONG_MS,
  )

  it.each(["SIGTERM", "SIGHUP"] as const)(
    "keeps the task for the person when %s comes at its question",
    async (signal) => {
      using bench = await makeProject()
      await bench.ok("task", "create", "--title", "Half")
      using pane = openPane(bench, 200, `${OPEN_1}; echo CODE $?`, AGENT)
      await pane.until((screen) => screen.includes("this is a shell in"))
      await enter(pane, "echo mine > mine.txt", "exit")
      await pane.until((screen) => screen.includes("Is the task done (d)"))
      process.kill(pidIn(pane), signal)
      const seen = await pane.until((screen) => screen.includes(END))
      expect(seen).toContain("a signal ended the session: Task 1 is paused for you")
      expect(seen).toContain("CODE 130")
      expect(await task(bench)).toMatchObject({ status: "paused", lease_until: null })
      expect(fileOf(bench, "mine.txt")).toBe("mine")
    },
    LONG_MS,
  )

  it(
    "keeps the task when a signal comes while the session is open, and when the input ends at its question",
    async () => {
      using bench = await makeProject()
      await bench.ok("task", "create", "--title", "Half")
      using ended = openPane(bench, 200, `${OPEN_1} --done`, AGENT)
      await ended.until((screen) => screen.includes("this is a shell in"))
      const pid = pidIn(ended)
      process.kill(pid, "SIGTERM")
      await until(() => !existsSync(`/proc/${pid}`))
      expect(await task(bench)).toMatchObject({ status: "paused" })
      using pane = openPane(bench, 200, "teamwork open 1", AGENT)
      await pane.until((screen) => screen.includes("this is a shell in"))
      await enter(pane, "exit")
      await pane.until((screen) => screen.includes("Is the task done (d)"))
      pane.press("C-d")
      const seen = await pane.until((screen) => screen.includes(END))
      expect(seen).toContain("there was no answer: Task 1 is paused for you")
      expect(await task(bench)).toMatchObject({ status: "paused" })
    },
    LONG_MS,
  )

  it(
    "refuses a second session of the same person while the first is open, and opens it when the first is dead",
    async () => {
      using bench = await makeProject()
      await bench.ok("task", "create", "--title", "Half")
      await bench.ok("task", "create", "--title", "Other")
      const env = { ...AGENT, TEAMWORK_CLAIM_WORKER_LEASE_SECONDS: "600" }
      using first = openPane(bench, 200, OPEN_1, env)
      await first.until((screen) => screen.includes("this is a shell in"))
      using second = openPane(bench, 200, "teamwork open 1; teamwork open 2; teamwork open 1 --print", env)
      const seen = await second.until((screen) => screen.includes(END))
      const where = `in process ${pidIn(first)} at /dev/pts/`
      expect(seen.split(`task 1 is already open with person-anna, ${where}`)).toHaveLength(3)
      expect(seen).toContain(`person-anna has task 1 open, and one at a time, ${where}`)
      expect(await task(bench)).toMatchObject({ status: "in_progress", claim_token: 1 })
      expect(await task(bench, "2")).toMatchObject({ status: "open" })
      const pid = pidIn(first)
      process.kill(pid, "SIGKILL")
      await until(() => !existsSync(`/proc/${pid}`))
      using third = openPane(bench, 200, "teamwork open 1 --keep", env)
      await third.until((screen) => screen.includes("this is a shell in"))
      await enter(third, "exit")
      await third.until((screen) => screen.includes("is paused for you"))
    },
    LONG_MS,
  )

  it(
    "prints what it would open of a running task, and refuses what it would refuse",
    async () => {
      using bench = await makeProject()
      await using worker = await startWaiting(bench)
      await bench.ok("task", "create", "--title", "Two", "--blocked-by", "1")
      const { stdout, stderr } = await bench.run(["open", "1", "--print", "--format", "table"], { env: AGENT })
      expect(stdout).toMatch(/^cd \S+\/person-anna && env .*opens\.sh.* --resume \S+/)
      expect(stderr).toContain("teamwork open 1 first takes the task over from w1 and creates this folder")
      expect(await bench.refused("task.not_ready", "open", "2", "--print")).toContain("task 2 waits for 1")
      go(bench)
      await worker.stop("SIGTERM")
    },
    LONG_MS,
  )
})

const OPEN_1 = `sh -c 'echo PID $$; exec "$BUN" "$MAIN" open 1 "$@"' sh`
const pidIn = (pane: Pane) => Number(/PID (\d+)/.exec(pane.all())?.[1])

async function findPerson(bench: Bench): Promise<{ worktree: string }> {
  const { workers } = await bench.ok<{ workers: { id: string; worktree: string }[] }>("swarm", "status")
  const found = workers.find(({ id }) => id === "person-anna")
  if (found === undefined) throw new Error(`no person in ${JSON.stringify(workers)}`)
  return found
}
