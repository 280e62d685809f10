import type { Configured, Host } from "../../app/host.ts"
import type { Seat } from "../../sessions/seat.ts"
import type { Context } from "../../store/operation.ts"

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

export interface HookCall {
  readonly event: HookEvent
  readonly host: HostName
  /** Empty when the host does not say. */
  readonly session: string
  readonly cwd: string
  readonly tool: HookTool | null
  /** At a stop: whether a hook already kept the session running; null when the host does not say. */
  readonly isHeldBack: boolean | null
  /** At a stop: the agent's last text. */
  readonly lastText: string
  readonly prompt: string
  readonly raw: Readonly<Record<string, unknown>>
}

export interface HookTool {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** Empty when the host does not number tool uses. */
  readonly id: string
  readonly response: unknown
}

export type HookAnswer =
  | { readonly kind: "none" }
  | { readonly kind: "context"; readonly text: string }
  /** The session continues; the reason is what to do next. */
  | { readonly kind: "goOn"; readonly reason: string }
  /** The reason says what to do instead of using the tool. */
  | { readonly kind: "deny"; readonly reason: string }

export const NO_ANSWER: HookAnswer = { kind: "none" }

const PLACES: Readonly<Record<HookAnswer["kind"], readonly HookEvent[]>> = {
  none: [],
  context: ["session-start", "prompt", "post-tool-use"],
  goOn: ["stop", "subagent-stop"],
  deny: ["pre-tool-use"],
}

export function hasPlace(event: HookEvent, { kind }: HookAnswer): boolean {
  return PLACES[kind].includes(event)
}

export interface HookHost {
  eventOf(name: string): HookEvent | undefined
  read(event: HookEvent, raw: Readonly<Record<string, unknown>>): HookCall
  /** For standard output; empty where the host does not support the answer. */
  write(call: Pick<HookCall, "event">, answer: HookAnswer): string
}

export interface HookScene {
  readonly host: Host
  /** Null for a session that is in no team. */
  readonly seat: Seat | null
  readonly configured: Configured
  /** Where the session joined; empty before that. */
  readonly folder: string
  readonly context: Context
}

export type HookHandler = (call: HookCall, scene: HookScene) => Promise<HookAnswer>
