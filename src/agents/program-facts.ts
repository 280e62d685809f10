import type { ModelTier } from "../planning/complexity/model-tier.ts"
import type { WorkKind } from "../planning/complexity/work-kind.ts"

/**
 * Plain data about an agent program, so that commands can read it without loading the code that runs the program
 * (`program.ts` beside it).
 */
export interface ProgramFacts {
  readonly name: string
  readonly title: string
  /** An empty name lets the program choose. */
  readonly models: Models
  /** Rows as in the setting `agents.prices`: MODEL=INPUT/CACHED/OUTPUT@DATE. */
  readonly prices: readonly string[]
  /**
   * The default of `agents.NAME.promptLimit`, in characters: at four characters a token about a tenth of the
   * context, which leaves the rest for code. Null for a program that reads no prompt; the text of a task never
   * selects it.
   */
  readonly promptLimit: number | null
  /** Left out where no login is needed, or only the program can log in. */
  readonly login?: Login
  /** Shown in the help of `agents.NAME.profiles`; left out without profiles. */
  readonly profileFolder?: string
  /** `agents.NAME.command` names the program. */
  readonly isNamedBySetting?: true
  /** A setting maps each permission to a mode. */
  readonly hasModes?: true
  readonly routing: Routing
  /** The permission `ask` prevents writing, so it may review, plan and do QA. */
  readonly canJudge: boolean
  readonly tools: ProgramTools
  /** Takes the `closingSchema` of a job: it constrains only the end of the answer. */
  readonly closesBySchema?: true
  /** Files of a project with MCP servers for it, and their key. */
  readonly serverFiles: readonly ServerFile[]
}

export type Models = Readonly<Record<ModelTier, string>>

export interface Login {
  readonly command: string
  /** Inside the command; left out where the command asks. */
  readonly step?: string
  /** The alternative to a login. */
  readonly key: string
  /** Points the command to the folder of a profile. */
  readonly folderVariable: string
}

export interface Routing {
  readonly domain?: "backend" | "frontend"
  readonly kinds: readonly WorkKind[]
  /** Left out where no limit is known. */
  readonly contextTokens?: number
  /** Takes tasks that suit no other program better. */
  readonly isGeneral?: true
}

export interface ProgramTools {
  readonly writing: readonly string[]
  readonly shell: readonly string[]
  /** A command with an exit code other than 0 is reported as a failed call. */
  readonly reportsExitCode?: true
}

export interface ServerFile {
  readonly path: string
  readonly key: string
}
