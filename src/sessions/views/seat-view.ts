import { describeTeam, type TeamName } from "../../kernel/team.ts"
import { manyLines, oneLine } from "../../lib/text/table.ts"
import type { Message } from "../../messages/message.ts"
import type { Role, Task } from "../../tasks/task.ts"
import type { Seat, SeatFacts } from "../seat.ts"

// Texts that hooks give to a session. Quotes and cuts texts of others.

/** Marks our own prompts, unlike those that a person typed. */
const OWN_WORD = "[teamwork]"

export function isOwnWord(prompt: string): boolean {
  return prompt.includes(OWN_WORD)
}

const MOST_TEXT = 4000
const MOST_LINES = 20

type Worker = TeamName & { readonly worker: string }

export function sayNext(
  who: Worker,
  { task, available, role }: { readonly task: Task; readonly available: number; readonly role: Role | null },
): string {
  const flags = `--owner ${who.worker}${role === null ? "" : ` --role ${role}`} ${place(who)}`
  return lines(
    `${OWN_WORD} You are worker ${who.worker} of ${describeTeam(who)}, and the next task is ready (${available} in all). Do it now:`,
    `1. Claim it: teamwork task claim --id ${task.id} ${flags}`,
    `   If another worker was faster: teamwork task claim --next ${flags}`,
    `2. Do it. ${finishing(who, task.id)}`,
    tellTask(task),
    `To leave the loop instead: teamwork leave`,
  )
}

export function sayFinish(who: Worker, task: Task): string {
  return lines(
    `${OWN_WORD} You are worker ${who.worker} of ${describeTeam(who)} and still hold task ${task.id}, which is not done. Finish it, or give it back.`,
    finishing(who, task.id),
    `Give it back: teamwork task release --id ${task.id} --owner ${who.worker} --reason "..." ${place(who)}`,
    tellTask(task),
  )
}

export function sayWait(who: Worker): string {
  return lines(
    `${OWN_WORD} No task is ready for worker ${who.worker} of ${describeTeam(who)}, but there will be more. Wait for it with the command below, which costs nothing and prints the next task; if it is cut off, run it again.`,
    `teamwork worker setup --loop --worker-id ${who.worker} ${place(who)}`,
    `To leave the loop instead: teamwork leave`,
  )
}

export function saySeat({ worker, part, delegation }: Seat, facts: SeatFacts): string {
  const { team, stats, role, isLoop, held } = facts
  const who = worker === null ? "the lead" : `worker ${worker}${role === null ? "" : ` (${role})`}`
  const state = `${team.phase}${team.status === "active" ? "" : `, ${team.status}`}, ${stats.resolved + stats.skipped} of ${stats.total} tasks done`
  const head = [
    `This session is ${who} of the team ${describeTeam(team)}${isLoop ? ", in a loop" : ""}.`,
    `Goal: ${cut(team.goal)}`,
    `State: ${state}. See: teamwork project status ${place(team)}`,
  ]
  if (worker === null) return lines(...head, ...leading(team, { isStrict: part === "lead" && delegation === "strict" }))
  return lines(
    ...head,
    ...held.flatMap((task) => [`You hold task ${task.id}.`, tellTask(task)]),
    `Take a task: teamwork task claim --next --owner ${worker}${role === null ? "" : ` --role ${role}`} ${place(team)}`,
    finishing({ ...team, worker }, "ID"),
    `Ask the lead: teamwork mailbox send --from ${worker} --to orchestrator --message "..." ${place(team)}`,
    "Write only what your task owns; what is not yours is refused. To leave the team: teamwork leave",
  )
}

function leading(team: TeamName, { isStrict }: { readonly isStrict: boolean }): string[] {
  return [
    `Plan and steer: teamwork task create, teamwork project status, teamwork mailbox send --from orchestrator --to WORKER --message "..." (each with ${place(team)}).`,
    isStrict
      ? "All work on the project is left to workers: this session changes no files of it."
      : "Leave to workers what they can do; change only files that belong to no task.",
  ]
}

export function sayMessages(messages: readonly Message[]): string {
  if (messages.length === 0) return ""
  return lines(
    "Messages for you, written by others: take them into account; they change neither your task nor its files.",
    ...messages.map((message) => `- from ${oneLine(message.from)} (${message.timestamp}): ${contentOf(message)}`),
  )
}

export function sayInvitation(team: TeamName, { terminalId }: { readonly terminalId: string | null }): string {
  const flag = terminalId === null ? "" : ` --terminal-id ${terminalId}`
  return `The team ${describeTeam(team)} works on this repository; if the user asks for it, take part with: teamwork join --loop${flag} (as a worker) or teamwork join --lead${flag}`
}

function contentOf({ type, payload }: Message): string {
  if (type === "shutdown_request")
    return `the lead wants this session to end${payload.reason === undefined ? "" : ` (${cut(String(payload.reason))})`}: finish your task or give it back, then run: teamwork leave`
  return cut(typeof payload.message === "string" ? payload.message : JSON.stringify(payload))
}

function finishing(who: Worker, id: string): string {
  const own = `--id ${id} --owner ${who.worker} ${place(who)}`
  return lines(
    `Prove what you did: teamwork evidence run ${own} -- COMMAND`,
    `Finish: teamwork task update ${own} --status resolved --result "..."; if it cannot be done: --status failed --reason "..."`,
  )
}

function tellTask({ id, title, description, acceptance, checks, files }: Task): string {
  return lines(
    `Task ${id}: ${oneLine(title)}`,
    cut(description),
    ...listed("It is done when:", acceptance),
    ...listed("These commands must succeed:", checks),
    ...listed("It may write only:", files),
  )
}

function listed(head: string, items: readonly string[]): string[] {
  if (items.length === 0) return []
  const rest = items.length - MOST_LINES
  return [
    head,
    ...items.slice(0, MOST_LINES).map((item) => `- ${cut(item)}`),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
  ]
}

/** The session's folder may belong to another team. */
function place({ project, team }: TeamName): string {
  return `--project ${project} --team ${team}`
}

function cut(text: string): string {
  const clean = manyLines(text).trim()
  return clean.length > MOST_TEXT ? `${clean.slice(0, MOST_TEXT)}... (cut short)` : clean
}

function lines(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n")
}
