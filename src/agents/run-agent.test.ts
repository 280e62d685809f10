// The runner with a process that is played here: no real time passes and no program is started.
import { describe, expect, it } from "bun:test"
import type { Exit, LiveProcess, StartRequest } from "../lib/process/live-process.ts"
import { makeAgentJob } from "./make-agent-job.ts"
import type { AgentEvent, AgentJob, AgentMessage } from "./port.ts"
import type { Launch, Translator } from "./program.ts"
import { type RunnerPorts, type RunSpec, runAgent } from "./run-agent.ts"

const JOB = makeAgentJob({
  prompt: "go",
  workspace: "/w",
  stateFolder: "/s",
  env: { A: "1" },
  model: "m",
  mcpServers: { notes: { command: "notes", args: [], env: { NOTES_TOKEN: "server-secret" } } },
})

const LAUNCH: Launch = {
  command: ["agent"],
  env: { B: "2" },
  files: {},
  links: {},
  input: "go",
  encodeMessage: ({ id, text }) => ({ wireId: `wire-${id}`, line: `${text}\n` }),
}

/** Understands: `say X`, `use N` tokens, `got ID`, `end`. */
function plainTranslator(): Translator {
  let isOver = false
  let turns = 0
  return {
    line(text) {
      const [word, rest = ""] = text.split(/ (.*)/)
      if (word === "say") {
        turns++
        return [{ type: "text", text: rest }]
      }
      const usage = { inputTokens: Number(rest), outputTokens: 0, cachedTokens: 0, dollars: null }
      if (word === "use") return [{ type: "usage", isTotal: false, ...usage }]
      if (word === "got") return [{ type: "message_delivered", messageId: rest }]
      if (word === "end") isOver = true
      return word === "end" ? [] : [{ type: "unknown", line: text }]
    },
    turns: () => turns,
    isOver: () => isOver,
    end: (exit) => ({
      reason: isOver && exit.exitCode === 0 ? "done" : "crashed",
      retryAt: null,
      answer: "server-secret",
      structured: { deep: ["server-secret"] },
      session: "s1",
      error: isOver ? "" : "no end",
    }),
  }
}

/** As above, and answers each line that it does not understand with "what?". */
function talkingTranslator({ canCancel = true } = {}): Translator {
  const plain = plainTranslator()
  let replies = ""
  return {
    ...plain,
    line(text) {
      const events = plain.line(text)
      for (const { type } of events) if (type === "unknown") replies += "what?\n"
      return events
    },
    dialogue: {
      takeReplies() {
        const taken = replies
        replies = ""
        return taken
      },
      message: ({ id, text }) => ({ wireId: `wire-${id}`, line: `${text}!\n` }),
      cancel() {
        replies += "please stop\n"
        return canCancel
      },
    },
  }
}

/** A process whose output the test writes. It ends when told, or when it is asked to, unless it is deaf. */
function playProcess({ isDeaf = false } = {}) {
  const out = new TransformStream<Uint8Array, Uint8Array>()
  const writer = out.writable.getWriter()
  const complaints: Uint8Array[] = []
  const { promise: exited, resolve } = Promise.withResolvers<Exit>()
  const did: string[] = []
  const requests: StartRequest[] = []
  const end = (exit: Exit) => {
    resolve(exit)
    void writer.close().catch(() => undefined)
  }
  const child: LiveProcess = {
    stdout: out.readable,
    stderr: new ReadableStream({
      async start(controller) {
        await exited
        for (const complaint of complaints) controller.enqueue(complaint)
        controller.close()
      },
    }),
    exited,
    async write(text) {
      did.push(`write ${text.trim()}`)
    },
    closeInput: () => void did.push("close"),
    terminate() {
      did.push("terminate")
      if (!isDeaf) end({ exitCode: 143, signal: null })
    },
    async destroy() {
      did.push("destroy")
      end({ exitCode: null, signal: "SIGKILL" })
    },
  }
  return {
    did,
    requests,
    /** On its error output, which is read at its end. */
    complain: (text: string) => void complaints.push(new TextEncoder().encode(text)),
    print: (text: string) => writer.write(new TextEncoder().encode(text)),
    exit: (exitCode: number) => end({ exitCode, signal: null }),
    start: (request: StartRequest) => {
      requests.push(request)
      return child
    },
  }
}

type Played = ReturnType<typeof playProcess>

/** Time that passes only when the test says so. */
function playTime() {
  const sleepers: { ms: number; wake: () => void }[] = []
  const sleep: RunnerPorts["sleep"] = (ms, signal) =>
    new Promise((wake) => {
      sleepers.push({ ms, wake })
      signal?.addEventListener("abort", () => wake())
    })
  return {
    sleep,
    async pass(ms: number) {
      for (const sleeper of sleepers.filter((each) => each.ms === ms)) sleeper.wake()
      await Promise.resolve()
    },
  }
}

interface Given {
  readonly priceOf?: RunSpec["priceOf"]
  readonly job?: Partial<AgentJob>
  readonly messages?: AsyncIterable<AgentMessage>
  readonly translator?: Translator
}

function run(played: Played, { job = {}, messages, priceOf, translator = plainTranslator() }: Given = {}) {
  const time = playTime()
  const events: AgentEvent[] = []
  const controller = new AbortController()
  const ports = { processes: played, clock: { now: () => 5000 }, sleep: time.sleep }
  const options = { onEvent: (event: AgentEvent) => void events.push(event), signal: controller.signal, messages }
  const spec = { job: { ...JOB, ...job }, launch: LAUNCH, translator, options, graceMs: 70, priceOf }
  return { result: runAgent(spec, ports), events, time, cancel: () => controller.abort() }
}

describe("the runner", () => {
  it("starts the program with the job's environment, the launch's on top, and the input", async () => {
    const played = playProcess()
    const { result } = run(played)
    await played.print("say hi\nend\n")
    played.exit(0)
    expect(await result).toMatchObject({ reason: "done", session: { id: "s1" }, exitCode: 0 })
    expect(played.requests).toEqual([
      { command: ["agent"], cwd: "/w", env: { A: "1", B: "2" }, input: { text: "go", staysOpen: false } },
    ])
  })

  it("masks what only a server is given, also deep in the answer", async () => {
    const played = playProcess()
    const { result, events } = run(played)
    await played.print("say it is server-secret\nend\n")
    played.exit(0)
    expect(await result).toMatchObject({ answer: "***", structured: { deep: ["***"] } })
    expect(JSON.stringify(events)).not.toContain("server-secret")
  })

  it("shows each line as it came, secrets masked, also those that only the caller has", async () => {
    const played = playProcess()
    const lines: string[] = []
    const options = {
      onLine: (line: string, stream: string) => void lines.push(`${stream}: ${line}`),
      onEvent: ({ type }: AgentEvent) => void lines.push(type),
      secrets: { CALLER_TOKEN: "caller-secret" },
    }
    const ports = { processes: played, clock: { now: () => 1 }, sleep: playTime().sleep }
    const result = runAgent({ job: JOB, launch: LAUNCH, translator: plainTranslator(), options }, ports)
    played.complain("oh caller-secret\nno newline")
    await played.print("?? server-secret\nsay caller-secret\nend")
    played.exit(0)
    expect((await result).reason).toBe("done")
    expect(lines.filter((line) => !line.startsWith("stderr"))).toEqual([
      ...["stdout: ?? ***", "unknown", "started", "stdout: say ***", "text", "stdout: end", "finished"],
    ])
    expect(lines.filter((line) => line.startsWith("stderr"))).toEqual(["stderr: oh ***", "stderr: no newline"])
  })

  it("hides a secret that comes in two texts, wherever it is split, from events and lines", async () => {
    const secret = "caller-secret"
    for (let at = 1; at < secret.length; at++) {
      const played = playProcess()
      const seen: string[] = []
      const options = {
        onLine: (line: string) => void seen.push(line),
        onEvent: (event: AgentEvent) => void seen.push(event.type === "text" ? event.text : event.type),
        secrets: { CALLER_TOKEN: secret },
      }
      const ports = { processes: played, clock: { now: () => 1 }, sleep: playTime().sleep }
      const result = runAgent({ job: JOB, launch: LAUNCH, translator: plainTranslator(), options }, ports)
      // What is used is told between the two.
      await played.print(`say it is ${secret.slice(0, at)}\nuse 5\nsay ${secret.slice(at)}, or not c\nend\n`)
      played.exit(0)
      await result
      expect(seen).toEqual([
        ...["started", "say it is ***", "it is ***", "use 5", "usage"],
        ...["say , or not c", ", or not c", "end", "finished"],
      ])
    }
  })

  it("hides a key that is spread over lines of the error output", async () => {
    const played = playProcess()
    const lines: string[] = []
    const options = { onLine: (line: string) => void lines.push(line) }
    const ports = { processes: played, clock: { now: () => 1 }, sleep: playTime().sleep }
    const result = runAgent({ job: JOB, launch: LAUNCH, translator: plainTranslator(), options }, ports)
    const key = ["-----BEGIN PRIVATE KEY-----", "MIIBVgIBADANBg", "kqhkiG9w0BAQEF", "-----END PRIVATE KEY-----"]
    played.complain(`before\n${key.join("\n")}\nafter\n`)
    await played.print("end\n")
    played.exit(0)
    await result
    expect(lines.filter((line) => line !== "end")).toEqual(["before", "***", "", "after"])
  })

  it.each(["stdout", "stderr"])("ends the program and fails when nobody can take its lines from %s", async (faulty) => {
    const played = playProcess()
    const options = {
      onLine(_line: string, stream: string) {
        if (stream === faulty) throw new Error("disk full")
      },
    }
    const ports = { processes: played, clock: { now: () => 1 }, sleep: playTime().sleep }
    const result = runAgent({ job: JOB, launch: LAUNCH, translator: plainTranslator(), options }, ports)
    played.complain("oh\n")
    await played.print("say hi\n")
    if (faulty === "stderr") played.exit(0)
    await expect(result).rejects.toThrow("disk full")
    expect(played.did.slice(-1)).toEqual(["destroy"])
  })

  it("stamps events with its clock, and begins with started although the program has no word for it", async () => {
    const played = playProcess()
    const { result, events } = run(played)
    await played.print("what\nsay hi\nend\n")
    played.exit(0)
    await result
    expect(events.map(({ type }) => type)).toEqual(["unknown", "started", "text", "finished"])
    expect(events.every(({ at }) => at === 5000)).toBe(true)
    expect(events[1]).toMatchObject({ model: "m", session: null })
  })

  it("stops at the time limit, and ends the tree when the grace is over", async () => {
    const played = playProcess({ isDeaf: true })
    const { result, time } = run(played, { job: { limits: { ...JOB.limits, timeMs: 9000 } } })
    await played.print("say hi\n")
    await time.pass(9000)
    expect(played.did).toEqual(["terminate"])
    await time.pass(70)
    expect(await result).toMatchObject({ reason: "timed-out", signal: "SIGKILL" })
    expect(played.did.slice(0, 2)).toEqual(["terminate", "destroy"])
  })

  it("does not undo what is done because it lingers", async () => {
    const played = playProcess()
    const { result, time } = run(played, { job: { limits: { ...JOB.limits, timeMs: 9000 } } })
    await played.print("say hi\nend\n")
    await Bun.sleep(0)
    await time.pass(9000)
    expect(await result).toMatchObject({ reason: "done", exitCode: 143, error: "" })
  })

  it("adds up what was used, on top of the session that it resumes, and stops at the limit", async () => {
    const played = playProcess()
    const usage = { inputTokens: 1000, outputTokens: 5, cachedTokens: 0, dollars: 1 }
    const { result } = run(played, { job: { resume: { id: "s0", usage }, limits: { ...JOB.limits, tokens: 100 } } })
    await played.print("use 60\nuse 30\nuse 20\n")
    expect(await result).toMatchObject({
      reason: "budget",
      usage: { inputTokens: 110, dollars: null },
      session: { id: "s1", usage: { inputTokens: 1110, outputTokens: 5, dollars: 1 } },
    })
  })

  it("holds an agent that tells no cost to the limit in dollars, by the price of its model", async () => {
    const limits = { ...JOB.limits, dollars: 0.001 }
    const priceOf = (model: string) => (model === "m" ? { input: 10, cached: 1, output: 50 } : undefined)
    const over = playProcess()
    const stopped = run(over, { job: { limits }, priceOf })
    await over.print("use 60\nuse 60\n")
    expect(await stopped.result).toMatchObject({
      ...{ reason: "budget", error: "cost 0.0012 dollars of 0.001" },
      usage: { inputTokens: 120, dollars: 0.0012, dollarsAreEstimated: true },
      session: { usage: { dollars: null } },
    })
    // Without a price nobody can say, and the other limits hold.
    const free = playProcess()
    const { result } = run(free, { job: { limits, model: "new" }, priceOf })
    await free.print("use 6000\nend\n")
    free.exit(0)
    const { reason, usage } = await result
    expect({ reason, usage }).toEqual({
      reason: "done",
      usage: { inputTokens: 6000, outputTokens: 0, cachedTokens: 0, dollars: null },
    })
  })

  it("writes messages to the agent, acknowledges those it took in by their own id, and closes its input at the end", async () => {
    const played = playProcess()
    const { promise: never } = Promise.withResolvers<void>()
    async function* messages() {
      yield { id: "7", text: "first" }
      yield { id: "8", text: "second" }
      await never
    }
    const { result, events } = run(played, { messages: messages() })
    await Bun.sleep(0)
    expect(played.requests[0]?.input).toEqual({ text: "go", staysOpen: true })
    await played.print("got something-else\ngot wire-7\nend\n")
    await Bun.sleep(0)
    expect(played.did).toEqual(["write first", "write second", "close"])
    played.exit(0)
    expect((await result).reason).toBe("done")
    expect(events.filter(({ type }) => type === "message_delivered")).toMatchObject([{ messageId: "7" }])
  })

  it("says why a program could not be started", async () => {
    const ports = {
      processes: { start: () => ({ whyNot: "no such file" }) },
      clock: { now: () => 1 },
      sleep: playTime().sleep,
    }
    const spec = { job: JOB, launch: LAUNCH, translator: plainTranslator(), options: {} }
    expect(await runAgent(spec, ports)).toMatchObject({ reason: "not-found", error: "no such file", session: null })
  })
})

describe("the runner in a dialogue", () => {
  it("keeps the input open, writes what is replied, and hands messages to the protocol", async () => {
    const played = playProcess()
    async function* messages() {
      yield { id: "7", text: "first" }
    }
    const { result, events } = run(played, { translator: talkingTranslator(), messages: messages() })
    await Bun.sleep(0)
    expect(played.requests[0]?.input).toEqual({ text: "go", staysOpen: true })
    await played.print("hm\ngot wire-7\nend\n")
    await Bun.sleep(0)
    expect(played.did).toEqual(["write first!", "write what?", "close"])
    played.exit(0)
    expect((await result).reason).toBe("done")
    expect(events.filter(({ type }) => type === "message_delivered")).toMatchObject([{ messageId: "7" }])
  })

  it("asks in its words first, sends a signal when half of the grace is over, and ends the tree when all of it is", async () => {
    const played = playProcess({ isDeaf: true })
    const { result, time, cancel } = run(played, { translator: talkingTranslator() })
    await played.print("say hi\n")
    cancel()
    expect(played.did).toEqual(["write please stop"])
    await time.pass(35)
    await Bun.sleep(0)
    expect(played.did).toEqual(["write please stop", "terminate"])
    await time.pass(70)
    expect(await result).toMatchObject({ reason: "cancelled", signal: "SIGKILL" })
  })

  it("sends the signal at once where there is nothing to cancel, and none to who has ended", async () => {
    const silent = playProcess()
    const first = run(silent, { translator: talkingTranslator({ canCancel: false }) })
    first.cancel()
    expect(silent.did).toEqual(["terminate"])
    await first.result
    const obedient = playProcess()
    const second = run(obedient, { translator: talkingTranslator() })
    second.cancel()
    obedient.exit(0)
    expect((await second.result).reason).toBe("cancelled")
    expect(obedient.did).not.toContain("terminate")
  })

  it("ends an agent that serves on after its last word", async () => {
    const played = playProcess()
    const { result, time } = run(played, { translator: talkingTranslator({ canCancel: false }) })
    await played.print("say hi\nend\n")
    await Bun.sleep(0)
    expect(played.did).toEqual(["close"])
    await time.pass(70)
    expect(await result).toMatchObject({ reason: "done", exitCode: 143, error: "" })
    expect(played.did).toContain("terminate")
  })
})
