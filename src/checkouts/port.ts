import type { SetupFiles } from "./setup-unit.ts"

/** What an automatic set-up left in a checkout; kept with the worktree, so that the next attempt can go on with it. */
export interface SetupRecord {
  readonly units: readonly {
    readonly key: string
    /** Folders from the top of the checkout. */
    readonly places: readonly string[]
    /** How the places looked afterwards. */
    readonly state: string
  }[]
}

export interface SetupOutcome {
  readonly record: SetupRecord
  /** The file with everything that was printed; null where no program ran. */
  readonly log: string | null
  /** What a person should know, such as a tool that is not installed. */
  readonly notes: readonly string[]
  /** Whether a program of the repository ran, which may have written anywhere. */
  readonly hasRun: boolean
}

export interface SetupRequest {
  /** The checkout, at its commit. */
  readonly folder: string
  readonly log: string
  /** Of the attempt before, if its places are still there. */
  readonly earlier?: SetupRecord
}

/**
 * `same`: just what a fresh checkout would have. `outdated`: set up for other lock files than the tree has by now.
 * `unknown`: not set up by us, or changed since.
 */
export type SetupState = "same" | "outdated" | "unknown"

export type Environment = Readonly<Record<string, string | undefined>>

/** Makes checkouts ready to work in. */
export interface CheckoutSetup {
  /**
   * Installs what the files of the checkout ask for: from the user's checkout, from our cache, by the tool. Throws
   * `workspace.setup_failed` with the last lines. A tool that is missing is a note, not an error.
   */
  setUp(request: SetupRequest): Promise<SetupOutcome>
  /** Reserves ports for a checkout; safe to repeat. */
  reservePorts(folder: string): Promise<void>
  /**
   * The environment for programs in a checkout: its own Python environment and ports, and nothing of the user's checkout.
   * `inside` is the folder in it that they work in.
   */
  surround<E extends Environment>(env: E, folder: string, inside?: string): E
  /** What set-up would make of a tree: with another one commands may end otherwise. */
  describe(files: SetupFiles): Promise<string>
  /** How what is installed in a checkout stands to what a fresh one of this tree would have. */
  compare(files: SetupFiles, folder: string, record: SetupRecord | undefined): Promise<SetupState>
}
