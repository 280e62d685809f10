import { maskParts } from "../lib/text/mask-parts.ts"
import type { Secrets } from "../lib/text/mask-secrets.ts"
import type { EventStream } from "./event-stream.ts"
import { parseLine } from "./json-line.ts"
import type { AgentEventBody, RunOptions } from "./port.ts"

/** Passes on each line that an agent prints. A secret may be spread over the texts of several, and is hidden there too. */
export interface LineRecorder {
  /** `bodies` are made of the line. A line with texts comes when `onShown` has heard what is shown of each. */
  stdout(line: string, bodies: readonly AgentEventBody[]): Recorded
  stderr(line: string): void
  end(): void
}

export interface Recorded {
  readonly onShown?: (shown: string) => void
  /** What others do with what came before the line. */
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
        // Nothing is left of a line inside of a secret.
        if (shown !== "") onLine(shown.replace(/\n$/, ""), "stderr")
      })
    },
    end() {
      void errors.end()
    },
  }
}

/** A line is JSON that holds the texts as they are, or itself begins with the text. */
function replaceTexts(line: string, texts: ReadonlyMap<string, string>): string {
  if (texts.size === 0) return line
  const value = parseLine(line)
  if (value !== undefined)
    return JSON.stringify(value, (_, item) => (typeof item === "string" ? (texts.get(item) ?? item) : item))
  return [...texts].reduce((shown, [text, instead]) => shown.replace(text, () => instead), line)
}
