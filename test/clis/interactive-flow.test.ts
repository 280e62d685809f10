// Two real sessions of Claude Code with the plugin, against a scripted model: one leads, one works in a loop; a person
// takes part by the command line. What a new user would try, and what must hold at every step of it.
import { expect, it } from "bun:test"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../support/sandbox.ts"
import { commandOf, FAKE_KEY, IS_ROOT, MAX_RUN_MS } from "./cli-world.ts"
import { type Scripts, startFakeModel } from "./fake-model.ts"
import { findPinned } from "./pinned.ts"

const ROOT = join(import.meta.dir, "../..")
const TEAMWORK = join(ROOT, "bin/teamwork")

type Data = Record<string, unknown>

const bash = (command: string) => ({ tool: { name: "Bash", input: { command } } })
const write = (file: string, content: string) => ({ tool: { name: "Write", input: { file_path: file, content } } })

/** What the two agents do; the markers stand in prompts, in the texts of tasks, and in a message. */
function makeScripts(repo: string): Scripts {
  const path = (file: string) => join(repo, file)
  const task = (title: string, role: string, flags: string) =>
    bash(`teamwork task create '${title}' --role ${role} ${flags}`)
  const finish = (id: string, check: string) => [
    bash(`teamwork evidence run ${id} --owner w1 -- ${check}`),
    bash(`teamwork task update ${id} --owner w1 --status resolved --result 'written'`),
    { text: `task ${id} is done` },
  ]
  return {
    lead: [
      bash("teamwork project create --goal 'A shop'"),
      bash("teamwork join --lead --delegation strict"),
      write(path("src/api/hasty.txt"), "the lead's own"),
      task("API", "backend", "--files 'src/api/**' --description 'Write the API [[one]]'"),
      task("Store", "backend", "--files 'src/store/**' --blocked-by 1 --description 'Write the store [[two]]'"),
      task("Manual", "docs", "--files 'docs/**'"),
      { text: "there are three tasks" },
    ],
    worker: [
      bash("teamwork join --role backend --worker-id w1 --loop"),
      bash("teamwork task claim --next --owner w1 --role backend"),
      write(path("README.md"), "not mine"),
      write(path("src/api/a.txt"), "api"),
      ...finish("1", "test -f src/api/a.txt"),
    ],
    two: [
      bash("teamwork task claim 2 --owner w1 --role backend"),
      write(path("src/store/b.txt"), "store"),
      ...finish("2", "test -f src/store/b.txt"),
    ],
    mail: [{ text: "I have read it" }],
  }
}

/** A repository, a home, and a model that the sessions in it talk to. */
function makeShop() {
  const scratch = makeScratch("flow")
  const repo = join(scratch.path, "shop")
  for (const folder of ["home", "tmp", "shop"]) mkdirSync(join(scratch.path, folder))
  const model = startFakeModel(makeScripts(repo))
  const person = (who: string) => ({ [`GIT_${who}_NAME`]: "Test", [`GIT_${who}_EMAIL`]: "test@example.invalid" })
  const env = {
    ...{ PATH: `${join(ROOT, "bin")}:${process.env.PATH}`, LANG: "C.UTF-8" },
    ...{ HOME: join(scratch.path, "home"), TMPDIR: join(scratch.path, "tmp") },
    ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: FAKE_KEY, CLAUDE_CODE_MAX_RETRIES: "1" },
    ...{ DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1", DISABLE_AUTOUPDATER: "1" },
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    ...(IS_ROOT ? { IS_SANDBOX: "1" } : {}),
    ...{ ...person("AUTHOR"), ...person("COMMITTER") },
  }
  writeFileSync(join(repo, "README.md"), "A shop.\n")
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "."],
    ["commit", "-qm", "start"],
  ])
    expect(Bun.spawnSync(["git", ...args], { cwd: repo, env }).exitCode).toBe(0)

  /** The person, at a terminal of their own. */
  async function teamwork<Result = Data>(...args: string[]): Promise<Result> {
    const child = Bun.spawn([TEAMWORK, ...args, "--json"], { cwd: repo, env, stderr: "pipe" })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    const answer = JSON.parse(out === "" ? err : out)
    if (answer.status !== "success") throw new Error(`${answer.code}: ${answer.message}`)
    return answer.data
  }

  return {
    repo,
    teamwork,
    steps: () => model.asked.map(({ step }) => step),
    open: () => openSession(repo, env),
    statuses: async () =>
      Object.fromEntries((await teamwork<Data[]>("task", "list")).map((task) => [task.id, task.status])),
    events: async (type: string) =>
      (await teamwork<{ events: { by: string; data: Data }[] }>("events", "tail", "--type", type)).events,
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

/** Stays open for more than one prompt, as a session at a terminal does. */
function openSession(cwd: string, env: Record<string, string>) {
  const child = Bun.spawn(
    [
      ...[commandOf(findPinned("claude")), "-p", "--input-format", "stream-json", "--output-format", "stream-json"],
      ...["--verbose", "--permission-mode", "acceptEdits", "--allowedTools", "Bash", "--setting-sources", ""],
      ...["--plugin-dir", join(ROOT, "plugin")],
    ],
    { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "pipe" },
  )
  const lines: Data[] = []
  const reading = (async () => {
    let rest = ""
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      const parts = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n")
      rest = parts.pop() ?? ""
      for (const part of parts) if (part.trim() !== "") lines.push(JSON.parse(part))
    }
  })()
  const results = () => lines.filter((line) => line.type === "result")
  return {
    /** Until the agent has nothing more to say. */
    async ask(prompt: string): Promise<void> {
      const before = results().length
      child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content: prompt } })}\n`)
      await child.stdin.flush()
      const deadline = performance.now() + MAX_RUN_MS
      while (results().length === before && child.exitCode === null && performance.now() < deadline) await Bun.sleep(20)
      expect(results().length).toBe(before + 1)
      expect(results().at(-1)).toMatchObject({ is_error: false })
    },
    /** What came back of the tools it used. */
    toolResults: () => lines.filter((line) => line.type === "user").map((line) => JSON.stringify(line.message)),
    async [Symbol.asyncDispose](): Promise<void> {
      child.stdin.end()
      const timer = setTimeout(() => child.kill("SIGKILL"), MAX_RUN_MS)
      await Promise.all([child.exited, reading])
      clearTimeout(timer)
    },
  }
}

it(
  "a lead, a worker in a loop and a person make a shop, and each task is claimed once",
  async () => {
    await using shop = makeShop()
    const { teamwork, statuses, events, steps } = shop
    await using lead = shop.open()
    await lead.ask("/teamwork:teamwork [[lead]] A shop")
    expect(await statuses()).toEqual({ "1": "open", "2": "open", "3": "open" })
    expect((await events("seat.taken")).map(({ data }) => [data.part, data.delegation])).toEqual([["lead", "strict"]])
    // The lead leaves the work to workers, as it said, and is told how.
    expect(existsSync(join(shop.repo, "src/api/hasty.txt"))).toBe(false)
    expect(lead.toolResults().join("\n")).toContain("teamwork task create")

    await using worker = shop.open()
    await worker.ask("/teamwork:teamwork-worker --role backend --loop [[worker]]")
    // The loop went on by the hook: the second task's text reached the agent, and after it there was none.
    expect(steps()).toContain("two/0")
    expect(await statuses()).toEqual({ "1": "resolved", "2": "resolved", "3": "open" })
    expect((await events("task.claimed")).map(({ by, data }) => [by, data.task])).toEqual([
      ["w1", "1"],
      ["w1", "2"],
    ])
    // What is not its own was refused, and the agent told what to do about it.
    expect(await Bun.file(join(shop.repo, "README.md")).text()).toBe("A shop.\n")
    expect(worker.toolResults().join("\n")).toContain("teamwork ownership ask")
    expect(await Bun.file(join(shop.repo, "src/store/b.txt")).text()).toBe("store")
    for (const id of ["1", "2"]) {
      const proof = await teamwork<Data[]>("evidence", "list", id)
      expect(proof.filter((entry) => entry.trust === "attested")).toMatchObject([{ exit_code: 0 }])
    }

    // A person takes what is left, and writes to the worker, whose next turn has it.
    await teamwork("task", "claim", "3", "--owner", "anna")
    await teamwork("mailbox", "send", "--from", "anna", "--to", "w1", "--message", "Well done [[mail]]")
    const unread = () => teamwork<Data[]>("mailbox", "read", "w1", "--unread-only")
    expect(await unread()).toHaveLength(1)
    await worker.ask("What do the others say?")
    expect(steps()).toContain("mail/0")
    expect(await unread()).toEqual([])
    await teamwork("task", "update", "3", "--owner", "anna", "--status", "resolved")
    expect(await teamwork("project", "status")).toMatchObject({ stats: { total: 3, resolved: 3 } })

    await Promise.all([lead[Symbol.asyncDispose](), worker[Symbol.asyncDispose]()])
    expect((await events("seat.left")).map(({ data }) => data.part).sort()).toEqual(["lead", "worker"])
    const { workers } = await teamwork<{ workers: Data[] }>("swarm", "status")
    expect(workers.find(({ id }) => id === "w1")).toMatchObject({ status: "stopped" })
  },
  3 * MAX_RUN_MS,
)
