import type { Command, Outcome, Session } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { parseTaskId, quoteInput } from "../../kernel/ids.ts"
import { nearest } from "../../lib/text/nearest.ts"
import { toWire, wireName } from "../../lib/text/wire-names.ts"
import { assertHolds } from "../../tasks/operations/assert-holds.ts"
import { getTask } from "../../tasks/operations/get-task.ts"
import { checkInput } from "../cli/flags.ts"
import type { Call, Connection } from "./tool-session.ts"
import { loadCommand, loadTool, TOOLS, type Tool } from "./tool-table.ts"
import { LOST, OF_LEAD, type Offer, offer, type Who, whyNot } from "./who.ts"

type Values = Record<string, unknown>

/** Reports every problem of the call before doing anything. */
export async function callTool(connection: Connection, tool: Tool, given: Values, call: Call): Promise<Values> {
  const who = await connection.who()
  const not = whyNot(tool, who)
  if (not !== undefined) throw new AppError("call.not_allowed", not)
  const command = await loadTool(tool, connection.session.commands)
  const offered = offer(tool, command, who)
  const session = connection.sessionFor(call)
  const values = {
    ...(who.worker === null ? OF_LEAD : tokenOf(connection, given, offered)),
    ...readArguments(given, offered, who),
    ...offered.filled,
  }
  const input = await fillInput(connection, command, { who, values })
  await assertHeld(session, { tool, input, who })
  const outcome = await command.run(session, input)
  if (who.worker !== null && tool.name === "task_claim") remember(connection, outcome.data)
  return answerOf(tool, outcome)
}

export async function callCommand(connection: Connection, name: string, given: Values, call: Call): Promise<Outcome> {
  const command = await loadCommand(name, connection.session.commands)
  const who = await connection.who()
  if (who.isLost) throw new AppError("call.not_allowed", LOST)
  const input = await fillInput(connection, command, { who, values: given })
  return command.run(connection.sessionFor(call), input)
}

async function fillInput({ session }: Connection, command: Command, { who, values }: Filling): Promise<Values> {
  const { project, team } = who
  const { terminalId } = await session.configured()
  const all: Values = { ...values, project, team, terminalId }
  return checkInput(command.fields, Object.fromEntries(Object.keys(command.fields).map((name) => [name, all[name]])))
}

interface Filling {
  readonly who: Who
  readonly values: Values
}

export function findTool(name: string): Tool {
  const found = TOOLS.find((tool) => tool.name === name)
  if (found !== undefined) return found
  const close = nearest(
    name,
    TOOLS.map((tool) => tool.name),
  )
  throw new AppError(
    "usage",
    `unknown tool ${quoteInput(name)}${close === undefined ? "" : `; did you mean ${close}?`}`,
  )
}

function readArguments(given: Values, { names, filled }: Offer, { worker }: Who): Values {
  const values: Values = {}
  const isMine = (name: string) => Object.keys(filled).some((field) => wireName(field) === name)
  for (const [name, value] of Object.entries(given)) {
    const field = names.get(name)
    if (field !== undefined) values[field] = value
    else throw unknownArgument(name, [...names.keys()], isMine(name) ? worker : null)
  }
  return values
}

function unknownArgument(name: string, known: readonly string[], worker: string | null): AppError {
  const close = nearest(name, known)
  const mine = worker === null ? "" : `; this connection acts as worker ${worker} and says that itself`
  const hint = close === undefined ? `; it takes ${known.join(", ") || "none"}` : `; did you mean ${close}?`
  return new AppError("input.invalid", `unknown argument ${quoteInput(name)}${mine || hint}`, { field: name })
}

/** The claim of this connection, unless the call names another. */
function tokenOf({ tokens }: Connection, given: Values, { names }: Offer): Values {
  const token = names.has("token") ? tokens.get(String(given.id ?? given.task)) : undefined
  return token === undefined ? {} : { token }
}

function remember({ tokens }: Connection, claimed: unknown): void {
  const { id, claimToken } = claimed as { id: string; claimToken: number }
  tokens.set(id, claimToken)
}

async function assertHeld(
  { context }: Session,
  { tool, input, who }: { readonly tool: Tool; readonly input: Values; readonly who: Who },
): Promise<void> {
  const id = tool.mustHold === undefined ? undefined : input[tool.mustHold]
  if (who.worker === null || id === undefined) return
  const { project, team } = who
  assertHolds(await getTask.run(await context(), { project, team, id: parseTaskId(String(id)) }), who.worker, undefined)
}

function answerOf({ answer, list }: Tool, { data, keepsNames, warnings = [] }: Outcome): Values {
  const wire = answer === undefined ? (keepsNames === true ? data : toWire(data)) : answer(data as never)
  const facts = list === undefined ? wire : { [list]: Array.isArray(wire) ? wire : [wire] }
  const said = warnings.length === 0 ? {} : { warnings }
  return typeof facts === "object" && facts !== null ? { ...facts, ...said } : { value: facts, ...said }
}
