import type { AgentEvent, AgentJob, AgentMessage, AgentResult, RunOptions } from "./port.ts"
import { addUsage } from "./usage.ts"

type Run = (job: AgentJob, options: RunOptions) => Promise<AgentResult>
type OnEvent = NonNullable<RunOptions["onEvent"]>

/**
 * Agents that take no messages while they run get them right afterwards in the same session. Callers see one run
 * with one start, one end and one result.
 */
export async function deliverAfterRun(
  run: Run,
  job: AgentJob,
  options: RunOptions & { readonly messages: AsyncIterable<AgentMessage> },
): Promise<AgentResult> {
  const { messages, onEvent = () => undefined, ...rest } = options
  const inbox = collect(messages)
  let last: AgentEvent | undefined
  const watch = (queued: readonly AgentMessage[] | null): OnEvent => {
    let undelivered = queued ?? []
    return async (event) => {
      if (event.type === "finished") last = event
      if (event.type === "finished" || (event.type === "started" && queued !== null)) return
      // From here on the model knows the messages.
      const delivered = MODEL_AT_WORK.has(event.type) ? undelivered : []
      if (delivered.length > 0) undelivered = []
      for (const { id } of delivered) await onEvent({ at: event.at, type: "message_delivered", messageId: id })
      await onEvent(event)
    }
  }
  try {
    let result = await run(job, { ...rest, onEvent: watch(null) })
    for (;;) {
      const next = continued(job, result)
      const queued = next === undefined ? [] : inbox.take()
      if (next === undefined || queued.length === 0) break
      const prompt = queued.map((message) => message.text).join("\n\n")
      result = joined(result, await run({ ...next, prompt }, { ...rest, onEvent: watch(queued) }))
    }
    if (last !== undefined) await onEvent({ at: last.at, type: "finished", result })
    return result
  } finally {
    inbox.stop()
  }
}

const MODEL_AT_WORK: ReadonlySet<AgentEvent["type"]> = new Set(["text", "reasoning", "tool_use"])

/** Within the rest of the job's limits; undefined when it cannot go on. */
function continued(job: AgentJob, { reason, session, usage, durationMs }: AgentResult): AgentJob | undefined {
  if (reason !== "done" || session === null) return undefined
  const left = (limit: number | null, used: number) => (limit === null ? null : limit - used)
  const limits = {
    ...job.limits,
    timeMs: left(job.limits.timeMs, durationMs),
    tokens: left(job.limits.tokens, usage.inputTokens + usage.outputTokens),
    dollars: left(job.limits.dollars, usage.dollars ?? 0),
  }
  const isUsedUp = [limits.timeMs, limits.tokens, limits.dollars].some((limit) => limit !== null && limit <= 0)
  return isUsedUp ? undefined : { ...job, resume: session, limits }
}

function joined(before: AgentResult, after: AgentResult): AgentResult {
  return {
    ...after,
    usage: {
      ...addUsage(before.usage, after.usage),
      ...((before.usage.dollarsAreEstimated ?? after.usage.dollarsAreEstimated) && { dollarsAreEstimated: true }),
    },
    durationMs: before.durationMs + after.durationMs,
    filesTouched: [...new Set([...before.filesTouched, ...after.filesTouched])],
  }
}

function collect(messages: AsyncIterable<AgentMessage>) {
  const iterator = messages[Symbol.asyncIterator]()
  const queued: AgentMessage[] = []
  let isOver = false
  const listen = async () => {
    for (let next = await iterator.next(); next.done !== true && !isOver; next = await iterator.next())
      queued.push(next.value)
  }
  // A failing source sends no more messages; the run goes on.
  listen().catch(() => undefined)
  return {
    take: () => queued.splice(0),
    stop() {
      isOver = true
      // Not awaited: it may wait for a message forever.
      Promise.resolve(iterator.return?.()).catch(() => undefined)
    },
  }
}
