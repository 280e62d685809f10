import * as v from "valibot"
import type { SetupFiles } from "./setup-unit.ts"

/** What an automatic set-up installed in a checkout; kept with the worktree for the next attempt. */
export const SetupRecord = v.object({
  units: v.array(
    v.object({
      key: v.string(),
      /** Folders, relative to the top of the checkout. */
      places: v.array(v.string()),
      /** The state of the places after the installation. */
      state: v.string(),
    }),
  ),
})
export type SetupRecord = v.InferOutput<typeof SetupRecord>

export interface SetupOutcome {
  readonly record: SetupRecord
  /** The file with the output; null if no program ran. */
  readonly log: string | null
  /** Warnings, such as a missing tool. */
  readonly notes: readonly string[]
  /** Whether a program ran, which may have written anywhere. */
  readonly hasRun: boolean
}

export interface SetupRequest {
  /** The checkout, at its commit. */
  readonly folder: string
  readonly log: string
  /** Of the attempt before. */
  readonly earlier?: SetupRecord
}

/**
 * `same`: what a fresh checkout would have. `outdated`: set up for other lock files. `unknown`: not set up by us, or changed
 * since.
 */
export type SetupState = "same" | "outdated" | "unknown"

export type Environment = Readonly<Record<string, string | undefined>>

export interface CheckoutSetup {
  /**
   * Installs what the files of the checkout require. Throws `workspace.setup_failed` with the last lines of output. A missing
   * tool is a note, not an error.
   */
  setUp(request: SetupRequest): Promise<SetupOutcome>
  /** Reserves ports for a checkout. Idempotent. */
  reservePorts(folder: string): Promise<void>
  /**
   * The environment for programs in a checkout: its Python environment and ports, and nothing of the user's checkout.
   * `inside` is the folder that they work in.
   */
  surround<E extends Environment>(env: E, folder: string, inside?: string): E
  /** What a set-up would install for a tree. If the text differs, commands may behave differently. */
  describe(files: SetupFiles): Promise<string>
  /** Compares what is installed in a checkout with what a fresh one of this tree would have. */
  compare(files: SetupFiles, folder: string, record: SetupRecord | undefined): Promise<SetupState>
}
