import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { TeamName } from "../../kernel/team.ts"
import { openRecording } from "../../lib/process/recording.ts"
import type { Agent, AgentEvent, AgentJob, AgentResult, RunOptions } from "../port.ts"
import { joinParts } from "./join-parts.ts"

export interface RecordedRun {
  readonly agent: Agent
  readonly job: AgentJob
  readonly options?: RunOptions
  readonly folder: string
  /** For each file. */
  readonly maxBytes: number
  /** Each event as recorded, with pieces of text joined to lines. */
  readonly onWhole?: (event: AgentEvent) => void
}

/** `runs/<project>/<team>/<run>` */
export function runsFolder(home: string): string {
  return join(home, "runs")
}

export function runFolder(home: string, { project, team }: TeamName, run: string): string {
  return join(runsFolder(home), project, team, run)
}

export const RECORDING_FILES = {
  stream: "stream.jsonl",
  stderr: "stderr.txt",
  events: "events.jsonl",
  output: "output.txt",
} as const

/** Only for watching a running agent. */
const MAX_OUTPUT_BYTES = 1024 * 1024

/** Every run goes through here. */
export async function recordRun(run: RecordedRun): Promise<AgentResult> {
  const { agent, job, options = {}, folder, maxBytes, onWhole } = run
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const asJson = { maxBytes, mark: (bytes: number) => JSON.stringify({ type: "teamwork.left_out", bytes }) }
  const asText = {
    maxBytes: Math.min(maxBytes, MAX_OUTPUT_BYTES),
    mark: (bytes: number) => `[${bytes} bytes left out]`,
  }
  using stream = openRecording(join(folder, RECORDING_FILES.stream), asJson)
  using stderr = openRecording(join(folder, RECORDING_FILES.stderr), asText)
  using events = openRecording(join(folder, RECORDING_FILES.events), asJson)
  using output = openRecording(join(folder, RECORDING_FILES.output), asText)
  const lines = joinParts((event) => {
    events.write(JSON.stringify(event))
    onWhole?.(event)
  })
  return await agent.run(job, {
    ...options,
    onLine(line, from) {
      if (from === "stdout") stream.write(line)
      else stderr.write(line)
      options.onLine?.(line, from)
    },
    onEvent(event) {
      lines.push(event)
      if (event.type === "text")
        output.write(event.text, { goesOn: event.part === "next", isOpen: event.part !== undefined })
      return options.onEvent?.(event)
    },
  })
}
