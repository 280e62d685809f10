import { jitter } from "../../lib/random.ts"
import { sleep } from "../../lib/sleep.ts"

// Measured with 8 busy processes on 2 cores: shorter pauses burn the time of those who work, shorter bursts make each
// newcomer read its pages again; longer ones make the others wait.
const RETRY_WITHIN_MS = 8
// Whoever goes on without a pause for this long stands back once, or those who wait would hardly ever find a gap. One
// that saw nobody else commit since is probably alone, and does so more rarely.
const BURST_MS = 25
const LONE_BURST_MS = 100
const STAND_BACK_MS = 1

/** Keeps processes that share a file fair to each other, and transactions fair to the timers of their own process. */
export interface Pace {
  /** Before a transaction begins. */
  next(kind: "begin" | "begin immediate"): Promise<void>
  /** Somebody else has the lock: a short pause of random length. */
  retry(): Promise<void>
  /** After a transaction. */
  ended(): void
}

/** `others` changes with every commit of another connection. */
export function keepPace(others: () => number): Pace {
  let burstStart = 0
  let lastEnd = 0
  let othersSeen = 0
  let stoodBackAt = 0

  async function standBack(isReader: boolean): Promise<void> {
    const now = performance.now()
    const isAlone = others() === othersSeen && now - stoodBackAt < LONE_BURST_MS
    // A reader keeps nobody out, and only lets timers have their turn.
    await (isReader || isAlone ? new Promise(setImmediate) : sleep(STAND_BACK_MS))
    if (!isAlone) {
      othersSeen = others()
      stoodBackAt = now
    }
    burstStart = performance.now()
  }

  return {
    async next(kind) {
      const now = performance.now()
      if (now - lastEnd > STAND_BACK_MS) burstStart = now
      else if (now - burstStart > BURST_MS) await standBack(kind === "begin")
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
