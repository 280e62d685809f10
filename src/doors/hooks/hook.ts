import * as v from "valibot"
import { command } from "../../app/command.ts"
import type { Host } from "../../app/host.ts"
import { openSession } from "../../app/open-session.ts"
import { choice, text } from "../../lib/schema.ts"
import { readMarker, removeMarker } from "../../sessions/effects/seat-marker.ts"
import type { HookHandler } from "./handler.ts"
import {
  HOSTS,
  type HookAnswer,
  type HookCall,
  type HookEvent,
  type HookHost,
  type HostName,
  NO_ANSWER,
} from "./hook-call.ts"
import { objectOf } from "./hosts/raw.ts"

/**
 * An agent program calls this at the moments of its session. Whatever goes wrong here is none of the user's business:
 * the session goes on as if there were no hook, and the reason is in a log. Only a write of a session that takes part in
 * a team is refused where it cannot be judged.
 */
export const hook = command({
  summary: "Answer a hook of an agent program, which comes as JSON on standard input; set up by the plugin",
  fields: {
    event: text("what happens, such as stop or pre-tool-use; the program's own name for it will do"),
    host: v.optional(choice(HOSTS, "the agent program"), "claude"),
    managed: v.optional(
      text("before the agent of a worker uses a tool: the file that says what it may write; not for people"),
    ),
  },
  positional: ["event"],
  example: "teamwork hook stop < call.json",
  async run({ host, commands }, input) {
    if (typeof input.managed === "string")
      return (await import("./managed.ts")).answerManaged({ host, commands }, input.event, input.managed)
    const printed = await answerHook(host, { host: input.host, event: input.event })
    if (printed !== "") host.io.out(printed)
    return { data: null, silent: true }
  },
})

async function answerHook(host: Host, asked: { readonly host: HostName; readonly event: string }): Promise<string> {
  const dialect = await loadHost(asked.host)
  const event = dialect.eventOf(asked.event)
  if (event === undefined) return ""
  let call: HookCall | undefined
  try {
    call = dialect.read(event, objectOf(JSON.parse(await host.io.input())))
    // It may be the call of a session that takes part.
    if (event === "pre-tool-use" && call.session === "") throw new Error("the call names no session")
    return dialect.write(call, await answerCall(host, call))
  } catch (error) {
    await (await import("./log-failure.ts")).logFailure(host, asked, error)
    const unjudged = call ?? dialect.read(event, {})
    const answer = await (await import("./unjudged.ts")).answerUnjudged(host, unjudged)
    return answer === undefined ? "" : dialect.write(unjudged, answer)
  }
}

async function answerCall(host: Host, call: HookCall): Promise<HookAnswer> {
  const marker = readMarker(host.home, call.session)
  // Most sessions take no part, and only their beginning is worth a look at the store.
  if (marker === undefined && call.event !== "session-start") return NO_ANSWER
  const handler = await HANDLERS[call.event]?.()
  if (handler === undefined) return NO_ANSWER
  const { isTeamThere, readSeat } = await import("../../sessions/operations/read-seat.ts")
  await using session = openSession(host, marker ?? {})
  const configured = await session.configured()
  if (!(await configured.hasStore())) return NO_ANSWER
  const context = await session.context()
  const { store } = context
  const seat = marker === undefined ? null : ((await readSeat({ store }, call.session)) ?? null)
  if (marker !== undefined && seat === null) {
    // Without the marker its MCP server would take it for a lead. So one whose place was taken keeps it until it ends.
    if (call.event === "session-end" || !(await isTeamThere({ store }, marker)))
      await removeMarker(host.home, call.session)
    return NO_ANSWER
  }
  // The store stays open until the handler is done.
  return await handler(call, { host, seat, configured, context, folder: marker?.folder ?? "" })
}

async function loadHost(name: HostName): Promise<HookHost> {
  if (name === "gemini") return (await import("./hosts/gemini.ts")).gemini
  return (await import("./hosts/claude.ts")).makeClaudeHost(name)
}

/** Each is loaded when its moment comes; a moment without one is let pass. */
const HANDLERS: Readonly<Partial<Record<HookEvent, () => Promise<HookHandler>>>> = {
  "session-start": async () => (await import("./handlers/session-start.ts")).sessionStart,
  prompt: async () => (await import("./handlers/prompt.ts")).prompt,
  stop: async () => (await import("./handlers/stop.ts")).stop,
  "subagent-stop": async () => (await import("./handlers/sign-of-life.ts")).signOfLife,
  "task-completed": async () => (await import("./handlers/sign-of-life.ts")).signOfLife,
  "teammate-idle": async () => (await import("./handlers/sign-of-life.ts")).signOfLife,
  "session-end": async () => (await import("./handlers/session-end.ts")).sessionEnd,
  "pre-tool-use": async () => (await import("./handlers/pre-tool-use.ts")).preToolUse,
  "post-tool-use": async () => (await import("./handlers/post-tool-use.ts")).postToolUse,
}
