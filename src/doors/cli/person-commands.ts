import { AppError } from "../../kernel/errors.ts"

/**
 * Not for the agent of a worker: decisions of a person, verdicts, team rules, settings, and commands that move
 * branches. Its worker claims and resolves the task; an agent that did so itself would bypass the gates.
 */
const FOR_PEOPLE: ReadonlySet<string> = new Set([
  "project update",
  "project clean",
  "link",
  "archive",
  "keep",
  "cancel",
  "pause",
  "resume",
  "import",
  "task reopen",
  "task delete",
  "task phase",
  "wave update",
  "verdict record",
  "evidence withdraw",
  "approve",
  "reject",
  "decide",
  "ownership grant",
  "ownership deny",
  "skill approve",
  "revise",
  "feedback",
  "qa submit",
  "qa plan",
  "qa record",
  "qa accept",
  "qa return",
  "findings waive",
  "findings reopen",
  "deliver",
  "undo",
  "swarm merge",
  "swarm spawn",
  "swarm stop",
  "agent reset",
  "config set",
  "config unset",
])

/** A status would end a task, and commands would run without a gate. */
const FIELDS_FOR_PEOPLE: Readonly<Record<string, readonly string[]>> = {
  "task update": ["status", "assignee"],
  "task create": ["run", "repair", "checks"],
}

/** For calls from a process of a worker. */
export function assertForAgents(name: string, values: Readonly<Record<string, unknown>>): void {
  const field = FIELDS_FOR_PEOPLE[name]?.find((each) => values[each] !== undefined)
  if (field === undefined && !FOR_PEOPLE.has(name)) return
  const what = field === undefined ? name : `${name} --${field}`
  throw new AppError(
    "call.not_allowed",
    `the agent of a worker cannot call teamwork ${what}: only a person or the worker itself can; say at the end of your answer what you need`,
  )
}
