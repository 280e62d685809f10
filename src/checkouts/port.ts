import type { SetupStep } from "./plan-setup.ts"
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
  /** Whether a checkout still has what its set-up of this tree gave it, and nothing else installed. */
  isAsSetUp(files: SetupFiles, folder: string, record: SetupRecord | undefined): Promise<boolean>
}

/** What would be done in a repository, for people: preflight, trust and `doctor` show it. */
export interface SetupReport {
  /** `command`: `workspace.setup` says what to run. `off`: nothing is done. */
  readonly mode: "automatic" | "command" | "off"
  readonly command: string | null
  readonly units: readonly UnitReport[]
  /** Every program that may be started. */
  readonly steps: readonly SetupStep[]
  /** Files that git ignores, that a project usually needs, and that `workspace.copy` does not name. */
  readonly neededIgnored: readonly string[]
}

export interface UnitReport {
  /** `npm (package-lock.json)` */
  readonly name: string
  readonly folder: string
  readonly tool: string
  readonly isToolInstalled: boolean
  /** Where the dependencies would come from; `missing` where nothing can be done. */
  readonly source: "cache" | "checkout" | "tool" | "missing"
  readonly command: string
  /** Whether it lies in the checkout; cargo and go keep it elsewhere. */
  readonly isInCheckout: boolean
}
