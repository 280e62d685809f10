import type { Configured, Host } from "../../app/host.ts"
import type { Seat } from "../../sessions/seat.ts"
import type { Context } from "../../store/operation.ts"

/** The moments of a session at which agent programs call us. */
export const HOOK_EVENTS = [
  "session-start",
  "prompt",
  "pre-tool-use",
  "post-tool-use",
  "stop",
  "subagent-stop",
  "task-completed",
  "teammate-idle",
  "session-end",
] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

export const HOSTS = ["claude", "codex", "gemini", "opencode"] as const
export type HostName = (typeof HOSTS)[number]

/** One call, in our words. */
export interface HookCall {
  readonly event: HookEvent
  readonly host: HostName
  /** Empty when the host does not say. */
  readonly session: string
  readonly cwd: string
  /** Before and after the use of a tool. */
  readonly tool: HookTool | null
  /** At a stop: whether a hook already kept the session from ending; null when the host does not say. */
  readonly isHeldBack: boolean | null
  /** At a stop: the agent's last text. */
  readonly lastText: string
  /** What the person typed. */
  readonly prompt: string
  /** The whole call, as the host sent it. */
  readonly raw: Readonly<Record<string, unknown>>
}

export interface HookTool {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** Of this use; empty when the host does not number them. */
  readonly id: string
  /** The result, after the use. */
  readonly response: unknown
}

export type HookAnswer =
  | { readonly kind: "none" }
  /** Text for the agent. */
  | { readonly kind: "context"; readonly text: string }
  /** The session does not stop; the reason is what to do next. */
  | { readonly kind: "goOn"; readonly reason: string }
  /** The tool is not used; the reason is what to do instead. */
  | { readonly kind: "deny"; readonly reason: string }

export const NO_ANSWER: HookAnswer = { kind: "none" }

const PLACES: Readonly<Record<HookAnswer["kind"], readonly HookEvent[]>> = {
  none: [],
  context: ["session-start", "prompt", "post-tool-use"],
  goOn: ["stop", "subagent-stop"],
  deny: ["pre-tool-use"],
}

/** Hosts support each answer at some events only. */
export function hasPlace(event: HookEvent, { kind }: HookAnswer): boolean {
  return PLACES[kind].includes(event)
}

/** The format of an agent program's calls and of the answers to them. */
export interface HookHost {
  /** Our name of an event of the program. */
  eventOf(name: string): HookEvent | undefined
  read(event: HookEvent, raw: Readonly<Record<string, unknown>>): HookCall
  /** What goes to standard output; empty where the host does not support the answer. */
  write(call: Pick<HookCall, "event">, answer: HookAnswer): string
}

/** What a handler works with. */
export interface HookScene {
  readonly host: Host
  /** Null for a session that takes part in no team. */
  readonly seat: Seat | null
  readonly configured: Configured
  /** Where the session joined, which tells its repository; empty where it has not joined. */
  readonly folder: string
  readonly context: Context
}

export type HookHandler = (call: HookCall, scene: HookScene) => Promise<HookAnswer>
