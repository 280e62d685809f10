import type { Ownership } from "../ownership/judge-path.ts"
import type { ClaimPlace } from "../ownership/owned-files.ts"
import type { ModelTier } from "../planning/complexity/model-tier.ts"
import type { Effort } from "../tasks/effort.ts"
import type { QuotaWindow } from "./quota.ts"

/** What one run of an agent is asked to do. The same for every agent; capabilities say what an agent cannot do. */
export interface AgentJob {
  readonly prompt: string
  /** For the script agent, which runs them one after the other. The others take the prompt. */
  readonly commands: readonly string[]
  /** The folder the agent works in. */
  readonly workspace: string
  /** Holds settings of the launch and what the agent needs to resume. Kept as long as sessions are; one run at a time. */
  readonly stateFolder: string
  /** Null takes the configured model of the tier. */
  readonly model: string | null
  readonly tier: Tier
  readonly effort: Effort | null
  /** In the agent's own names. The tools of `mcpServers` need not be listed. */
  readonly allowedTools: readonly string[]
  readonly deniedTools: readonly string[]
  /** Who may write which files while it runs; null for no limit. Not every agent can enforce it by itself. */
  readonly ownership: Ownership | null
  /** The claim it works under. A hook asks the store about it, whose answer goes before `ownership`. */
  readonly claim?: ClaimPlace
  readonly mcpServers: Readonly<Record<string, McpServer>>
  readonly hooks: Hooks
  /** JSON schema of the answer, or null for free text. */
  readonly answerSchema: Readonly<Record<string, unknown>> | null
  /** JSON schema for the end of free work. Agents that cannot speak freely before ignore it; text is accepted too. */
  readonly closingSchema?: Readonly<Record<string, unknown>>
  /** The session to go on with. */
  readonly resume: Session | null
  readonly permission: Permission
  readonly limits: Limits
  /** The whole environment, made by `buildEnvironment`. */
  readonly env: Readonly<Record<string, string>>
}

export type Tier = ModelTier

/**
 * `edit` writes files and uses the allowed tools, `full` does everything, `ask` only reads and uses the allowed tools.
 * No person is asked while it runs: what is not allowed is refused.
 */
export type Permission = "edit" | "full" | "ask"

export interface McpServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Shell commands that get a description of the moment on standard input. */
export interface Hooks {
  /** Before each use of a tool; may deny it. */
  readonly beforeTool?: string
  /** When the agent wants to end; may send it back to work. */
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
  /** How long it may wait for its provider. 30 s by default. */
  readonly waitMs?: number | null
  /** How long it may be silent while none of its tools runs. 10 minutes by default. */
  readonly silenceMs?: number | null
  /** How often in a row it may make the same call with the same result. 5 by default. */
  readonly sameCalls?: number | null
}

/** An agent's conversation and its usage so far: some agents go on counting from there. */
export interface Session {
  readonly id: string
  readonly usage: Usage
}

export interface Usage {
  /** With what came from a cache. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  /** Null when neither the agent nor our price table knows. */
  readonly dollars: number | null
  /** We computed the dollars from tokens and a price. */
  readonly dollarsAreEstimated?: true
}

/** What happened in a run, in order. `at` is the time of the machine that runs the agent. */
export type AgentEvent = { readonly at: number } & AgentEventBody

/** `part` of a text that comes in pieces: `first`, or `next` where the last one ended. */
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
  /** `isTotal`: of the run so far; otherwise to be added. */
  | ({ readonly type: "usage"; readonly isTotal: boolean } & Usage)
  | Waiting
  /** A turn of the agent contained the message. */
  | { readonly type: "message_delivered"; readonly messageId: string }
  /** A line that we do not know: foreign output may grow and must not break a run. */
  | { readonly type: "unknown"; readonly line: string }
  | { readonly type: "finished"; readonly result: AgentResult }

export interface ToolUse {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  /** The files it writes, relative to the workspace where they are inside. */
  readonly files: readonly string[]
  /** The beginning of its input, as one line. */
  readonly input: string
  /** Equal for calls with equal arguments, where `input` does not tell them apart. Not passed on. */
  readonly key?: string
}

/** The program cannot reach its model and tries again by itself. */
export interface Waiting {
  readonly type: "waiting"
  readonly reason: Reason
  /** When it tries again; null when it does not say. */
  readonly until: number | null
  /** When the provider may be asked again, if it said so. */
  readonly retryAt: number | null
  /** In the program's words. */
  readonly why: string
}

export type Reason =
  | "done"
  /** The model would not do it. */
  | "refused"
  /** The account has used up its limit for now. */
  | "rate-limited"
  /** The model's server fails: HTTP 5xx, or too many requests from everybody. */
  | "overloaded"
  /** The model's server cannot be reached: no network, or a wrong address. */
  | "unreachable"
  | "context-overflow"
  /** Not logged in, or an invalid key. */
  | "auth"
  /** The provider has no such model for this account. */
  | "unknown-model"
  /** The program gave up because a tool was not permitted. */
  | "permission"
  /** Our limit on money or tokens, or the account has no money. */
  | "budget"
  | "turn-limit"
  | "timed-out"
  /** It was silent for too long. */
  | "hung"
  /** It made the same call again and again. */
  | "looping"
  | "cancelled"
  /** It ended with an error of its own, or without a result. */
  | "crashed"
  | "not-found"
  /** Its output is not what we expect: no result, no structured answer, or too much. */
  | "protocol"

export interface AgentResult {
  readonly reason: Reason
  /** When to try again, for `rate-limited` and `overloaded`, if known. */
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
  /** The quota of its account, where it reports one. */
  readonly quota?: readonly QuotaWindow[]
}

export interface Capabilities {
  readonly resume: boolean
  /** The agent enforces a schema; otherwise the prompt asks for it. */
  readonly structuredAnswer: boolean
  readonly mcp: boolean
  readonly hooks: boolean
  /** It takes messages while it runs. */
  readonly messages: boolean
  readonly cost: boolean
}

export type Detection =
  | {
      readonly isAvailable: true
      readonly version: string
      /** Null when only a server knows. */
      readonly isLoggedIn: boolean | null
      /** How it reaches its model, without secrets; empty where that is not known. */
      readonly reach: string
      /** What is missing before it can work, with the way out; null for nothing. */
      readonly missing: string | null
      readonly capabilities: Capabilities
    }
  | { readonly isAvailable: false; readonly why: string; readonly missing: string | null }

export interface AgentMessage {
  readonly id: string
  readonly text: string
}

export interface RunOptions {
  /** Stops the run: asks the agent first, then ends its process tree. */
  readonly signal?: AbortSignal
  /** Gets every event in order. Nothing more is read while its promise is pending. */
  readonly onEvent?: (event: AgentEvent) => void | Promise<void>
  /** Variables that the agent does not get, but whose secrets may be in its prompt: masked like its own. */
  readonly secrets?: Readonly<Record<string, string | undefined>>
  /** Gets each line that the agent prints, secrets masked, before the events made of it. */
  readonly onLine?: (line: string, stream: "stdout" | "stderr") => void
  /**
   * Messages for the running agent. It gets them at its next turn, or after the run by resuming its session as part of the
   * same run. `message_delivered` acknowledges each one; the others go with the next run.
   */
  readonly messages?: AsyncIterable<AgentMessage>
}

export interface Agent {
  readonly name: string
  /** Changes with what `detect` may find: program or login were added, replaced or removed. Starts nothing; null without a program. */
  fingerprint(env: Readonly<Record<string, string>>): string | null
  detect(env: Readonly<Record<string, string>>): Promise<Detection>
  /**
   * Every failure of the agent ends in one result, not in a rejection. The last event is `finished`, with that result.
   * When the promise resolves, no process of the run is left. Secrets are masked everywhere.
   */
  run(job: AgentJob, options?: RunOptions): Promise<AgentResult>
  /** The command that opens the session of `resume` in a terminal; null where the program has none. */
  open?(job: AgentJob): OpenedAgent | null
}

export interface OpenedAgent {
  readonly command: readonly string[]
  /** What it needs besides the job's environment. */
  readonly env: Readonly<Record<string, string>>
}
