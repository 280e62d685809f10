import type { Clock } from "../lib/clock.ts"
import type { Exit } from "../lib/process/live-process.ts"
import type { Account, Files, ReadAccount } from "./account.ts"
import type { AgentEventBody, AgentJob, AgentMessage, Capabilities, Reason } from "./port.ts"
import type { Models, ProgramFacts } from "./program-facts.ts"
import type { ServerProgram } from "./project-setup.ts"
import type { QuotaWindow } from "./quota.ts"

/** How an agent program is started and how its output is read. Both pure; the runner does the rest. */
export interface AgentProgram extends ProgramFacts {
  readonly command: readonly string[]
  readonly capabilities: Capabilities
  /** Arguments that print its version. */
  readonly versionArgs: readonly string[]
  /** Variables besides the common ones; a name may end in `*`. */
  readonly variables: readonly string[]
  /** How it reaches its model; left out where it needs no login, or only it knows. */
  readonly account?: ReadAccount
  /** The command that installs it, if there is one. */
  readonly install?: string
  /** The variables that give it another config folder, for a profile. */
  profile?(folder: string): Readonly<Record<string, string>>
  launch(job: AgentJob, config: ProgramConfig): Launch
  /** Opens its interactive session for a person who takes over a job. */
  open?(job: AgentJob, config: ProgramConfig): OpenLaunch
  translate(job: AgentJob, clock: Clock, settings?: ProgramConfig["settings"]): Translator
  /** For a program that reports its version and capabilities only in its protocol. */
  readonly probe?: (config: ProgramConfig) => Probe
}

/** A run without a job, which asks the agent about itself. */
export interface Probe {
  readonly launch: Launch
  readonly translator: Translator
  /** Undefined when it did not answer in a way we can use. */
  found(): { readonly version: string; readonly capabilities: Capabilities } | undefined
}

/** The configuration of a program. */
export interface ProgramConfig {
  readonly command: readonly string[]
  readonly models: Models
  /** Added to every launch. */
  readonly args: readonly string[]
  /** Override the settings file that we write, or are read by its translator. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Some programs refuse the permission `full` as root. */
  readonly isRoot: boolean
  readonly files: Files
  readonly account: Account
  /** It also gets the user's own instructions, skills and MCP servers. */
  readonly hasUserExtras: boolean
  /** A person agreed to a program that the project's files name. */
  readonly isAgreed: (program: ServerProgram) => boolean
  /** Our command that judges a write before it happens. Without it, owned files cannot be written. */
  readonly judgeWrite: readonly string[]
}

export interface Launch {
  readonly command: readonly string[]
  /** Added to the job's environment. */
  readonly env: Readonly<Record<string, string>>
  /** Written before the start, in the job's state folder. */
  readonly files: Readonly<Record<string, string>>
  /** Links in the state folder to existing files of the user, such as a login. Null removes a link of an earlier run. */
  readonly links: Readonly<Record<string, string | null>>
  /** Why it must not be started here, with the way out. */
  readonly whyNot?: string
  /** For standard input. */
  readonly input: string | null
  /** How to write a message for the running agent; null when it takes none. */
  readonly encodeMessage: ((message: AgentMessage) => EncodedMessage) | null
}

export interface OpenLaunch extends Omit<Launch, "input" | "encodeMessage"> {
  /** For a program that finds a session by its folder: where the session may be, and where it must be. */
  readonly carry?: { readonly from: string; readonly to: string }
}

export interface EncodedMessage {
  /** The id in `message_delivered` of the translator. */
  readonly wireId: string
  readonly line: string
}

export interface Translator {
  /** Lines have no form, so a line that is too long may be shown without its middle. */
  readonly isPlainText?: boolean
  /** Never throws. */
  line(text: string): readonly AgentEventBody[]
  /** For a program that reports something only on its error output. */
  stderr?(text: string): readonly AgentEventBody[]
  /** Model calls so far. */
  turns(): number
  /** The agent has given its final word. */
  isOver(): boolean
  /** Commands still run in the background, and the program would wait for them. */
  hasLeftovers?(): boolean
  end(exit: Exit, stderr: string): Outcome
  /** For a protocol with requests in both directions. Its agent ends with its input, or is ended. */
  readonly dialogue?: Dialogue
}

export interface Dialogue {
  /** The lines to write now. */
  takeReplies(): string
  /** Takes a message for the running agent; the protocol decides when to write it. */
  message(message: AgentMessage): EncodedMessage
  /** Asks the agent to stop by the next replies; false when there is nothing to stop. */
  cancel(): boolean
}

/** What the output says about the run. */
export interface Outcome {
  readonly reason: Reason
  readonly retryAt: number | null
  readonly answer: string
  readonly structured: unknown
  readonly session: string | null
  readonly error: string
  readonly quota?: readonly QuotaWindow[]
}
