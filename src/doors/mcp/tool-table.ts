import type { Command, CommandRow } from "../../app/command.ts"
import { teamMsg } from "./team-msg.ts"

/** A command that agents can call as a tool. */
export interface Tool {
  readonly name: string
  /** A name, or a command that the command line does not have. */
  readonly command: string | (() => Promise<Command>)
  readonly summary?: string
  readonly effect: Effect
  readonly fixed?: Readonly<Record<string, unknown>>
  readonly without?: readonly string[]
  /** Wire names that differ from the usual ones. */
  readonly names?: Readonly<Record<string, string>>
  /** The key for a list of results. */
  readonly list?: string
  /** Selects and renames the result, where callers need less or other names. */
  readonly answer?: (data: never) => Record<string, unknown>
  /** Reports progress. */
  readonly isLong?: true
  readonly isForLead?: true
  readonly ofLead?: readonly string[]
  /** The field of the task that a worker must hold, where the operation does not check that itself. */
  readonly mustHold?: string
  /** Changes the role of the connection, so not for one that was started as a worker. */
  readonly isSeating?: true
  /** Claims, moves on or returns a task. For the agent of a worker, the worker does that. */
  readonly isForHolder?: true
}

/** The effects of a call, as the protocol describes them to clients. */
export const HINTS = {
  reads: { readOnlyHint: true, openWorldHint: false },
  /** Repeating it changes nothing. */
  keeps: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  /** Ends something for good; repeating it changes nothing. */
  ends: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  runs: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
} as const
export type Effect = keyof typeof HINTS

const PLAN_FIELDS = [
  "title",
  "description",
  "role",
  "complexity",
  "files",
  "onOverlap",
  "grantShared",
  "priority",
  "assignee",
  "addBlockedBy",
  "removeBlockedBy",
]

export const TOOLS: readonly Tool[] = [
  { name: "team_status", command: "project status", effect: "reads", without: ["watch", "field"] },
  { name: "team_runs", command: "runs", effect: "reads", list: "runs" },
  { name: "task_list", command: "task list", effect: "reads", list: "tasks" },
  { name: "task_get", command: "task get", effect: "reads" },
  { name: "task_create", command: "task create", effect: "adds", isForLead: true },
  { name: "task_claim", command: "task claim", effect: "keeps", isForHolder: true },
  { name: "task_update", command: "task update", effect: "changes", ofLead: PLAN_FIELDS, isForHolder: true },
  { name: "task_release", command: "task release", effect: "changes", isForHolder: true },
  { name: "task_heartbeat", command: "task heartbeat", effect: "keeps", isForHolder: true },
  { name: "task_phase", command: "task phase", effect: "adds", isForHolder: true },
  { name: "evidence_add", command: "evidence add", effect: "adds", list: "evidence" },
  { name: "evidence_run", command: "evidence run", effect: "runs", isLong: true },
  { name: "message_send", command: "mailbox send", effect: "adds", list: "messages" },
  { name: "message_read", command: "mailbox read", effect: "keeps", list: "messages" },
  { name: "message_wait", command: "mailbox poll", effect: "keeps", list: "messages", isLong: true },
  { name: "team_msg", command: async () => teamMsg, effect: "adds" },
  {
    name: "approval_ask",
    command: "task phase",
    summary: "Ask for the approval of a plan for a task in plan_design, before any work; the report is the plan",
    effect: "adds",
    fixed: { to: "awaiting_approval" },
    isForHolder: true,
  },
  { name: "approval_list", command: "approvals", effect: "reads", without: ["watch"], list: "approvals" },
  { name: "finding_list", command: "findings", effect: "reads", list: "findings", isForLead: true },
  { name: "checkpoint_ask", command: "checkpoint", effect: "adds", isForLead: true },
  { name: "escalate", command: "escalate", effect: "changes", mustHold: "task" },
  { name: "ownership_check", command: "ownership check", effect: "reads" },
  { name: "ownership_ask", command: "ownership ask", effect: "keeps" },
  { name: "wisdom_add", command: "wisdom add", effect: "adds" },
  { name: "wisdom_list", command: "wisdom list", effect: "reads", list: "wisdom" },
  { name: "explore_get", command: "explore get", effect: "reads" },
  { name: "explore_put", command: "explore put", effect: "keeps" },
  { name: "explore_list", command: "explore list", effect: "reads", list: "explorations" },
  { name: "join", command: "join", effect: "keeps", isForLead: true, isSeating: true },
  { name: "leave", command: "leave", effect: "ends", isSeating: true },
  ...jobTools("agent"),
  ...jobTools("codex"),
  ...jobTools("gemini"),
]

/** Jobs of any agent, or of one under its name in other systems. Only the lead starts agents. */
function jobTools(agent: "agent" | "codex" | "gemini"): Tool[] {
  const isAny = agent === "agent"
  const names = isAny ? undefined : { jobId: "jobId" }
  const state = isAny ? undefined : ({ status, output }: Record<string, unknown>) => ({ status, output })
  const started = ({ jobId, status, output }: Record<string, unknown>) =>
    status === undefined ? { jobId } : { jobId, status, output }
  const common = { isForLead: true, names } as const
  return [
    {
      ...common,
      name: `${agent}_exec`,
      command: "agent exec",
      effect: "runs",
      isLong: true,
      ...(isAny ? {} : { fixed: { agent }, answer: started }),
    },
    { ...common, name: `${agent}_status`, command: "agent status", effect: "reads", answer: state },
    { ...common, name: `${agent}_cancel`, command: "agent cancel", effect: "ends", answer: state },
  ]
}

/** Loaded on demand: a call pays only for itself. */
export async function loadTool({ command }: Tool, commands: readonly CommandRow[]): Promise<Command> {
  return typeof command === "string" ? loadCommand(command, commands) : command()
}

export async function loadCommand(name: string, commands: readonly CommandRow[]): Promise<Command> {
  const row = commands.find((each) => each.name === name)
  if (row === undefined) throw new Error(`there is no command ${name}`)
  return row.load()
}
