import type { Ending, WorkerPorts } from "./worker-ports.ts"

export function makeEnding({ drain, stop, sleep, say }: WorkerPorts, shutdownTimeoutMs: number): Ending {
  const draining = new AbortController()
  const stopping = new AbortController()
  const over = new AbortController()
  let reason: ReturnType<Ending["reason"]>
  const begin = (why: "shutdown" | "drained") => {
    if (reason !== undefined) return
    reason = why
    draining.abort()
    void sleep(shutdownTimeoutMs, over.signal).then(() => {
      if (!over.signal.aborted) stopping.abort()
    })
  }
  const onDrain = () => {
    say("Interrupted: takes no new task; interrupt again to stop now")
    begin("drained")
  }
  const onStop = () => {
    reason = "stopped"
    draining.abort()
    stopping.abort()
  }
  drain.addEventListener("abort", onDrain)
  stop.addEventListener("abort", onStop)
  if (stop.aborted) onStop()
  else if (drain.aborted) onDrain()
  return {
    drain: draining.signal,
    stop: stopping.signal,
    reason: () => reason,
    shutDown: () => begin("shutdown"),
    [Symbol.dispose]() {
      over.abort()
      drain.removeEventListener("abort", onDrain)
      stop.removeEventListener("abort", onStop)
    },
  }
}
