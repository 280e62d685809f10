import { join } from "node:path"
import type { Session } from "../../src/app/command.ts"
import type { Configured, Host } from "../../src/app/host.ts"
import { hook as command } from "../../src/doors/hooks/hook.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import type { BenchCase } from "../lib/bench-case.ts"
import { median, show, takeTurns } from "../lib/measure.ts"
import { timeProcess } from "../lib/program.ts"
import { contextOf, halfDone, type SeededHome, seedHome, TEAM } from "../lib/seed.ts"

const RUNS = 50
const DECISIONS = 200
const SESSION = "6f9c7a52-1b1d-4a52-9a55-0d6c8d1f7a10"

export const hook: BenchCase = {
  name: "hook",
  summary: "hooks of agent programs as processes, against a node that does nothing; and what deciding on a tool takes",
  async run({ sandbox, binary, say }) {
    const program = await binary()
    const home = await seedHome(sandbox, halfDone(100))
    const { stdout } = await timeProcess([program, "join", "--loop", "--terminal-id", SESSION], home)
    const worker = JSON.parse(stdout).data.worker
    await timeProcess([program, "task", "claim", "--next", "--owner", worker], home)
    const time = async (event: string, session: string, tool = "Write") => {
      const call = callOf(session, { cwd: home.cwd, event, tool })
      return (await timeProcess([program, "hook", event], { ...home, input: call })).ms
    }
    say(`${RUNS} starts of each`)
    const times = await takeTurns(
      {
        node: async () => (await timeProcess(["node", "-e", "0"], home)).ms,
        nobody: () => time("PreToolUse", "another-session"),
        reading: () => time("PreToolUse", SESSION, "Read"),
        tool: () => time("PreToolUse", SESSION),
        prompt: () => time("UserPromptSubmit", SESSION),
        stop: () => time("Stop", SESSION),
      },
      RUNS,
    )
    const ms = (side: keyof typeof times) => median(times[side])
    const againstNode = (side: keyof typeof times) => ({
      value: ms(side) / ms("node"),
      unit: "x" as const,
      figures: `${show(ms(side))} ms against ${show(ms("node"))} ms`,
    })
    return [
      { what: "a session without a seat against node", ...againstNode("nobody"), limit: { atMost: 0.3 } },
      {
        what: "before a tool that reads, with a seat, against node",
        ...againstNode("reading"),
        limit: { atMost: 0.3 },
      },
      { what: "before a tool that writes, with a seat, against node", ...againstNode("tool"), limit: { atMost: 0.3 } },
      { what: "with a prompt, which is written down", ...againstNode("prompt") },
      { what: "at a stop, which is written down", ...againstNode("stop") },
      { what: "the decision on a tool", value: await timeDecision(home), unit: "ms", limit: { atMost: 5 } },
    ]
  },
}

interface Use {
  readonly cwd: string
  readonly event: string
  readonly tool: string
}

function callOf(session: string, { cwd, event, tool: name }: Use): string {
  const tool = { tool_name: name, tool_input: { file_path: join(cwd, "src/step-51/x.ts"), content: "x" } }
  const call = { session_id: session, cwd, hook_event_name: event, permission_mode: "default", ...tool }
  return JSON.stringify({ ...call, tool_use_id: "toolu_1", prompt: "go on", stop_hook_active: true })
}

/** From the words of the host to the answer, without the start of the process: what the store is asked included. */
async function timeDecision({ cwd, storePath, env }: SeededHome): Promise<number> {
  const openStore = () => openSqliteStore({ path: storePath, clock: systemClock })
  await using store = await openStore()
  const { settings } = contextOf(store)
  const configured = { ...TEAM, settings, hasStore: async () => true, openStore } as unknown as Configured
  const io = { input: async () => callOf(SESSION, { cwd, event: "PreToolUse", tool: "Write" }), out: () => {} }
  const machine = { io, home: env.TEAMWORK_HOME, clock: systemClock, ids: systemIds, configure: async () => configured }
  const times: number[] = []
  for (let run = 0; run < DECISIONS; run++) {
    const start = performance.now()
    await command.run({ host: machine as unknown as Host } as Session, { event: "PreToolUse", host: "claude" })
    times.push(performance.now() - start)
  }
  return median(times)
}
