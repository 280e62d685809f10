import { jitter } from "../../lib/random.ts"
import { sleep } from "../../lib/sleep.ts"

// Measured with 8 busy processes on 2 cores: shorter pauses take CPU time from the process that works, shorter bursts make
// each next process read its pages again, and longer ones make the others wait.
const RETRY_WITHIN_MS = 8
// A process that ran transactions without a pause for this long pauses once, or the others would hardly find a gap. A
// process that saw no other commit is probably alone, and pauses more rarely.
const BURST_MS = 25
const LONE_BURST_MS = 100
const PAUSE_MS = 1

/** Keeps processes that share a file fair to each other, and transactions fair to the timers of their own process. */
export interface Pace {
  /** Before a transaction begins. */
  next(kind: "begin" | "begin immediate"): Promise<void>
  /** Another process has the lock: a short pause of random length. */
  retry(): Promise<void>
  /** After a transaction. */
  ended(): void
}

/** `others` changes with every commit of another connection. */
export function keepPace(others: () => number): Pace {
  let burstStart = 0
  let lastEnd = 0
  let othersSeen = 0
  let pausedAt = 0

  async function pauseOnce(isReader: boolean): Promise<void> {
    const now = performance.now()
    const isAlone = others() === othersSeen && now - pausedAt < LONE_BURST_MS
    // A reader blocks no other process, so it only lets timers run.
    await (isReader || isAlone ? new Promise(setImmediate) : sleep(PAUSE_MS))
    if (!isAlone) {
      othersSeen = others()
      pausedAt = now
    }
    burstStart = performance.now()
  }

  return {
    async next(kind) {
      const now = performance.now()
      if (now - lastEnd > PAUSE_MS) burstStart = now
      else if (now - burstStart > BURST_MS) await pauseOnce(kind === "begin")
    },
    async retry() {
      await sleep(jitter(RETRY_WITHIN_MS))
      burstStart = performance.now()
    },
    ended() {
      lastEnd = performance.now()
    },
  }
}
