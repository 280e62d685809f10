// Runs one agent program: feeds its output to the translator, enforces limits, stops it, and builds one result. All
// output is masked.

import type { Clock } from "../lib/clock.ts"
import type { Exit, LiveProcess, LiveProcesses } from "../lib/process/live-process.ts"
import { GRACE_FOR_LEFTOVERS_MS, readOutput } from "../lib/process/read-output.ts"
import { makeSecrets } from "../lib/text/mask-secrets.ts"
import { splitLines } from "../lib/text/split-lines.ts"
import { type EventStream, makeEventStream, maskResult } from "./event-stream.ts"
import { makeLineHandler } from "./line-handler.ts"
import { type LineRecorder, makeLineRecorder } from "./line-recorder.ts"
import type { AgentJob, AgentResult, RunOptions, Usage } from "./port.ts"
import type { Price } from "./prices.ts"
import type { Launch, Outcome, Translator } from "./program.ts"
import { type RunWatch, watchRun } from "./run-watch.ts"
import { addUsage, NO_USAGE, priceUsage, type Stop } from "./usage.ts"

export interface RunnerPorts {
  readonly processes: LiveProcesses
  readonly clock: Clock
  /** Resolves after the time, or when the signal fires. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

export interface RunSpec {
  readonly job: AgentJob
  readonly launch: Launch
  readonly translator: Translator
  readonly options: RunOptions
  readonly graceMs?: number
  readonly priceOf?: (model: string) => Price | undefined
}

const GRACE_BEFORE_SIGKILL_MS = 3000
/** After its final answer a program saves its session. If that takes longer, it hangs. */
const LINGER_MS = 15_000
/** One line may hold a whole answer or file. */
const MAX_LINE_BYTES = 32 * 1024 * 1024
const MAX_ERROR_LINE_BYTES = 4 * 1024 * 1024
const STDERR_TAIL_BYTES = 64 * 1024

export async function runAgent(spec: RunSpec, ports: RunnerPorts): Promise<AgentResult> {
  const { job, launch, options } = spec
  const startedAt = ports.clock.now()
  const env = { ...job.env, ...launch.env }
  const envOfServers = Object.values(job.mcpServers).map((server) => server.env)
  const secrets = makeSecrets(Object.assign({}, options.secrets, ...envOfServers, env))
  const events = makeEventStream({ clock: ports.clock, secrets, model: job.model, onEvent: options.onEvent })
  const finish = async (ending: Ending): Promise<AgentResult> => {
    const durationMs = ports.clock.now() - startedAt
    const result = maskResult(makeResult(ending, { ...spec, events, durationMs }), secrets.mask)
    await events.emit({ type: "finished", result })
    return result
  }
  if (options.signal?.aborted === true) return finish({ stop: CANCELLED })
  if (launch.whyNot !== undefined) return finish({ stop: { reason: "permission", error: launch.whyNot } })
  const messages = launch.encodeMessage === null ? undefined : options.messages
  const staysOpen = messages !== undefined || spec.translator.dialogue !== undefined
  const input = launch.input === null ? null : { text: launch.input, staysOpen }
  const child = ports.processes.start({ command: launch.command, cwd: job.workspace, env, input })
  if ("whyNot" in child) return finish({ stop: { reason: "not-found", error: child.whyNot } })
  const recorder = options.onLine && makeLineRecorder({ secrets, events, onLine: options.onLine })
  return finish(await supervise(child, { ...spec, events, recorder }, ports))
}

const CANCELLED: Stop = { reason: "cancelled", error: "cancelled" }

interface Ending {
  readonly stop?: Stop
  readonly outcome?: Outcome
  readonly exit?: Exit
}

interface Running extends RunSpec {
  readonly events: EventStream
  readonly recorder: LineRecorder | undefined
}

async function supervise(child: LiveProcess, run: Running, ports: RunnerPorts): Promise<Ending> {
  const { job, translator, options } = run
  const graceMs = run.graceMs ?? GRACE_BEFORE_SIGKILL_MS
  const ended = new AbortController()
  let stop: Stop | undefined
  let failure: { error: unknown } | undefined
  const stopFor = (why: Stop) => {
    if (stop !== undefined || ended.signal.aborted) return
    // A stop after the final answer does not undo the result.
    stop = why.reason !== "protocol" && translator.isOver() ? { ...why, reason: "done" } : why
    askToEnd()
    void ports.sleep(graceMs, ended.signal).then(() => child.destroy())
  }
  const reply = () => {
    const lines = translator.dialogue?.takeReplies() ?? ""
    // Not awaited: an agent that does not read may be waiting for us to read.
    if (lines !== "") void child.write(lines)
  }
  /** An agent with a dialogue gets half of the grace time to cancel. */
  const askToEnd = () => {
    if (translator.dialogue?.cancel() !== true) return child.terminate()
    reply()
    void ports.sleep(graceMs / 2, ended.signal).then(() => ended.signal.aborted || child.terminate())
  }
  let isEnding = false
  /** A server, or an agent that left a command running, may not end with its input. */
  const endInput = () => {
    child.closeInput()
    if (isEnding) return
    isEnding = true
    const hasLeftovers = translator.hasLeftovers?.() === true
    const lingerMs = hasLeftovers ? GRACE_FOR_LEFTOVERS_MS : translator.dialogue === undefined ? LINGER_MS : graceMs
    void ports.sleep(lingerMs, ended.signal).then(() => {
      isEnding = false
      if (translator.isOver()) stopFor({ reason: "done", error: "" })
    })
  }
  const cancel = () => stopFor(CANCELLED)
  options.signal?.addEventListener("abort", cancel)
  if (job.limits.timeMs !== null) {
    const timeUp: Stop = { reason: "timed-out", error: `stopped after ${job.limits.timeMs} ms` }
    void ports.sleep(job.limits.timeMs, ended.signal).then(() => stopFor(timeUp))
  }
  const isWithinOutput = countOutput(job.limits.outputBytes, stopFor)
  const sent = new Map<string, string>()
  const fed = feedMessages(child, run, { sent, ended: ended.signal })
  const splitter = splitLines(MAX_LINE_BYTES)
  // A script waits for no provider, and may repeat commands.
  const watched = { limits: job.limits, clock: ports.clock, sleep: ports.sleep, stopFor, ended: ended.signal }
  const watch = translator.isPlainText === true ? undefined : watchRun(watched)
  const handleLine = makeLineHandler({ ...run, sent, stopFor, watch, costSoFar: () => costSoFar(run) })
  let hasCut = false
  const seeOutput = async (chunk: Uint8Array) => {
    for (const line of splitter.push(chunk)) {
      hasCut ||= line.isCut
      const pending = handleLine(line)
      if (pending !== undefined) await pending
    }
  }
  const stderr = makeTail(STDERR_TAIL_BYTES, listenToErrors(run, watch))
  const guarded = (see: (chunk: Uint8Array) => void | Promise<void>) => async (chunk: Uint8Array) => {
    if (!isWithinOutput(chunk.length) || failure !== undefined) return
    try {
      await see(chunk)
      reply()
      if (translator.isOver()) endInput()
    } catch (error) {
      failure = { error }
      cancel()
    }
  }
  const output = readOutput([
    { stream: child.stdout, see: guarded(seeOutput) },
    { stream: child.stderr, see: guarded(stderr.see) },
  ])
  const exit = await child.exited
  try {
    // Processes left behind may hold the pipes open for hours.
    await Promise.race([output.ended, ports.sleep(GRACE_FOR_LEFTOVERS_MS, ended.signal)])
  } finally {
    ended.abort()
    options.signal?.removeEventListener("abort", cancel)
    await child.destroy()
  }
  await output.readOn()
  await fed
  if (failure !== undefined) throw failure.error
  const lastLine = splitter.end()
  hasCut ||= lastLine?.isCut === true
  if (lastLine !== undefined) await handleLine(lastLine)
  await stderr.end()
  run.recorder?.end()
  // How we ended a lingering agent does not affect its result.
  const itsOwn = stop?.reason === "done" ? { exitCode: 0, signal: null } : exit
  const outcome = translator.end(itsOwn, stderr.text())
  return { stop, outcome: hasCut ? explainCut(outcome, itsOwn) : outcome, exit }
}

/** An agent that ended well without a result may have printed it in a line that was too long. */
function explainCut(outcome: Outcome, { exitCode }: Pick<Exit, "exitCode">): Outcome {
  if (outcome.reason !== "crashed" || exitCode !== 0) return outcome
  const limit = `${MAX_LINE_BYTES / 1024 / 1024} MB`
  return { ...outcome, reason: "protocol", error: `printed a line of more than ${limit}, which cannot be read` }
}

function listenToErrors({ recorder, translator, events }: Running, watch: RunWatch | undefined) {
  if (recorder === undefined && translator.stderr === undefined && watch === undefined) return undefined
  return async (text: string) => {
    recorder?.stderr(text)
    watch?.hear(false)
    for (const body of translator.stderr?.(text) ?? []) {
      await events.emit(body)
      watch?.see(body)
    }
  }
}

/** On both streams; after false, reading stops. */
function countOutput(limit: number | null, stopFor: (why: Stop) => void): (bytes: number) => boolean {
  let seen = 0
  return (bytes) => {
    seen += bytes
    if (limit === null || seen <= limit) return true
    stopFor({ reason: "protocol", error: `printed more than ${limit} bytes` })
    return false
  }
}

async function feedMessages(
  child: LiveProcess,
  { launch, translator, options }: RunSpec,
  { sent, ended }: { sent: Map<string, string>; ended: AbortSignal },
): Promise<void> {
  const encodeMessage = translator.dialogue?.message ?? launch.encodeMessage
  if (encodeMessage === null || options.messages === undefined) return
  const over = new Promise<undefined>((resolve) => ended.addEventListener("abort", () => resolve(undefined)))
  const iterator = options.messages[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([iterator.next(), over])
    if (next === undefined || next.done === true) break
    const { wireId, line } = encodeMessage(next.value)
    sent.set(wireId, next.value.id)
    await child.write(line)
  }
  // Not awaited: it may wait for the next message forever.
  void iterator.return?.()
}

function makeTail(maxBytes: number, hear: ((line: string) => Promise<void>) | undefined) {
  let tail = Buffer.alloc(0)
  const splitter = splitLines(MAX_ERROR_LINE_BYTES)
  return {
    async see(chunk: Uint8Array) {
      tail = Buffer.concat([tail, chunk]).subarray(-maxBytes)
      if (hear !== undefined) for (const line of splitter.push(chunk)) await hear(line.text)
    },
    async end() {
      const last = splitter.end()
      if (last !== undefined) await hear?.(last.text)
    },
    text: () => tail.toString("utf8"),
  }
}

interface Facts extends Pick<RunSpec, "job" | "priceOf"> {
  readonly events: EventStream
  readonly durationMs: number
}

/** The model that the agent names may have no price; then the requested one counts. */
function costSoFar({ job, events, priceOf }: Omit<Facts, "durationMs">): Usage {
  const models = [events.model(), job.model].filter((model) => model !== null)
  const price = models.map((model) => priceOf?.(model)).find((each) => each !== undefined)
  return priceUsage(events.usage(), price)
}

function makeResult({ stop, outcome, exit }: Ending, facts: Facts): AgentResult {
  const { job, events, durationMs } = facts
  const isStopped = stop !== undefined && stop.reason !== "done"
  const reason = isStopped ? stop.reason : (outcome?.reason ?? "crashed")
  const session = outcome?.session ?? job.resume?.id ?? null
  return {
    reason,
    retryAt: canWait(reason) ? (stop?.retryAt ?? outcome?.retryAt ?? null) : null,
    answer: outcome?.answer ?? "",
    structured: outcome?.structured ?? null,
    session: session === null ? null : { id: session, usage: addUsage(job.resume?.usage ?? NO_USAGE, events.usage()) },
    usage: costSoFar(facts),
    exitCode: exit?.exitCode ?? null,
    signal: exit?.signal ?? null,
    error: reason === "done" ? "" : isStopped ? stop.error : (outcome?.error ?? ""),
    durationMs,
    filesTouched: events.filesTouched(),
    ...(outcome?.quota !== undefined && { quota: outcome.quota }),
  }
}

function canWait(reason: AgentResult["reason"]): boolean {
  return reason === "rate-limited" || reason === "overloaded" || reason === "unreachable"
}
