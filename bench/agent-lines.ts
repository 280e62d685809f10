// What a run does with the lines of an agent, in a process of its own as a run has one: `bun bench/agent-lines.ts NAME`.
// Prints as JSON how long it takes to make events of them, and to do all that a run does, against JSON.parse alone.
import { acp } from "../src/agents/acp/program.ts"
import { claude } from "../src/agents/claude/program.ts"
import { codex } from "../src/agents/codex/program.ts"
import { makeEventStream } from "../src/agents/event-stream.ts"
import { gemini } from "../src/agents/gemini/program.ts"
import { makeLineHandler } from "../src/agents/line-handler.ts"
import { makeAgentJob } from "../src/agents/make-agent-job.ts"
import { opencode } from "../src/agents/opencode/program.ts"
import type { AgentProgram } from "../src/agents/program.ts"
import { systemClock } from "../src/lib/clock.ts"
import { makeSecrets } from "../src/lib/text/mask-secrets.ts"
import { readConversation } from "./lib/agent-streams.ts"
import { median, takeTurns } from "./lib/measure.ts"

export interface LinesReport {
  readonly lines: number
  readonly bytes: number
  /** JSON.parse alone. */
  readonly plainMs: number
  /** From lines to events, everything permitted. */
  readonly parseMs: number
  /** The same, with permissions decided, limits looked at and events masked and sent. */
  readonly runMs: number
}

export const PROGRAMS: readonly AgentProgram[] = [claude, codex, gemini, opencode, acp]

const ROUNDS = 151
const LINES = 4000

/** Of the environment one value is a secret, as long as most are. */
const ENV = { PATH: "/usr/bin:/bin", HOME: "/home/ann", ANN_TOKEN: "2f7c0d519b1e4c41a7ec0ea31d081c1e5d9640d5" }
const JOB = makeAgentJob({
  ...{ prompt: "go", workspace: "/repo", stateFolder: "/state", env: ENV, permission: "edit" },
  limits: { turns: 1e9, timeMs: null, tokens: 1e12, dollars: null, outputBytes: null },
})

/** Without what a permission takes to be decided: that looks at the disk, where the files to write really are. */
const PERMITTED = { ...JOB, permission: "full" } as const

if (import.meta.main) {
  const program = PROGRAMS.find(({ name }) => name === Bun.argv[2])
  if (program === undefined) throw new Error(`${Bun.argv[2]} is none of ${PROGRAMS.map(({ name }) => name)}`)
  console.log(JSON.stringify(await measureLines(program)))
}

async function measureLines(program: AgentProgram): Promise<LinesReport> {
  const { opening, lines } = readConversation(program, LINES)
  let sink = 0
  const timeAll = (see: (line: string) => void) => {
    for (const line of opening) see(line)
    const start = performance.now()
    for (const line of lines) see(line)
    return performance.now() - start
  }
  const times = await takeTurns(
    {
      plain: async () =>
        timeAll((line) => {
          if (JSON.parse(line) !== null) sink++
        }),
      parse: async () =>
        timeAll(
          startParsing(program, (events) => {
            sink += events
          }),
        ),
      run: async () =>
        timeAll(
          startRun(program, () => {
            sink++
          }),
        ),
    },
    ROUNDS,
  )
  if (sink < LINES) throw new Error("nothing was read")
  const bytes = lines.reduce((sum, line) => sum + line.length, 0)
  const [plainMs, parseMs, runMs] = [median(times.plain), median(times.parse), median(times.run)]
  return { lines: lines.length, bytes, plainMs, parseMs, runMs }
}

function startParsing(program: AgentProgram, onEvents: (count: number) => void): (line: string) => void {
  const { line, dialogue } = program.translate(PERMITTED, systemClock)
  return (text) => {
    onEvents(line(text).length)
    dialogue?.takeReplies()
  }
}

/** A run without its process: the lines come from here. */
function startRun(program: AgentProgram, onEvent: () => void): (line: string) => void {
  const translator = program.translate(JOB, systemClock)
  const events = makeEventStream({ clock: systemClock, secrets: makeSecrets(ENV), model: null, onEvent })
  const stopFor = ({ error }: { error: string }) => {
    throw new Error(error)
  }
  const handle = makeLineHandler({
    job: JOB,
    translator,
    events,
    recorder: undefined,
    sent: new Map(),
    stopFor,
    costSoFar: events.usage,
  })
  return (text) => {
    void handle({ text, isCut: false }) // nobody here makes it wait
    translator.dialogue?.takeReplies()
  }
}
