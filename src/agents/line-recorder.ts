import { maskParts } from "../lib/text/mask-parts.ts"
import type { Secrets } from "../lib/text/mask-secrets.ts"
import type { EventStream } from "./event-stream.ts"
import { parseLine } from "./json-line.ts"
import type { AgentEventBody, RunOptions } from "./port.ts"

/** Passes on each line of an agent, masked, even where a secret spans several lines. */
export interface LineRecorder {
  /** Passes a line with texts on once `onShown` has the masked form of each. */
  stdout(line: string, bodies: readonly AgentEventBody[]): Recorded
  stderr(line: string): void
  end(): void
}

export interface Recorded {
  readonly onShown?: (shown: string) => void
  /** Of receivers, on earlier lines. */
  readonly pending?: void | Promise<void>
}

interface Parts {
  readonly secrets: Secrets
  readonly events: EventStream
  readonly onLine: NonNullable<RunOptions["onLine"]>
}

export function makeLineRecorder({ secrets, events, onLine }: Parts): LineRecorder {
  const { mask } = secrets
  const errors = maskParts(secrets)
  return {
    stdout(line, bodies) {
      const texts = bodies.flatMap((body) => (body.type === "text" || body.type === "reasoning" ? [body.text] : []))
      if (texts.length === 0) return { pending: events.inOrder(() => onLine(mask(line), "stdout")) }
      const changed = new Map<string, string>()
      let seen = 0
      const onShown = (shown: string) => {
        const text = texts[seen++] ?? ""
        if (shown !== mask(text)) changed.set(text, shown)
        if (seen === texts.length) onLine(mask(replaceTexts(line, changed)), "stdout")
      }
      return { onShown }
    },
    stderr(line) {
      void errors.push(`${line}\n`, (shown) => {
        // A line inside a secret is empty.
        if (shown !== "") onLine(shown.replace(/\n$/, ""), "stderr")
      })
    },
    end() {
      void errors.end()
    },
  }
}

/** A line is JSON that holds the texts, or starts with the text. */
function replaceTexts(line: string, texts: ReadonlyMap<string, string>): string {
  if (texts.size === 0) return line
  const value = parseLine(line)
  if (value !== undefined)
    return JSON.stringify(value, (_, item) => (typeof item === "string" ? (texts.get(item) ?? item) : item))
  return [...texts].reduce((shown, [text, instead]) => shown.replace(text, () => instead), line)
}
