import * as v from "valibot"
import { command, type Outcome, type Session } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { flag, type InputOf, text } from "../../lib/schema.ts"
import { toWire } from "../../lib/text/wire-names.ts"
import { teamStatus } from "../operations/team-status.ts"
import type { TeamReport } from "../status.ts"
import { renderTeam } from "../views/status-view.ts"

const CLEAR_SCREEN = "\u001b[H\u001b[2J\u001b[3J"

export const projectGet = command({
  summary: "Show a project's metadata",
  fields: teamStatus.input,
  run: (session, input) => report(session, input),
})

export const projectStatus = command({
  summary: teamStatus.summary,
  fields: {
    ...teamStatus.input,
    field: v.optional(text("only this field, as stats.progress")),
    watch: flag("show every change until Ctrl+C"),
  },
  example: "teamwork project status --field stats.progress",
  async run(session, input) {
    return input.watch === true ? watchStatus(session, input) : report(session, input)
  },
})

type StatusInput = InputOf<typeof teamStatus.input> & { readonly field?: string }

async function report({ context }: Session, input: StatusInput): Promise<Outcome> {
  const status = await teamStatus.run(await context(), input)
  if (input.field === undefined) return { data: status, text: (screen) => renderTeam(status, screen) }
  const value = pickField(status, input.field)
  return { data: value, text: () => (typeof value === "object" ? JSON.stringify(value) : String(value)) }
}

function pickField(status: TeamReport, path: string): unknown {
  let value = toWire(status)
  for (const [index, key] of path.split(".").entries()) {
    const keys = typeof value === "object" && value !== null ? Object.keys(value) : []
    if (!keys.includes(key)) {
      const parent = path.split(".").slice(0, index).join(".") || "project status"
      throw new AppError("view.no_field", `there is no field ${path}; ${parent} has ${keys.join(", ") || "no fields"}`)
    }
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** Redraws the screen, or prints a line of JSON, after every commit to the store. */
async function watchStatus(session: Session, input: StatusInput): Promise<Outcome> {
  const { io } = session.host
  const { store } = await session.context()
  await using watch = await store.watch()
  let shown = ""
  while (!io.interrupted.aborted) {
    const outcome = await report(session, input)
    const screen = { columns: io.columns, color: io.color }
    const text = session.isJson
      ? JSON.stringify({ status: "success", data: toWire(outcome.data) })
      : await outcome.text?.(screen)
    if (text !== undefined && text !== shown) io.out(io.isTerminal && !session.isJson ? CLEAR_SCREEN + text : text)
    shown = text ?? ""
    await watch.next(60_000, io.interrupted)
  }
  return { data: null, silent: true }
}
