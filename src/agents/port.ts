import type { Ownership } from "../ownership/judge-path.ts"
import type { ClaimPlace } from "../ownership/owned-files.ts"
import type { ModelTier } from "../planning/complexity/model-tier.ts"
import type { Effort } from "../tasks/effort.ts"
import type { QuotaWindow } from "./quota.ts"

/** What one run of an agent may be asked to do. The same for every agent; what one cannot do, its capabilities tell. */
export interface AgentJob {
  readonly prompt: string
  /** For the script agent: the commands it runs, one after the other. The others take the prompt. */
  readonly commands: readonly string[]
  /** The folder the agent works in. */
  readonly workspace: string
  /**
   * A folder of this worker's own, for the settings of a launch and for what an agent keeps to resume. It lives as long
   * as its sessions are to be resumed; one run at a time.
   */
  readonly stateFolder: string
  /** By name, or null to take what the configuration says for the tier. */
  readonly model: string | null
  readonly tier: Tier
  readonly effort: Effort | null
  /** In the agent's own names. The tools of `mcpServers` need not be listed. */
  readonly allowedTools: readonly string[]
  readonly deniedTools: readonly string[]
  /** Who may write which files while it runs; null: no limit. Only some agents can hold to it by themselves. */
  readonly ownership: Ownership | null
  /** Under which claim: what its store says of it now goes before `ownership`, where an agent is held by a hook. */
  readonly claim?: ClaimPlace
  readonly mcpServers: Readonly<Record<string, McpServer>>
  readonly hooks: Hooks
  /** JSON schema of the answer, or null for free text. */
  readonly answerSchema: Readonly<Record<string, unknown>> | null
  /**
   * JSON schema for the end of free work. An agent that can speak freely before it gives one does, and one that gives none
   * has done nothing wrong: its text is read then. The others leave it out.
   */
  readonly closingSchema?: Readonly<Record<string, unknown>>
  /** What an earlier result gave as its session, to go on with it. */
  readonly resume: Session | null
  readonly permission: Permission
  readonly limits: Limits
  /** The whole environment, made by `buildEnvironment`; nothing else reaches the agent. */
  readonly env: Readonly<Record<string, string>>
}

export type Tier = ModelTier

/**
 * `edit`: writes files, and uses the allowed tools. `full`: does what it likes. `ask`: only reads, and uses the allowed
 * tools. Nobody is ever asked while it runs: what is not allowed is refused, and the agent goes on or says so.
 */
export type Permission = "edit" | "full" | "ask"

export interface McpServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Shell commands that the agent runs at a moment, with a description of it on standard input. */
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
  /** What it prints on both streams. */
  readonly outputBytes: number | null
  /** How long it may wait for its provider: for the end of a limit, or for a server that fails. 30 s by default. */
  readonly waitMs?: number | null
  /** How long nothing may be heard of it while none of its tools runs. 10 minutes by default. */
  readonly silenceMs?: number | null
  /** How often in a row it may make the same call with the same result. 5 by default. */
  readonly sameCalls?: number | null
}

/** An agent's memory of a conversation, and what it had cost when we last saw it: some agents count on from there. */
export interface Session {
  readonly id: string
  readonly usage: Usage
}

export interface Usage {
  /** All that was read, what came from a cache included. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  /** Null when the agent does not say and the price is not known. */
  readonly dollars: number | null
  /** We made the dollars of tokens and a price, which the agent knows better than we do. */
  readonly dollarsAreEstimated?: true
}

/** What happened in a run, in the order in which it happened. `at` is by the clock of whoever runs the agent. */
export type AgentEvent = { readonly at: number } & AgentEventBody

/** `part`: it came in pieces, of which this is the first or one that goes on where the last one ended. */
export interface Speech {
  readonly type: "text" | "reasoning"
  readonly text: string
  readonly part?: "first" | "next"
}

export type AgentEventBody =
  /** Once, before anything that the agent says or does. */
  | {
      readonly type: "started"
      readonly session: string | null
      readonly model: string | null
      readonly agentVersion: string | null
    }
  | Speech
  | ToolUse
  | { readonly type: "tool_result"; readonly id: string; readonly ok: boolean; readonly output: string }
  /** `isTotal`: for the run so far; otherwise to be added to what came before. */
  | ({ readonly type: "usage"; readonly isTotal: boolean } & Usage)
  | Waiting
  /** A turn of the agent contained the message. */
  | { readonly type: "message_delivered"; readonly messageId: string }
  /** A line that we do not understand: foreign output may grow, and must not break a run. */
  | { readonly type: "unknown"; readonly line: string }
  | { readonly type: "finished"; readonly result: AgentResult }

export interface ToolUse {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  /** What it writes, from the workspace where it lies inside. */
  readonly files: readonly string[]
  /** The beginning of what it was given, as one line. */
  readonly input: string
  /** The same for calls with the same arguments, where `input` does not tell them apart. Stays inside of the run. */
  readonly key?: string
}

/** The program cannot reach its model now, and tries again by itself. */
export interface Waiting {
  readonly type: "waiting"
  readonly reason: Reason
  /** When it tries again; null when it does not say. */
  readonly until: number | null
  /** When the provider said that it may be asked again, if it did. */
  readonly retryAt: number | null
  /** In the program's words. */
  readonly why: string
}

export type Reason =
  | "done"
  /** The model would not do it. */
  | "refused"
  /** The account has used up what it may for now. */
  | "rate-limited"
  /** The model's server fails for everybody: HTTP 5xx, or too many people ask at once. */
  | "overloaded"
  /** The model's server cannot be reached: the network is down, or the address is wrong. */
  | "unreachable"
  | "context-overflow"
  /** Not logged in, or with a key that is not valid. */
  | "auth"
  /** The provider has no such model, or not for this account. */
  | "unknown-model"
  /** The program gave up because a tool was not permitted. */
  | "permission"
  /** Money, ours or the account's, or our limit on tokens. */
  | "budget"
  | "turn-limit"
  | "timed-out"
  /** Nothing was heard of it for too long. */
  | "hung"
  /** It made the same call with the same arguments again and again. */
  | "looping"
  | "cancelled"
  /** It ended with an error of its own, or without saying how. */
  | "crashed"
  | "not-found"
  /** It does not speak as we expect: no result, no structured answer, or too much of anything. */
  | "protocol"

export interface AgentResult {
  readonly reason: Reason
  /** When to try again, for `rate-limited` and `overloaded`, if it was told. */
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
  /** What it said of its account's quota; left out where it says nothing. */
  readonly quota?: readonly QuotaWindow[]
}

export interface Capabilities {
  readonly resume: boolean
  /** By a schema that the agent itself enforces; otherwise the prompt asks and the answer is parsed. */
  readonly structuredAnswer: boolean
  readonly mcp: boolean
  readonly hooks: boolean
  /** Messages reach it while it runs. */
  readonly messages: boolean
  readonly cost: boolean
}

export type Detection =
  | {
      readonly isAvailable: true
      readonly version: string
      /** Null when it cannot be told without asking a server. */
      readonly isLoggedIn: boolean | null
      /** How it reaches its model, in words and without a secret; empty where that is not known. */
      readonly reach: string
      /** What is missing before it can work, with the way out; null where nothing is known to be. */
      readonly missing: string | null
      readonly capabilities: Capabilities
    }
  | { readonly isAvailable: false; readonly why: string; readonly missing: string | null }

export interface AgentMessage {
  readonly id: string
  readonly text: string
}

export interface RunOptions {
  /** Stops the run: first asks the agent, then ends its whole process tree. */
  readonly signal?: AbortSignal
  /** Sees every event in order. While its promise is pending nothing more is read, so the agent has to wait too. */
  readonly onEvent?: (event: AgentEvent) => void | Promise<void>
  /** Variables that the agent does not get, but whose secrets may reach it in its prompt: masked like its own. */
  readonly secrets?: Readonly<Record<string, string | undefined>>
  /** Sees each line that the agent prints as it came, secrets masked, before the events that are made of it. */
  readonly onLine?: (line: string, stream: "stdout" | "stderr") => void
  /**
   * Messages for the running agent: at its next turn where it can take them, else right after by resuming its session, as
   * part of the same run. Each one that a turn contained is acknowledged by `message_delivered`; what is not acknowledged
   * at the end was not delivered, and goes with the next run.
   */
  readonly messages?: AsyncIterable<AgentMessage>
}

export interface Agent {
  readonly name: string
  /**
   * Changes whenever what `detect` tells may have changed: the program was installed, replaced or removed, a login came
   * or went. Starts nothing. Null when the program is not there.
   */
  fingerprint(env: Readonly<Record<string, string>>): string | null
  detect(env: Readonly<Record<string, string>>): Promise<Detection>
  /**
   * Never rejects for what the agent does: whatever happens ends in one result. `finished` is the last event and
   * carries that result. When the promise resolves no process of the run is left. Secrets are masked in all of it.
   */
  run(job: AgentJob, options?: RunOptions): Promise<AgentResult>
  /** The command that opens the session of `resume` for a person at a terminal; null where the program has none. */
  open?(job: AgentJob): OpenedAgent | null
}

export interface OpenedAgent {
  readonly command: readonly string[]
  /** What it needs besides the job's environment. */
  readonly env: Readonly<Record<string, string>>
}
