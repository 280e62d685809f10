// What agents say and do, followed while their runs write it down.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { join } from "node:path"
import { recordRun, runFolder } from "../../src/agents/jobs/record-run.ts"
import type { Agent, AgentEvent, AgentJob, AgentResult } from "../../src/agents/port.ts"
import { parseTaskId } from "../../src/kernel/ids.ts"
import type { LiveNotice } from "../../src/kernel/live-notice.ts"
import { noteRunEnded, noteRunStarted } from "../../src/tasks/operations/note-run.ts"
import { followNotices } from "../../src/workers/swarm/follow-notices.ts"
import { makeScratch } from "../support/sandbox.ts"
import { context, makeTeam, STORES, TEAM, until } from "../support/stores.ts"

setDefaultTimeout(30_000)

const USED = {
  ...{ duration_ms: 1, input_tokens: 1, output_tokens: 1, cached_tokens: 0 },
  ...{ dollars: null, dollars_are_estimated: false, error: null, session: null },
}

async function makeScene(makeDatabase: (typeof STORES)[string]) {
  const scratch = makeScratch("notices")
  const database = await makeDatabase()
  const store = await database.connect()
  await makeTeam(store)
  const here = context(store)
  const seen: LiveNotice[] = []
  const ended = new AbortController()
  let following: Promise<void> | undefined
  const who = (run: string) => ({ ...TEAM, run, task: parseTaskId("1"), worker: "w1", agent: "fake" })
  return {
    seen,
    /** A run whose recording is written by the code that writes all of them, as its agent goes on. */
    async run(id: string) {
      await noteRunStarted(here, { ...who(id), attempt: 1, model: null, turn: 1 })
      const begun = Promise.withResolvers<(event: AgentEvent) => unknown>()
      const done = Promise.withResolvers<AgentResult>()
      const agent = {
        run: (_job: AgentJob, options?: { onEvent?: (event: AgentEvent) => unknown }) => {
          begun.resolve((event) => options?.onEvent?.(event))
          return done.promise
        },
      } as unknown as Agent
      const folder = runFolder(scratch.path, TEAM, id)
      const recording = recordRun({ agent, job: {} as AgentJob, folder, maxBytes: 1_000_000 })
      const tell = await begun.promise
      return {
        say: (text: string, at = 1) => tell({ at, type: "text", text }),
        use: (name: string, input: string, files: string[] = []) =>
          tell({ at: 2, type: "tool_use", id: "x", name, files, input }),
        async end() {
          done.resolve({} as AgentResult)
          await recording
          await noteRunEnded(here, { ...who(id), ...USED, reason: "done" })
        },
      }
    },
    follow() {
      const onNotices = (notices: readonly LiveNotice[]) => void seen.push(...notices)
      following = followNotices(here, { ...TEAM, home: scratch.path }, { onNotices, signal: ended.signal })
    },
    files: () => [...new Bun.Glob("**/events.jsonl").scanSync({ cwd: join(scratch.path, "runs") })],
    async [Symbol.asyncDispose]() {
      ended.abort()
      await following
      await database[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(`${name}: live notices`, () => {
    it("come as a recording grows, of a run that is under way only the last words and the last tool", async () => {
      await using scene = await makeScene(makeDatabase)
      const run = await scene.run("1-1-1")
      run.say("Looking around.")
      run.use("Read", '{"file_path":"a.ts"}')
      run.use("Bash", '{"command":"npm test -- --grep \\"shop\\""}')
      run.say("The column is stock_count.")
      scene.follow()
      const place = { run: "1-1-1", task: "1", worker: "w1" }
      await until(async () => scene.seen.length === 2)
      expect(scene.seen as unknown[]).toEqual([
        { ...place, at: 2, type: "agent.used_tool", tool: "Bash", target: 'npm test -- --grep "shop"' },
        { ...place, at: 1, type: "agent.said", text: "The column is stock_count." },
      ])
      run.use("Edit", "{}", ["src/shop.ts", "src/cart.ts"])
      run.say("  \n")
      run.say("Mended.\nNow the tests.", 7)
      await until(async () => scene.seen.length === 4)
      expect(scene.seen.slice(2) as unknown[]).toEqual([
        { ...place, at: 2, type: "agent.used_tool", tool: "Edit", target: "src/shop.ts +1" },
        { ...place, at: 7, type: "agent.said", text: "Mended.\nNow the tests." },
      ])
    })

    it("come of runs that start later, and no more of those that ended", async () => {
      await using scene = await makeScene(makeDatabase)
      const first = await scene.run("1-1-1")
      first.say("one")
      await first.end()
      scene.follow()
      const second = await scene.run("1-1-2")
      second.say("two")
      await until(async () => scene.seen.length > 0)
      await second.end()
      const third = await scene.run("1-1-3")
      third.use("Grep", "no JSON")
      await until(async () => scene.seen.length > 1)
      expect(scene.seen).toMatchObject([
        { run: "1-1-2", type: "agent.said", text: "two" },
        { run: "1-1-3", type: "agent.used_tool", tool: "Grep", target: "no JSON" },
      ])
      expect(scene.files()).toHaveLength(3)
    })
  })
}
