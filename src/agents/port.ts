import type { Ownership } from "../ownership/judge-path.ts"
import type { ClaimPlace } from "../ownership/owned-files.ts"
import type { ModelTier } from "../planning/complexity/model-tier.ts"
import type { Effort } from "../tasks/effort.ts"
import type { QuotaWindow } from "./quota.ts"

/** One run of an agent, in the same form for every agent. Capabilities say what an agent cannot do. */
export interface AgentJob {
  readonly prompt: string
  /** For the script agent, which runs them in order. The others take the prompt. */
  readonly commands: readonly string[]
  readonly workspace: string
  /** For settings of the launch and data to resume. Kept as long as sessions are; one run at a time. */
  readonly stateFolder: string
  /** Null uses the configured model of the tier. */
  readonly model: string | null
  readonly tier: Tier
  readonly effort: Effort | null
  /** In the agent's own names. The tools of `mcpServers` are always allowed. */
  readonly allowedTools: readonly string[]
  readonly deniedTools: readonly string[]
  /** Null for no limit. Not every agent can enforce it by itself. */
  readonly ownership: Ownership | null
  /** A hook asks the store about this claim; the answer overrides `ownership`. */
  readonly claim?: ClaimPlace
  readonly mcpServers: Readonly<Record<string, McpServer>>
  readonly hooks: Hooks
  /** Null for free text. */
  readonly answerSchema: Readonly<Record<string, unknown>> | null
  /** For the end of free work. Agents that cannot write freely before it ignore it; text is accepted too. */
  readonly closingSchema?: Readonly<Record<string, unknown>>
  readonly resume: Session | null
  readonly permission: Permission
  readonly limits: Limits
  /** Complete, made by `buildEnvironment`. */
  readonly env: Readonly<Record<string, string>>
}

export type Tier = ModelTier

/**
 * `edit` writes files and uses the allowed tools, `full` does everything, `ask` only reads and uses the allowed
 * tools. Nothing asks a person during a run: what is not allowed is refused.
 */
export type Permission = "edit" | "full" | "ask"

export interface McpServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface Hooks {
  /** May deny a tool call. */
  readonly beforeTool?: string
  /** May send the agent back to work. */
  readonly beforeStop?: string
}

/** Null means no limit. */
export interface Limits {
  readonly turns: number | null
  readonly timeMs: number | null
  /** Input and output together. */
  readonly tokens: number | null
  readonly dollars: number | null
  /** On both streams. */
  readonly outputBytes: number | null
  /** The longest wait for the provider. 30 s by default. */
  readonly waitMs?: number | null
  /** The longest silence while no tool runs. 10 minutes by default. */
  readonly silenceMs?: number | null
  /** The same call with the same result, in a row. 5 by default. */
  readonly sameCalls?: number | null
}

/** Some agents continue counting from the usage so far. */
export interface Session {
  readonly id: string
  readonly usage: Usage
}

export interface Usage {
  /** Including cached tokens. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  /** Null when neither the agent nor our price table has a price. */
  readonly dollars: number | null
  /** Computed from tokens and a price. */
  readonly dollarsAreEstimated?: true
}

/** In order. `at` is the time of the machine that runs the agent. */
export type AgentEvent = { readonly at: number } & AgentEventBody

export interface Speech {
  readonly type: "text" | "reasoning"
  readonly text: string
  readonly part?: "first" | "next"
}

export type AgentEventBody =
  /** Once, before everything else. */
  | {
      readonly type: "started"
      readonly session: string | null
      readonly model: string | null
      readonly agentVersion: string | null
    }
  | Speech
  | ToolUse
  | { readonly type: "tool_result"; readonly id: string; readonly ok: boolean; readonly output: string }
  /** `isTotal`: of the run so far; otherwise add it. */
  | ({ readonly type: "usage"; readonly isTotal: boolean } & Usage)
  | Waiting
  /** A turn of the agent contained the message. */
  | { readonly type: "message_delivered"; readonly messageId: string }
  /** Foreign output may grow and must not break a run. */
  | { readonly type: "unknown"; readonly line: string }
  | { readonly type: "finished"; readonly result: AgentResult }

export interface ToolUse {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  /** Written files, relative to the workspace where they are inside. */
  readonly files: readonly string[]
  /** The beginning, as one line. */
  readonly input: string
  /** Equal for calls with equal arguments, where `input` is too short to compare. Not passed on. */
  readonly key?: string
}

/** The program cannot reach its model and retries by itself. */
export interface Waiting {
  readonly type: "waiting"
  readonly reason: Reason
  /** The next try, if known. */
  readonly until: number | null
  /** The earliest try that the provider allows, if known. */
  readonly retryAt: number | null
  readonly why: string
}

export type Reason =
  | "done"
  /** The model would not do it. */
  | "refused"
  /** The account has reached its limit for now. */
  | "rate-limited"
  /** HTTP 5xx, or too many requests of all users. */
  | "overloaded"
  | "unreachable"
  | "context-overflow"
  | "auth"
  /** The provider does not offer the model to this account. */
  | "unknown-model"
  /** The program gave up because a tool was not permitted. */
  | "permission"
  /** Our limit on money or tokens, or the account has no money. */
  | "budget"
  | "turn-limit"
  | "timed-out"
  | "hung"
  | "looping"
  | "cancelled"
  /** It ended with its own error, or without a result. */
  | "crashed"
  | "not-found"
  /** Unexpected output: no result, no structured answer, or too much. */
  | "protocol"

export interface AgentResult {
  readonly reason: Reason
  /** For `rate-limited` and `overloaded`, if known. */
  readonly retryAt: number | null
  readonly answer: string
  readonly structured: unknown
  readonly session: Session | null
  /** Of this run alone. */
  readonly usage: Usage
  readonly exitCode: number | null
  readonly signal: string | null
  /** Empty when done. */
  readonly error: string
  readonly durationMs: number
  readonly filesTouched: readonly string[]
  /** Of the account, where the agent reports it. */
  readonly quota?: readonly QuotaWindow[]
}

export interface Capabilities {
  readonly resume: boolean
  /** The agent enforces a schema; otherwise the prompt asks for it. */
  readonly structuredAnswer: boolean
  readonly mcp: boolean
  readonly hooks: boolean
  /** While it runs. */
  readonly messages: boolean
  readonly cost: boolean
}

export type Detection =
  | {
      readonly isAvailable: true
      readonly version: string
      /** Null when only a server knows. */
      readonly isLoggedIn: boolean | null
      /** Without secrets; empty where unknown. */
      readonly reach: string
      /** With advice for the user; null for nothing. */
      readonly missing: string | null
      readonly capabilities: Capabilities
    }
  | { readonly isAvailable: false; readonly why: string; readonly missing: string | null }

export interface AgentMessage {
  readonly id: string
  readonly text: string
}

export interface RunOptions {
  readonly signal?: AbortSignal
  /** In order. Reading stops while its promise is pending. */
  readonly onEvent?: (event: AgentEvent) => void | Promise<void>
  /** Variables that the agent does not get, but whose secrets may be in its prompt: masked like its own. */
  readonly secrets?: Readonly<Record<string, string | undefined>>
  /** Each printed line, masked, before its events. */
  readonly onLine?: (line: string, stream: "stdout" | "stderr") => void
  /**
   * The agent gets them at its next turn, or after the run by resuming its session as part of the same run.
   * `message_delivered` acknowledges each one; the others go with the next run.
   */
  readonly messages?: AsyncIterable<AgentMessage>
}

export interface Agent {
  readonly name: string
  /** Changes when the program or its login is added, replaced or removed. Starts nothing; null without a program. */
  fingerprint(env: Readonly<Record<string, string>>): string | null
  detect(env: Readonly<Record<string, string>>): Promise<Detection>
  /**
   * Never rejects for a failure of the agent: the result holds it, and the last event is `finished` with that
   * result. When the promise resolves, no process of the run is left. Secrets are masked everywhere.
   */
  run(job: AgentJob, options?: RunOptions): Promise<AgentResult>
  /** Opens the session of `resume` in a terminal; null where the program cannot. */
  open?(job: AgentJob): OpenedAgent | null
}

export interface OpenedAgent {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
}
