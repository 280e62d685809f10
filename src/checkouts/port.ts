import * as v from "valibot"
import type { SetupFiles } from "./setup-unit.ts"

/** What an automatic set-up installed; kept with the worktree for the next attempt. */
export const SetupRecord = v.object({
  units: v.array(
    v.object({
      key: v.string(),
      /** Relative to the top of the checkout. */
      places: v.array(v.string()),
      state: v.string(),
    }),
  ),
})
export type SetupRecord = v.InferOutput<typeof SetupRecord>

export interface SetupOutcome {
  readonly record: SetupRecord
  /** Output file; null if no program ran. */
  readonly log: string | null
  /** Warnings, such as a missing tool. */
  readonly notes: readonly string[]
  /** A program that ran may have written anywhere. */
  readonly hasRun: boolean
}

export interface SetupRequest {
  readonly folder: string
  readonly log: string
  /** From the attempt before. */
  readonly earlier?: SetupRecord
}

/**
 * `same`: as in a fresh checkout. `outdated`: set up for other lock files. `unknown`: not set up by us, or changed
 * since.
 */
export type SetupState = "same" | "outdated" | "unknown"

export type Environment = Readonly<Record<string, string | undefined>>

export interface CheckoutSetup {
  /** Throws `workspace.setup_failed` with the last lines of output. A missing tool is a note, not an error. */
  setUp(request: SetupRequest): Promise<SetupOutcome>
  /** Idempotent. */
  reservePorts(folder: string): Promise<void>
  /**
   * The environment for programs in `inside`: the checkout's Python environment and ports, and nothing of the
   * user's checkout.
   */
  surround<E extends Environment>(env: E, folder: string, inside?: string): E
  /** If the text differs, commands may behave differently. */
  describe(files: SetupFiles): Promise<string>
  compare(files: SetupFiles, folder: string, record: SetupRecord | undefined): Promise<SetupState>
}
