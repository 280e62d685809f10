/** So often in one run an agent that stopped where a tool was not permitted is told to go on. */
const MAX_NOTES = 5

interface Told {
  readonly refusal: string
  readonly failure: string | undefined
}

/** OpenCode ends its turn when a tool is not permitted, and Codex takes that for the wish to stop: both are told to go on. */
export function makeRefusals() {
  let left = MAX_NOTES
  return {
    /** What to say to an agent whose turn ended so; undefined when it ended for another reason, or was told often enough. */
    noteFor(stopReason: unknown, { refusal, failure }: Told): string | undefined {
      const isStopped = stopReason === "end_turn" || stopReason === "cancelled"
      if (refusal === "" || failure !== undefined || !isStopped || left === 0) return undefined
      left--
      return `This was not permitted: ${refusal}. Do not try it again. Go on with the task without it, and say at the end what could not be done.`
    },
  }
}
