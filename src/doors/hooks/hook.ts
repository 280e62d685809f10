import { appendFile } from "node:fs/promises"
import * as v from "valibot"
import { command } from "../../app/command.ts"
import type { Host } from "../../app/host.ts"
import { openSession } from "../../app/open-session.ts"
import { choice, text } from "../../lib/schema.ts"
import { oneLine } from "../../lib/text/table.ts"
import { findWrite } from "../../ownership/find-write.ts"
import { hasMarker, readMarker, removeMarker } from "../../sessions/effects/seat-marker.ts"
import { isTeamThere, readSeat } from "../../sessions/operations/read-seat.ts"
import {
  HOSTS,
  type HookAnswer,
  type HookCall,
  type HookEvent,
  type HookHandler,
  type HostName,
  NO_ANSWER,
} from "./hook-call.ts"
import { getHost } from "./hosts.ts"
import { answerManaged } from "./managed.ts"
import { postToolUse } from "./post-tool-use.ts"
import { preToolUse } from "./pre-tool-use.ts"
import { objectOf } from "./raw.ts"
import { prompt, sessionEnd, sessionStart, signOfLife, stop } from "./session-handlers.ts"

const HANDLERS: Readonly<Record<HookEvent, HookHandler>> = {
  "session-start": sessionStart,
  prompt,
  stop,
  "subagent-stop": signOfLife,
  "task-completed": signOfLife,
  "teammate-idle": signOfLife,
  "session-end": sessionEnd,
  "pre-tool-use": preToolUse,
  "post-tool-use": postToolUse,
}

/**
 * A failure here never stops the session: it continues as without a hook, and a log has the reason. Only a write
 * that cannot be judged is refused, in a session that is in a team.
 */
export const hook = command({
  summary: "Answer a hook of an agent program, which sends JSON on standard input; the plugin sets it up",
  fields: {
    event: text("what happens, such as stop or pre-tool-use; the program's own name for it works too"),
    host: v.optional(choice(HOSTS, "the agent program"), "claude"),
    managed: v.optional(text("for the agent of a worker, before it uses a tool: the file that says what it may write")),
  },
  positional: ["event"],
  example: "teamwork hook stop < call.json",
  async run({ host, commands }, input) {
    if (input.managed !== undefined) return answerManaged({ host, commands }, input.event, input.managed)
    const printed = await answerHook(host, { host: input.host, event: input.event })
    if (printed !== "") host.io.out(printed)
    return { data: null, silent: true }
  },
})

interface Asked {
  readonly host: HostName
  readonly event: string
}

async function answerHook(host: Host, asked: Asked): Promise<string> {
  const program = getHost(asked.host)
  const event = program.eventOf(asked.event)
  if (event === undefined) return ""
  let call: HookCall | undefined
  try {
    call = program.read(event, objectOf(JSON.parse(await host.io.input())))
    // The session may be in a team.
    if (event === "pre-tool-use" && call.session === "") throw new Error("the call names no session")
    return program.write(call, await answerCall(host, call))
  } catch (error) {
    await logFailure(host, asked, error)
    const failed = call ?? program.read(event, {})
    return program.write(failed, answerUnjudged(host, failed))
  }
}

async function answerCall(host: Host, call: HookCall): Promise<HookAnswer> {
  const marker = readMarker(host.home, call.session)
  // Most sessions are in no team. Only their start checks whether there is one.
  if (marker === undefined && call.event !== "session-start") return NO_ANSWER
  await using session = openSession(host, marker ?? {})
  const configured = await session.configured()
  if (!(await configured.hasStore())) return NO_ANSWER
  const context = await session.context()
  const { store } = context
  const seat = marker === undefined ? null : ((await readSeat({ store }, call.session)) ?? null)
  if (marker !== undefined && seat === null) {
    // Keep the marker until the end: without it, the MCP server would treat a replaced session as a lead.
    if (call.event === "session-end" || !(await isTeamThere({ store }, marker))) removeMarker(host.home, call.session)
    return NO_ANSWER
  }
  // `await` keeps the store open until the handler is done.
  return await HANDLERS[call.event](call, { host, seat, configured, context, folder: marker?.folder ?? "" })
}

const MAX_LOG_BYTES = 1_000_000

/** Never fails: there is no one to report to. */
async function logFailure({ home, clock }: Host, { host, event }: Asked, error: unknown): Promise<void> {
  const path = `${home}/hooks.log`
  const why = oneLine(error instanceof Error ? error.message : String(error)).slice(0, 500)
  const line = `${new Date(clock.now()).toISOString()} ${host} ${oneLine(event).slice(0, 50)}: ${why}\n`
  try {
    if (Bun.file(path).size > MAX_LOG_BYTES) await Bun.write(path, line)
    else await appendFile(path, line)
  } catch {
    // The home may not exist.
  }
}

/**
 * Refuses a write that could not be judged in a session of a team: no answer would allow it. A call that cannot be
 * read may be such a write, if any session is in a team.
 */
function answerUnjudged({ home }: Host, { event, session, tool }: HookCall): HookAnswer {
  if (event !== "pre-tool-use" || !hasMarker(home, session)) return NO_ANSWER
  if (tool !== null && findWrite({ tool: tool.name, input: tool.input }) === undefined) return NO_ANSWER
  const reason =
    "teamwork cannot check whether you may write this, so it is refused. The reason is in hooks.log in its home. Try again, or leave the team: teamwork leave"
  return { kind: "deny", reason }
}
