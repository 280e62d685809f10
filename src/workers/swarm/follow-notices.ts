import { dirname, join } from "node:path"
import { RECORDING_FILES, runFolder } from "../../agents/jobs/record-run.ts"
import { isOver, type LogEntry, parseLogLine } from "../../agents/run-log.ts"
import { targetOf } from "../../agents/tool-target.ts"
import type { LiveNotice } from "../../kernel/live-notice.ts"
import type { TeamName } from "../../kernel/team.ts"
import { sleep } from "../../lib/sleep.ts"
import { type TailLines, tailLines } from "../../lib/text/tail-lines.ts"
import type { RunFact } from "../../reporting/history-facts.ts"
import { readHistory } from "../../reporting/operations/read-history.ts"
import type { Context } from "../../store/operation.ts"
import { LOOK_AGAIN_MS } from "./follow-logs.ts"
import { watchFolders } from "./watch-folders.ts"
import { RUN_EVENTS } from "./worker-logs.ts"

export interface NoticeRequest extends TeamName {
  readonly home: string
}

export interface NoticeListener {
  readonly onNotices: (notices: readonly LiveNotice[]) => void
  readonly signal: AbortSignal
}

/** Agents may print a word at a time; people do not read faster than this. */
const BETWEEN_LOOKS_MS = 100

/** From the recordings of the agents' runs. Of a run that has already begun only the last text and the last tool. */
export async function followNotices(
  context: Context,
  { project, team, run: teamRun, home }: NoticeRequest,
  { onNotices, signal }: NoticeListener,
): Promise<void> {
  const name = { project, team, run: teamRun }
  const part = await readHistory(context, name, RUN_EVENTS)
  const open = new Map<string, TailLines>()
  const fileOf = (run: string) => join(runFolder(home, name, run), RECORDING_FILES.events)
  const running = () => [...part.history.runs.values()].filter((run) => !isOver(part.history, run))
  await using changes = await context.store.watch()
  using folders = watchFolders()
  try {
    while (!signal.aborted) {
      await part.read()
      const runs = running()
      const woken = folders.arm(runs.map((run) => dirname(fileOf(run.id))))
      const notices = runs.flatMap((run) => readRun(open, run, fileOf(run.id)))
      closeOthers(open, new Set(runs.map((run) => run.id)))
      if (notices.length > 0) onNotices(notices)
      await changes.next(LOOK_AGAIN_MS, AbortSignal.any([woken, signal]))
      await sleep(BETWEEN_LOOKS_MS, signal)
    }
  } finally {
    closeOthers(open, new Set())
  }
}

function readRun(open: Map<string, TailLines>, run: RunFact, file: string): LiveNotice[] {
  const known = open.get(run.id)
  const lines = known ?? tailLines(file)
  open.set(run.id, lines)
  const notices = lines.read().flatMap((line) => noticeOf(run, parseLogLine(line)) ?? [])
  return known === undefined ? lastOfEach(notices) : notices
}

function closeOthers(open: Map<string, TailLines>, kept: ReadonlySet<string>): void {
  for (const [run, lines] of open) {
    if (kept.has(run)) continue
    lines[Symbol.dispose]()
    open.delete(run)
  }
}

function lastOfEach(notices: readonly LiveNotice[]): LiveNotice[] {
  const last = new Set(["agent.said", "agent.used_tool"].map((type) => notices.findLast((each) => each.type === type)))
  // Only a wait that still lasts.
  const waiting = notices.at(-1)
  return notices.filter((each) => last.has(each) || (each === waiting && each.type === "agent.waiting"))
}

function noticeOf({ id, task, worker, startedAt }: RunFact, entry: LogEntry | undefined): LiveNotice | undefined {
  if (entry === undefined) return undefined
  const place = { run: id, task, worker, at: entry.at ?? startedAt }
  if (entry.kind === "text") {
    const text = entry.text.trim()
    return text === "" ? undefined : { ...place, type: "agent.said", text }
  }
  if (entry.kind === "waiting") return { ...place, type: "agent.waiting", reason: entry.reason, until: entry.until }
  if (entry.kind !== "tool") return undefined
  return { ...place, type: "agent.used_tool", tool: entry.name, target: targetOf(entry) }
}
