import type { Configured, Host } from "../../app/host.ts"
import type { Seat } from "../../sessions/seat.ts"
import type { Context } from "../../store/operation.ts"
import type { HookAnswer, HookCall } from "./hook-call.ts"

/** What a handler may go by. */
export interface HookScene {
  readonly host: Host
  /** Null where the session takes part in no team. */
  readonly seat: Seat | null
  readonly configured: Configured
  /** Where the session joined, by which its repository is known; empty where it has not. */
  readonly folder: string
  readonly context: Context
}

export type HookHandler = (call: HookCall, scene: HookScene) => Promise<HookAnswer>
