import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import type { Clock } from "../../lib/clock.ts"
import { openRecording } from "../../lib/process/recording.ts"

/** The log of a worker: all of its processes one after the other, each below a line that says when it was started. */
export function beginLog(file: string, { worker, clock }: { readonly worker: string; readonly clock: Clock }): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  using log = openRecording(file, { maxBytes: MAX_BYTES, mark: (bytes) => `[${bytes} bytes left out]` })
  log.write(`--- ${worker} starts, ${new Date(clock.now()).toISOString()}`)
}

/** It is cut when a process is started: those write to it themselves, so that they can outlive us. */
const MAX_BYTES = 4_000_000
