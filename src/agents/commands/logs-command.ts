import * as v from "valibot"
import { command } from "../../app/command.ts"
import { lastOf, sayNothing, show } from "../../app/show-logs.ts"
import { machineName } from "../../lib/process/machine-name.ts"
import { flag, number } from "../../lib/schema.ts"
import type { Screen } from "../../lib/text/table.ts"
import type { RunFact } from "../../reporting/history-facts.ts"
import { idField, runFields } from "../../store/operation.ts"
import { type LogItem, type LogTarget, listRunsOf, openLogs } from "../../workers/swarm/worker-logs.ts"
import { renderItem, runHeading } from "../views/run-log-view.ts"

const input = {
  ...runFields,
  of: idField("task, worker or run"),
  follow: flag("keep showing new entries until the end or Ctrl+C"),
  turn: v.optional(number("only this turn: 1 does the task, later turns repair it", { isInteger: true, min: 1 })),
  tail: v.optional(number("only this many entries from the end", { isInteger: true, min: 1 })),
}

export const logs = command({
  summary: "Show what agents did in the runs of a task, or what a worker printed",
  fields: input,
  positional: ["of"],
  example: "teamwork logs 3 --follow",
  async run(session, { follow, tail, turn, ...request }) {
    const context = await session.context()
    const { home } = await session.configured()
    using opened = await openLogs(context, {
      ...request,
      home,
      machine: machineName(),
      turn: turn ?? null,
    })
    if (follow === true) {
      await show(session, opened, { tail })
      return { data: null, silent: true }
    }
    const items = lastOf(await opened.read(), tail)
    const { target } = opened
    const runs = target.kind === "worker" ? await listRunsOf(context, request, target.id) : runsIn(items)
    return {
      isDocument: true,
      data: { ...target, runs: runs.map((run) => withEntries(run, items)), lines: linesIn(items) },
      text: (screen) => renderAll({ target, turn, items, runs }, screen),
    }
  },
})

function runsIn(items: readonly LogItem[]): RunFact[] {
  return items.flatMap((item) => (item.type === "run" ? [item.run] : []))
}

function linesIn(items: readonly LogItem[]): string[] {
  return items.flatMap((item) => (item.type === "line" ? [item.line] : []))
}

function withEntries(run: RunFact, items: readonly LogItem[]) {
  return {
    ...run,
    entries: items.flatMap((item) => (item.type === "entry" && item.run === run.id ? [item.entry] : [])),
  }
}

interface Shown {
  readonly target: LogTarget
  readonly turn: number | undefined
  readonly items: readonly LogItem[]
  readonly runs: readonly RunFact[]
}

function renderAll({ target, turn, items, runs }: Shown, screen: Screen): string {
  const body = items.map((item) => renderItem(item, screen))
  const made = target.kind === "worker" ? runs.map((run) => runHeading(run, screen)) : []
  const all = [...body, ...made]
  return all.length === 0 ? sayNothing(target, turn) : all.join("\n")
}
