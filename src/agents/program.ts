import type { Clock } from "../lib/clock.ts"
import type { Exit } from "../lib/process/live-process.ts"
import type { Account, Files, ReadAccount } from "./account.ts"
import type { AgentEventBody, AgentJob, AgentMessage, Capabilities, Reason } from "./port.ts"
import type { Models, ProgramFacts } from "./program-facts.ts"
import type { ServerProgram } from "./project-setup.ts"
import type { QuotaWindow } from "./quota.ts"

/** How to start an agent program and read its output. Both pure; the runner does the rest. */
export interface AgentProgram extends ProgramFacts {
  readonly command: readonly string[]
  readonly capabilities: Capabilities
  readonly versionArgs: readonly string[]
  /** Besides the common ones; a name may end in `*`. */
  readonly variables: readonly string[]
  /** Left out where no login is needed, or only the program checks it. */
  readonly account?: ReadAccount
  /** A command, if there is one. */
  readonly install?: string
  /** Variables that select another config folder. */
  profile?(folder: string): Readonly<Record<string, string>>
  launch(job: AgentJob, config: ProgramConfig): Launch
  /** Interactive, for a person who takes over a job. */
  open?(job: AgentJob, config: ProgramConfig): OpenLaunch
  translate(job: AgentJob, clock: Clock, settings?: ProgramConfig["settings"]): Translator
  /** For a program that reports its version and capabilities only in its protocol. */
  readonly probe?: (config: ProgramConfig) => Probe
}

/** A run without a job that asks the agent about itself. */
export interface Probe {
  readonly launch: Launch
  readonly translator: Translator
  /** Undefined without a usable answer. */
  found(): { readonly version: string; readonly capabilities: Capabilities } | undefined
}

export interface ProgramConfig {
  readonly command: readonly string[]
  readonly models: Models
  /** Added to every launch. */
  readonly args: readonly string[]
  /** Override the settings file that we write, or control the translator. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Some programs refuse the permission `full` as root. */
  readonly isRoot: boolean
  readonly files: Files
  readonly account: Account
  /** Pass on the user's own instructions, skills and MCP servers. */
  readonly hasUserExtras: boolean
  /** Whether a person agreed to a program that the project's files name. */
  readonly isAgreed: (program: ServerProgram) => boolean
  /** Our command that checks a write before it happens. Without it, owned files cannot be written. */
  readonly judgeWrite: readonly string[]
}

export interface Launch {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** In the job's state folder, before the start. */
  readonly files: Readonly<Record<string, string>>
  /** From the state folder to files of the user, such as a login. Null removes a link of an earlier run. */
  readonly links: Readonly<Record<string, string | null>>
  /** Why it must not start here, with advice for the user. */
  readonly whyNot?: string
  readonly input: string | null
  /** For the running agent; null when it takes no messages. */
  readonly encodeMessage: ((message: AgentMessage) => EncodedMessage) | null
}

export interface OpenLaunch extends Omit<Launch, "input" | "encodeMessage"> {
  /** For a program that finds a session by its folder: where the session may be, and where it must be. */
  readonly carry?: { readonly from: string; readonly to: string }
}

export interface EncodedMessage {
  /** As in `message_delivered` of the translator. */
  readonly wireId: string
  readonly line: string
}

export interface Translator {
  /** A line that is too long may be shown without its middle. */
  readonly isPlainText?: boolean
  /** Never throws. */
  line(text: string): readonly AgentEventBody[]
  /** For a program that reports something only on its error output. */
  stderr?(text: string): readonly AgentEventBody[]
  /** Model calls so far. */
  turns(): number
  /** The agent gave its final answer. */
  isOver(): boolean
  /** Commands still run in the background, and the program would wait for them. */
  hasLeftovers?(): boolean
  end(exit: Exit, stderr: string): Outcome
  /** For a protocol with requests in both directions. Its agent ends with its input, or we end it. */
  readonly dialogue?: Dialogue
}

export interface Dialogue {
  takeReplies(): string
  /** The protocol decides when to write it. */
  message(message: AgentMessage): EncodedMessage
  /** The next replies ask the agent to stop; false when nothing runs. */
  cancel(): boolean
}

export interface Outcome {
  readonly reason: Reason
  readonly retryAt: number | null
  readonly answer: string
  readonly structured: unknown
  readonly session: string | null
  readonly error: string
  readonly quota?: readonly QuotaWindow[]
}
