import { manyLines, oneLine, paint, type Screen, table } from "../../lib/text/table.ts"
import type { Message } from "../../messages/message.ts"
import type { Verdict } from "../../quality/verdict.ts"
import { shortTime } from "../../reporting/views/status-view.ts"
import type { Evidence } from "../evidence.ts"
import { lifecycleOf } from "../qa-state.ts"
import type { Task } from "../task.ts"

export function taskLine(task: Task): string {
  const holder = task.claimedBy === null ? "" : ` (${task.claimedBy})`
  return `Task ${task.id} is ${task.status}${holder}: ${oneLine(task.title)}`
}

type ShownTask = Task & {
  readonly evidence: readonly Evidence[]
  readonly failure?: { readonly what: string; readonly lines: readonly string[] } | null
}

export function renderTask(task: ShownTask, screen: Screen): string {
  const row = (name: string, value: string | null) =>
    value === null || value === "" ? [] : [`${name.padEnd(12)} ${value}`]
  return [
    paint(`Task ${task.id}: ${oneLine(task.title)}`, "bold", screen.color),
    ...row("status", `${task.status}${task.unmet > 0 ? `, waits for ${task.unmet} of its needs` : ""}`),
    ...row("role", `${task.role}, ${task.complexity}`),
    ...row("priority", task.priority === 0 ? null : String(task.priority)),
    ...row("needs", task.blockedBy.join(", ")),
    ...row("wave", task.wave === null ? null : String(task.wave)),
    ...row(
      "held by",
      task.claimedBy === null
        ? null
        : `${task.claimedBy} since ${shortTime(task.claimedAt)}, token ${task.claimToken}${task.leaseUntil === null ? "" : `, until ${shortTime(task.leaseUntil)}`}`,
    ),
    ...row("meant for", task.assignee),
    ...row("attempt", String(task.attempt)),
    ...row("phase", task.phase),
    ...row("QA", describeQa(task)),
    ...row("files", oneLine(task.files.join(", "))),
    ...task.acceptance.flatMap((text) => row("accept when", oneLine(text))),
    ...task.checks.flatMap((text) => row("check", oneLine(text))),
    ...row("result", task.result === null ? null : manyLines(task.result)),
    ...row("failed", task.failure == null ? null : oneLine(task.failure.what)),
    ...(task.failure?.lines ?? []).map((line) => `${" ".repeat(17)}${line}`),
    ...(task.description === "" ? [] : ["", manyLines(task.description)]),
    ...(task.evidence.length === 0 ? [] : ["", renderEvidence(task.evidence, screen)]),
  ].join("\n")
}

/** `validating (UNDER_VERIFICATION, QA_VALIDATING)` */
function describeQa(task: Task): string | null {
  const { executor, qa } = lifecycleOf(task) ?? { executor: null, qa: null }
  const words = [executor, qa].filter((word) => word !== null)
  return task.qa === null || words.length === 0 ? task.qa : `${task.qa} (${words.join(", ")})`
}

export function renderEvidence(entries: readonly Evidence[], screen: Screen): string {
  if (entries.length === 0) return "No evidence."
  return table(
    [
      { title: "#", align: "right" },
      { title: "TRUST" },
      { title: "TYPE" },
      { title: "WHEN" },
      { title: "BY", flexible: true },
      { title: "WHAT", flexible: true },
    ],
    entries.map((entry) => [
      String(entry.number),
      entry.trust,
      entry.type,
      shortTime(entry.timestamp),
      entry.by,
      `${entry.withdrawnAt === null ? "" : "(withdrawn) "}${describeFacts(entry)}`,
    ]),
    screen,
  )
}

function describeFacts({ facts, text }: Evidence): string {
  const ended = facts.exitCode === undefined ? "" : ` -> ${facts.exitCode}`
  const parts = [
    facts.command === undefined ? "" : `${facts.command}${ended}`,
    facts.path === undefined ? "" : `${facts.action} ${facts.path}`,
    facts.passed === undefined ? "" : `${facts.passed} passed, ${facts.failed} failed`,
    text,
  ]
  return parts.filter((part) => part !== "").join("; ")
}

export function renderMessages(messages: readonly Message[], screen: Screen): string {
  if (messages.length === 0) return "No messages."
  return table(
    [
      { title: "" },
      { title: "WHEN" },
      { title: "FROM", flexible: true },
      { title: "TO", flexible: true },
      { title: "TYPE" },
      { title: "MESSAGE", flexible: true },
    ],
    messages.map((message) => [
      message.read ? " " : "*",
      shortTime(message.timestamp),
      message.from,
      message.to,
      message.type,
      describePayload(message),
    ]),
    screen,
  )
}

function describePayload({ type, payload }: Message): string {
  if (typeof payload.message === "string") return payload.message
  const parts = [payload.completed_task_id, payload.completed_status, payload.failure_reason].filter(
    (part) => part !== undefined,
  )
  return type === "idle_notification" && parts.length > 0 ? parts.join(": ") : JSON.stringify(payload)
}

export function renderVerdicts(verdicts: readonly Verdict[], screen: Screen): string {
  if (verdicts.length === 0) return "No verdicts."
  return table(
    [
      { title: "WHEN" },
      { title: "SCOPE" },
      { title: "SUBJECT" },
      { title: "STATUS" },
      { title: "BY", flexible: true },
      { title: "CHECKS", flexible: true },
      { title: "ISSUES", flexible: true },
    ],
    verdicts.map((verdict) => [
      shortTime(verdict.timestamp),
      verdict.scope,
      verdict.subject ?? "-",
      verdict.status,
      verdict.by,
      verdict.checks.map((check) => `${check.name}=${check.status}`).join(" "),
      verdict.issues.join("; "),
    ]),
    screen,
  )
}
