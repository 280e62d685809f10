import type { ModelTier } from "../planning/complexity/model-tier.ts"
import type { WorkKind } from "../planning/complexity/work-kind.ts"

/**
 * What the rest of teamwork knows about an agent program. Plain data, so that every command can read it without loading
 * the code that runs the program (`program.ts` beside it).
 */
export interface ProgramFacts {
  readonly name: string
  /** The name people know it by. */
  readonly title: string
  /** An empty name leaves the choice to the program. */
  readonly models: Models
  /** Rows as in the setting `agents.prices`: MODEL=INPUT/CACHED/OUTPUT@DATE. */
  readonly prices: readonly string[]
  /**
   * The default of `agents.NAME.promptLimit`, in characters: at four characters a token about a tenth of the context, so
   * that the rest is left for code. Null for a program that reads no prompt; it is never chosen for a task by its text.
   */
  readonly promptLimit: number | null
  /** Left out where no login is needed, or only the program knows how. */
  readonly login?: Login
  /** What the folder of a profile holds, for the help of `agents.NAME.profiles`; left out where it has no profiles. */
  readonly profileFolder?: string
  /** There is no program of this name: `agents.NAME.command` names one. */
  readonly isNamedBySetting?: true
  /** A setting chooses its mode for each permission. */
  readonly hasModes?: true
  readonly routing: Routing
  /** The permission `ask` keeps it from writing, so it may review, plan and do QA. */
  readonly canJudge: boolean
  readonly tools: ProgramTools
  /** Takes the `closingSchema` of a job: it constrains the end of the answer, and nothing said before. */
  readonly closesBySchema?: true
  /** The files of a project that name MCP servers for it, and the key they stand under. */
  readonly serverFiles: readonly ServerFile[]
}

export type Models = Readonly<Record<ModelTier, string>>

export interface Login {
  /** What a person types. */
  readonly command: string
  /** What to do inside the command; left out where it asks by itself. */
  readonly step?: string
  /** What to set instead of logging in. */
  readonly key: string
  /** The variable that leads the command to the folder of a profile. */
  readonly folderVariable: string
}

export interface Routing {
  readonly domain?: "backend" | "frontend"
  readonly kinds: readonly WorkKind[]
  /** How much it can read; left out where no limit is known. */
  readonly contextTokens?: number
  /** Takes tasks that no other program suits better. */
  readonly isGeneral?: true
}

/** Its own names for its tools. */
export interface ProgramTools {
  /** Those that write files. */
  readonly writing: readonly string[]
  /** Those that run a line in a shell. */
  readonly shell: readonly string[]
  /** A command that ends with another code than 0 is reported as a failed call. */
  readonly reportsExitCode?: true
}

export interface ServerFile {
  readonly path: string
  readonly key: string
}
