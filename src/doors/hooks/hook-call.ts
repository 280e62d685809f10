/** What an agent program tells of while a session runs. */
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

/** One such call, in our words. */
export interface HookCall {
  readonly event: HookEvent
  readonly host: HostName
  /** The id of the session; empty when the host did not say. */
  readonly session: string
  /** The folder the session works in. */
  readonly cwd: string
  /** Before and after the use of a tool. */
  readonly tool: HookTool | null
  /** At a stop: whether the session goes on only because a hook kept it from ending; null where the host does not say. */
  readonly isHeldBack: boolean | null
  /** At a stop: what the agent said last. */
  readonly lastText: string
  /** What the person typed. */
  readonly prompt: string
  /** All of it, in the host's words. */
  readonly raw: Readonly<Record<string, unknown>>
}

export interface HookTool {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** Of this one use; empty when the host does not number them. */
  readonly id: string
  /** What came of it, after the use. */
  readonly response: unknown
}

/** What we say to it. */
export type HookAnswer =
  | { readonly kind: "none" }
  /** For the agent to know. */
  | { readonly kind: "context"; readonly text: string }
  /** A stop is held back; the reason is what to do next. */
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

/** Hosts take each answer at some events only, and what they make of it at others is anybody's guess. */
export function hasPlace(event: HookEvent, { kind }: HookAnswer): boolean {
  return PLACES[kind].includes(event)
}

/** How an agent program words its calls, and reads our answers. */
export interface HookHost {
  /** Our name of the event that the program calls so. */
  eventOf(name: string): HookEvent | undefined
  read(event: HookEvent, raw: Readonly<Record<string, unknown>>): HookCall
  /** What goes to standard output; empty for nothing, and for what the host has no word for. */
  write(call: Pick<HookCall, "event">, answer: HookAnswer): string
}
