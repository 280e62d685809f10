import { renderItem } from "../agents/views/run-log-view.ts"
import { toWire } from "../lib/text/wire-names.ts"
import { followLogs } from "../workers/swarm/follow-logs.ts"
import type { LogItem, Logs, LogTarget } from "../workers/swarm/worker-logs.ts"
import type { Session } from "./command.ts"

export async function show(session: Session, opened: Logs, { tail }: { readonly tail?: number }): Promise<void> {
  const { io } = session.host
  let isFirst = true
  const onItems = (items: readonly LogItem[]) => {
    const shown = isFirst ? lastOf(items, tail) : items
    isFirst = false
    for (const item of shown) io.out(session.isJsonAsked ? JSON.stringify(toWire(item)) : renderItem(item, io))
  }
  await followLogs(await session.context(), opened, { onItems, signal: io.interrupted })
  if (isFirst) io.err(sayNothing(opened.target, undefined))
}

/** The last entries, with the heading of the first. */
export function lastOf(items: readonly LogItem[], tail: number | undefined): readonly LogItem[] {
  if (tail === undefined) return items
  const from = items.map((item, at) => ({ item, at })).filter(({ item }) => item.type !== "run")
  const first = from.at(-tail)?.at ?? 0
  const kept = items.slice(first)
  const heading = items.slice(0, first).findLast((item) => item.type === "run")
  return heading === undefined ? kept : [heading, ...kept]
}

export function sayNothing({ kind, id }: LogTarget, turn: number | undefined): string {
  return `Nothing is recorded of ${turn === undefined ? "" : `turn ${turn} of `}${kind} ${id} yet.`
}
