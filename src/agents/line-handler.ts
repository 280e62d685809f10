import type { Line } from "../lib/text/split-lines.ts"
import type { EventStream } from "./event-stream.ts"
import type { LineRecorder, Recorded } from "./line-recorder.ts"
import type { AgentEventBody, AgentJob, Usage } from "./port.ts"
import type { Translator } from "./program.ts"
import type { RunWatch } from "./run-watch.ts"
import { findPassedLimit, type Stop } from "./usage.ts"

interface Watched {
  readonly job: AgentJob
  readonly translator: Translator
  readonly events: EventStream
  readonly recorder: LineRecorder | undefined
  /** Our ids of sent messages, by their ids on the wire. */
  readonly sent: ReadonlyMap<string, string>
  readonly stopFor: (why: Stop) => void
  readonly watch?: RunWatch | undefined
  /** With a price where the agent reports none. */
  readonly costSoFar: () => Usage
}

const SHOWN_OF_CUT_LINE = 2000

/**
 * Turns a line into events and checks the limits. Returns a promise only when a receiver needs time: agents print
 * thousands of lines, and an idle await costs time too.
 */
export function makeLineHandler({ job, translator, events, recorder, sent, stopFor, watch, costSoFar }: Watched) {
  function emit(body: AgentEventBody, onShown: Recorded["onShown"]): void | Promise<void> {
    if (body.type !== "message_delivered") return events.emit(body, onShown)
    const messageId = sent.get(body.messageId)
    // The prompt also comes back.
    if (messageId !== undefined) return events.emit({ type: "message_delivered", messageId })
  }

  let usage = events.usage()
  let turns = translator.turns()

  function checkLimits(): void {
    if (events.usage() === usage && translator.turns() === turns) return
    usage = events.usage()
    turns = translator.turns()
    const passed = findPassedLimit(job.limits, { usage: job.limits.dollars === null ? usage : costSoFar(), turns })
    if (passed !== undefined) stopFor(passed)
  }

  async function goOn(bodies: readonly AgentEventBody[], { pending, onShown }: Recorded): Promise<void> {
    await pending
    for (const body of bodies) await emit(body, onShown)
    checkLimits()
  }

  /** Half a line is useful only in plain text. */
  function ofCutLine({ text, end = "" }: Line): readonly AgentEventBody[] {
    if (translator.isPlainText !== true) return [{ type: "unknown", line: text }]
    return translator.line(`${text.slice(0, SHOWN_OF_CUT_LINE)}…${end}`)
  }

  return (line: Line): Promise<void> | undefined => {
    const bodies = line.isCut ? ofCutLine(line) : translator.line(line.text)
    if (watch !== undefined) {
      watch.hear(bodies.every(({ type }) => type !== "waiting"))
      for (const body of bodies) watch.see(body)
    }
    const recorded = recorder?.stdout(line.text, bodies)
    if (recorded?.pending instanceof Promise) return goOn(bodies, recorded)
    const onShown = recorded?.onShown
    for (let at = 0; at < bodies.length; at++) {
      const pending = emit(bodies[at] as AgentEventBody, onShown)
      if (pending instanceof Promise) return goOn(bodies.slice(at + 1), { pending, onShown })
    }
    checkLimits()
    return undefined
  }
}
