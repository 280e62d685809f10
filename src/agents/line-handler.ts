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
  /** The messages that were written, by the id they have on the wire. */
  readonly sent: ReadonlyMap<string, string>
  readonly stopFor: (why: Stop) => void
  readonly watch?: RunWatch | undefined
  /** What was used so far, with its price where the agent tells none. */
  readonly costSoFar: () => Usage
}

/**
 * Makes events of a line, and looks at the limits after it. The promise is there only while somebody who sees the
 * events is not ready for more: an agent prints lines by the thousand, and to wait for nothing takes time as well.
 */
/** As much of the beginning of a line that was too long as tells what it was. */
const SHOWN_OF_CUT_LINE = 2000

export function makeLineHandler({ job, translator, events, recorder, sent, stopFor, watch, costSoFar }: Watched) {
  function emit(body: AgentEventBody, onShown: Recorded["onShown"]): void | Promise<void> {
    if (body.type !== "message_delivered") return events.emit(body, onShown)
    const messageId = sent.get(body.messageId)
    // What comes back may also be the prompt, which nobody waits for.
    if (messageId !== undefined) return events.emit({ type: "message_delivered", messageId })
  }

  let usage = events.usage()
  let turns = translator.turns()

  /** Most lines change nothing of what is limited. */
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

  /** Half of a line is no message, except to an agent whose output is plain text. */
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
