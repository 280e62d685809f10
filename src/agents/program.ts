import type { Clock } from "../lib/clock.ts"
import type { Exit } from "../lib/process/live-process.ts"
import type { Account, Files, ReadAccount } from "./account.ts"
import type { AgentEventBody, AgentJob, AgentMessage, Capabilities, Reason } from "./port.ts"
import type { Models, ProgramFacts } from "./program-facts.ts"
import type { ServerProgram } from "./project-setup.ts"
import type { QuotaWindow } from "./quota.ts"

/** An agent program: how it is started and how its output reads. Both pure; the runner does the rest. */
export interface AgentProgram extends ProgramFacts {
  readonly command: readonly string[]
  readonly capabilities: Capabilities
  /** Arguments that make it tell its version. */
  readonly versionArgs: readonly string[]
  /** Variables it needs besides the common ones; a name may end in `*`. */
  readonly variables: readonly string[]
  /** How it reaches its model; left out where nobody has to log in, or where only the program itself knows. */
  readonly account?: ReadAccount
  /** The command that installs it; left out where there is no one command. */
  readonly install?: string
  /** The variables that give it another config folder, for a second account; left out where it has none. */
  profile?(folder: string): Readonly<Record<string, string>>
  launch(job: AgentJob, config: ProgramConfig): Launch
  /** Its own interactive session, for a person who takes over a job that can be resumed. Without it there is none. */
  open?(job: AgentJob, config: ProgramConfig): OpenLaunch
  translate(job: AgentJob, clock: Clock, settings?: ProgramConfig["settings"]): Translator
  /** For a program that tells its version and what it can only to whoever talks to it. */
  readonly probe?: (config: ProgramConfig) => Probe
}

/** A run without a job, for what the agent says about itself. */
export interface Probe {
  readonly launch: Launch
  readonly translator: Translator
  /** Undefined when it did not say, or nothing that we could use. */
  found(): { readonly version: string; readonly capabilities: Capabilities } | undefined
}

/** What configuration says about a program. */
export interface ProgramConfig {
  readonly command: readonly string[]
  readonly models: Models
  /** Added to every launch. */
  readonly args: readonly string[]
  /** Laid over the settings file that we make for it, where it has one; else what its translator knows of. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Some programs refuse to do everything without asking when they run as root. */
  readonly isRoot: boolean
  /** Of the user and of the project. */
  readonly files: Files
  readonly account: Account
  /** Whether it gets the user's own instructions, skills and MCP servers as well. */
  readonly hasUserExtras: boolean
  /** Whether a person agreed to a program that the project's files name. */
  readonly isAgreed: (program: ServerProgram) => boolean
  /** Our own command that judges a write before it happens. Without it nothing is written where files are owned. */
  readonly judgeWrite: readonly string[]
}

export interface Launch {
  readonly command: readonly string[]
  /** Added to the job's environment. */
  readonly env: Readonly<Record<string, string>>
  /** Written before the start, each under the job's state folder. */
  readonly files: Readonly<Record<string, string>>
  /**
   * Links in the state folder to what the user has elsewhere, such as a login; made only where that exists. Null for a
   * link that must not be there: an earlier run in the same folder may have made it.
   */
  readonly links: Readonly<Record<string, string | null>>
  /** Why it must not be started here, with the way out. */
  readonly whyNot?: string
  /** The text it finds on standard input, or null for none. */
  readonly input: string | null
  /** How a message for the running agent is written; null when it can take none. */
  readonly encodeMessage: ((message: AgentMessage) => EncodedMessage) | null
}

export interface OpenLaunch extends Omit<Launch, "input" | "encodeMessage"> {
  /** For a program that looks for a session by its folder: where the session may lie, and where it has to. */
  readonly carry?: { readonly from: string; readonly to: string }
}

export interface EncodedMessage {
  /** What `message_delivered` of the translator will call it. */
  readonly wireId: string
  readonly line: string
}

export interface Translator {
  /** Lines have no form: one that was too long to keep may be told without its middle. */
  readonly isPlainText?: boolean
  /** Whatever the line is, it does not throw. */
  line(text: string): readonly AgentEventBody[]
  /** For a program that tells some of it only on its error output. */
  stderr?(text: string): readonly AgentEventBody[]
  /** How often the model was asked so far. */
  turns(): number
  /** The agent has given its final word, for all we know. */
  isOver(): boolean
  /** Commands still run in the background, and the program would wait for them after its final word. */
  hasLeftovers?(): boolean
  end(exit: Exit, stderr: string): Outcome
  /** For a protocol in which both sides ask and answer. Its agent ends with its input, or is ended when it is over. */
  readonly dialogue?: Dialogue
}

export interface Dialogue {
  /** The lines that are to be written now; the runner asks whenever something may have made new ones. */
  takeReplies(): string
  /** Takes a message for the running agent; when and how it is written is up to the protocol. */
  message(message: AgentMessage): EncodedMessage
  /** Asks the agent, by the next replies, to stop what it does; false when there is nothing to stop. */
  cancel(): boolean
}

/** What the output says about how it went. */
export interface Outcome {
  readonly reason: Reason
  readonly retryAt: number | null
  readonly answer: string
  readonly structured: unknown
  readonly session: string | null
  readonly error: string
  /** What it said of its account's quota. */
  readonly quota?: readonly QuotaWindow[]
}
