import { asObject, asText, type Json, parseLine } from "../json-line.ts"
import type { Capabilities } from "../port.ts"
import type { Launch, Probe, Translator } from "../program.ts"
import { findWayToResume } from "./acp-session.ts"
import { INITIALIZE_ID, PROTOCOL_VERSION } from "./acp-wire.ts"

/** Says hello and no more: an agent that answers is there, and its answer tells what it can. */
export function probeAcp(launch: Launch, capabilities: Capabilities): Probe {
  let result: Json | undefined
  const translator: Translator = {
    line(text) {
      const message = parseLine(text)
      if (message?.id === INITIALIZE_ID && message.method === undefined) result = asObject(message.result) ?? {}
      return []
    },
    turns: () => 0,
    isOver: () => result !== undefined,
    end: (_exit, stderr) => ({
      reason: "protocol",
      retryAt: null,
      answer: "",
      structured: null,
      session: null,
      error: stderr.trim().split("\n").at(-1) || "it did not answer",
    }),
    dialogue: { takeReplies: () => "", message: ({ id }) => ({ wireId: id, line: "" }), cancel: () => false },
  }
  return {
    launch,
    translator,
    found() {
      if (result?.protocolVersion !== PROTOCOL_VERSION) return undefined
      const resume = findWayToResume(asObject(result.agentCapabilities) ?? {}) !== undefined
      return { version: asText(asObject(result.agentInfo)?.version), capabilities: { ...capabilities, resume } }
    },
  }
}
