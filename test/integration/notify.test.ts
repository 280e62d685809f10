// How people are told that something waits for them: real commands, a real store.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { systemProcesses } from "../../src/lib/process/process.ts"
import { makeNotices, makeNotify, type NotifySettings } from "../../src/requests/effects/notify.ts"
import { decide, escalate } from "../../src/requests/operations/escalations.ts"
import { readQuestions } from "../../src/requests/operations/questions.ts"
import type { Question } from "../../src/requests/question.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { context, type MakeDatabase, makeTeam, run, STORES, TEAM } from "../support/stores.ts"

setDefaultTimeout(30_000)

const QUESTION: Question = {
  ...{ kind: "escalation", number: 1, taskId: null, isTold: false, command: "teamwork decide 1 go-on|pause" },
  what: "escalation 1 (budget, the team): $(touch evil) `touch evil` '; touch evil; ' \"",
}

function notifyIn(folder: string, settings: Partial<NotifySettings>, ring?: () => void) {
  const ports = { processes: systemProcesses, cwd: folder, env: sandboxEnv(), ring }
  return makeNotify({ bell: true, command: "", ...settings }, ports)
}

describe("a notice", () => {
  it("is given to the command word for word, and to no shell", async () => {
    using scratch = makeScratch("notify")
    const command = 'printf "%s\\n" "$TEAMWORK_NOTICE" "$TEAMWORK_NOTICE_KIND" "$TEAMWORK_NOTICE_COMMAND" > told'
    const notify = notifyIn(scratch.path, { command })
    expect(await notify?.({ ...TEAM, question: QUESTION })).toBeUndefined()
    expect(readFileSync(join(scratch.path, "told"), "utf8")).toBe(
      `house/main: ${QUESTION.what}\nescalation\nteamwork decide 1 go-on|pause\n`,
    )
    expect(existsSync(join(scratch.path, "evil"))).toBe(false)
  })

  it("rings where there is a terminal and somebody wants it", async () => {
    using scratch = makeScratch("notify")
    let rung = 0
    const ring = () => void rung++
    await notifyIn(scratch.path, {}, ring)?.({ ...TEAM, question: QUESTION })
    expect(rung).toBe(1)
    expect(notifyIn(scratch.path, { bell: false }, ring)).toBeUndefined()
    expect(notifyIn(scratch.path, {})).toBeUndefined()
  })

  it("that cannot be given says why", async () => {
    using scratch = makeScratch("notify")
    const notify = notifyIn(scratch.path, { command: "echo no network >&2; exit 3" })
    expect(await notify?.({ ...TEAM, question: QUESTION })).toBe("notify.command ended with 3: no network")
  })
})

describe("what waits", () => {
  it("is told once, also by whoever leads after a restart, and whatever becomes of the telling", async () => {
    await using database = await (STORES.sqlite as MakeDatabase)()
    const store = await database.connect()
    const { key } = await makeTeam(store)
    const house = context(store)
    for (const id of ["1", "2"]) await run(house, createTask, { id, title: "Walls" })
    const told: string[] = []
    const said: string[] = []
    const ports = {
      context: house,
      say: (line: string) => void said.push(line),
      async notify({ question }: { readonly question: Question }) {
        told.push(question.what)
        return question.number === 2 ? "no network" : undefined
      },
    }
    const look = async (notices: ReturnType<typeof makeNotices>) => {
      await notices.look(await store.read((tx) => readQuestions(tx, key)))
      await notices.ended
    }
    const first = makeNotices(ports, TEAM)
    await run(house, escalate, { trigger: "budget", summary: "Money", task: "1" })
    await look(first)
    await look(first)
    // Asked while nobody led.
    await run(house, escalate, { trigger: "scope_change", summary: "More rooms", task: "2" })
    await look(makeNotices(ports, TEAM))
    await look(makeNotices(ports, TEAM))
    expect(told).toEqual(["escalation 1 (budget, task 1): Money", "escalation 2 (scope_change, task 2): More rooms"])
    expect(said).toEqual(["The notification of escalation 2 failed: no network"])
    await run(house, decide, { number: 1, option: "retry" })
    await run(house, escalate, { trigger: "budget", summary: "Money again", task: "1" })
    await look(makeNotices(ports, TEAM))
    expect(told).toHaveLength(3)
  })
})
