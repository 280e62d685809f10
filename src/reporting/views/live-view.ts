import type { LiveNotice } from "../../kernel/live-notice.ts"
import { firstLine } from "../../lib/text/last-lines.ts"
import { bar, type Column, cut, oneLine, paint, type Screen, table, width } from "../../lib/text/table.ts"
import { findWait } from "../../tasks/readiness.ts"
import type { Task } from "../../tasks/task.ts"
import { sumCost } from "../cost.ts"
import { engineWork } from "../engine-work.ts"
import { estimateRest } from "../estimate-rest.ts"
import type { RunFact } from "../history-facts.ts"
import { beganAt, endOf, type TeamView } from "../team-view.ts"
import { amount, describeCost, duration } from "./amounts.ts"
import { type RunLine, stampedLines } from "./run-lines.ts"

export interface Frame extends Screen {
  readonly rows: number
  /** The store's clock. */
  readonly now: number
  /** The newest last. */
  readonly lines: readonly RunLine[]
  /** The last words or tool of each run's agent. */
  readonly notices: ReadonlyMap<string, LiveNotice>
  /** What the person can do. */
  readonly hint: string
}

/** A part of the screen; less important blocks give way. */
interface Block {
  readonly lines: readonly string[]
  /** Lower ranks get their lines first. */
  readonly rank: number
  /** Has an empty line above when there is room. */
  readonly isApart?: boolean
  /** Keeps the last lines when cut. */
  readonly keepsEnd?: boolean
}

const MAX_LINES = 8
const MAX_WORKERS = 20

/** Leaves one row for the cursor. */
export function renderLive(view: TeamView, frame: Frame): string[] {
  const rows = workRows(view, frame.notices)
  const blocks: Block[] = [
    { rank: 0, lines: [headLine(view, frame), progressLine(view, frame)] },
    { rank: 6, lines: [cut(`Goal: ${oneLine(view.team.goal)}`, frame.columns)] },
    { rank: 4, lines: waveLine(view, frame) },
    { rank: 1, lines: questionLines(view, frame) },
    { rank: 2, lines: rows.length === 0 ? [] : workTable(rows, frame), isApart: true },
    { rank: 2, lines: engineLines(view, frame) },
    { rank: 3, lines: taskLines(view, frame), isApart: true },
    { rank: 5, lines: eventLines(frame), isApart: true, keepsEnd: true },
    { rank: 1, lines: hintLine(frame), isApart: true },
  ]
  return place(blocks, Math.max(1, frame.rows - 1)).map((line) => fit(line, frame.columns))
}

/** Gives lines by rank; what is left becomes space between the blocks. */
function place(blocks: readonly Block[], room: number): string[] {
  let left = room
  const given = new Map<Block, number>()
  for (const block of blocks.toSorted((a, b) => a.rank - b.rank)) {
    const lines = Math.min(left, block.lines.length)
    given.set(block, lines)
    left -= lines
  }
  return blocks.flatMap((block, index) => {
    const count = given.get(block) ?? 0
    if (count === 0) return []
    const lines = block.keepsEnd === true ? block.lines.slice(-count) : block.lines.slice(0, count)
    if (block.isApart !== true || index === 0 || left === 0) return lines
    left--
    return ["", ...lines]
  })
}

function headLine(view: TeamView, { columns, color, now }: Frame): string {
  const { team, history } = view
  const began = beganAt(view)
  const cost = sumCost(history.runs.values())
  const rest = endOf(view) === null ? estimateRest(view, now) : null
  const parts = [
    ...[`${team.project}/${team.team}`, stateOf(view, now)],
    ...(began === null ? [] : [duration((history.endedAt ?? now) - began)]),
    ...(rest === null || rest === 0 ? [] : [`about ${duration(rest)} left`]),
    ...(cost.tokens === 0 && cost.dollars === 0 ? [] : [describeCost(cost)]),
  ]
  return paint(cut(parts.join("  "), columns), "bold", color)
}

function stateOf(view: TeamView, now: number): string {
  const { team, lead, history } = view
  const end = endOf(view)
  if (end !== null) return end === "done" ? `${team.phase}, done` : `${team.phase}, ended: ${end}`
  if (team.status === "paused")
    return `${team.phase}, paused${team.pauseReason === null ? "" : `: ${oneLine(team.pauseReason)}`}`
  const isLost = history.ledAt !== null && (lead === null || lead.leaseUntil < now)
  return isLost ? `${team.phase}, without a leader` : team.phase
}

function progressLine({ stats }: TeamView, { columns, color }: Frame): string {
  const done = stats.resolved + stats.skipped
  const size = Math.min(30, Math.max(8, columns - 50))
  const counts = (["in_progress", "in_review", "open", "paused", "failed", "skipped"] as const)
    .filter((status) => stats[status] > 0)
    .map((status) => `${status.replace("_", " ")} ${stats[status]}`)
  const line = `${bar(done, stats.total, size)} ${done}/${stats.total} done`
  const rest = cut(counts.join("   "), Math.max(0, columns - width(line) - 3))
  const shown = counts.length === 0 || columns - width(line) < 12 ? cut(line, columns) : `${line}   ${rest}`
  return stats.failed > 0
    ? shown.replace(`failed ${stats.failed}`, paint(`failed ${stats.failed}`, "red", color))
    : shown
}

const WAVE_MARKS = { planning: "·", in_progress: "▶", completed: "◐", verified: "✓", failed: "✗" } as const

/** `Waves  1 ✓  2 ▶ 3/5  3 · 0/2`: from the ones before the current one as far as the line goes. */
function waveLine({ waves, currentWave }: TeamView, { columns }: Frame): string[] {
  if (waves.length === 0) return []
  const items = waves.map(({ id, status, done, total }) => {
    const count = status === "verified" ? "" : ` ${done}/${total}`
    return `${id} ${WAVE_MARKS[status]}${count}`
  })
  const fits = (from: number) => width(`Waves  ${from > 0 ? "…  " : ""}${items.slice(from).join("  ")}`) <= columns
  let from = 0
  while (!fits(from) && from < currentWave - 2) from++
  return [cut(`Waves  ${from > 0 ? "…  " : ""}${items.slice(from).join("  ")}`, columns)]
}

interface WorkRow {
  readonly who: string
  readonly role: string
  readonly task: string
  readonly step: string
  readonly since: number | null
  readonly agent: string
  readonly seen: number | null
  readonly words: string
}

/** Workers, other holders of tasks, and agents without a task. */
function workRows(view: TeamView, notices: Frame["notices"]): WorkRow[] {
  const { history, tasks, workers } = view
  const runs = [...history.runs.values()]
  const ofWorkers = workers.map((worker): WorkRow => {
    const task = worker.currentTask === null ? undefined : tasks.get(worker.currentTask)
    return { ...rowOf(view, { who: worker.id, task, runs, notices }), role: worker.role ?? "-", ...idleOf(worker) }
  })
  const known = new Set(workers.flatMap(({ currentTask }) => currentTask ?? []))
  const others = [...tasks.values()].filter((task) => task.status === "in_progress" && !known.has(task.id))
  const ofOthers = others.map((task) => rowOf(view, { who: task.claimedBy ?? "-", task, runs, notices }))
  const asked = runs.filter((run) => run.task === null && run.endedAt === null && run.startedAt >= (history.ledAt ?? 0))
  return [...ofWorkers, ...ofOthers, ...asked.map((run) => askedRow(run, notices))]
}

function idleOf({ status, currentTask, lastHeartbeat }: TeamView["workers"][number]): Partial<WorkRow> {
  const seen = Date.parse(lastHeartbeat)
  return currentTask === null ? { seen, step: status, since: null } : { seen }
}

interface Known extends Pick<Frame, "notices"> {
  readonly who: string
  readonly task: Task | undefined
  readonly runs: readonly RunFact[]
}

function rowOf({ history }: TeamView, { who, task, runs, notices }: Known): WorkRow {
  const fact = task === undefined ? undefined : history.tasks.get(task.id)
  const run = runs.findLast((each) => each.task === task?.id && each.worker === who)
  return {
    who,
    role: task?.role ?? "-",
    task: task === undefined ? "-" : `${task.id} ${task.title}`,
    step: fact?.step?.name ?? "working",
    since: fact?.step?.at ?? fact?.claimedAt ?? null,
    agent: run === undefined ? "-" : agentOf(run),
    seen: fact?.step?.at ?? fact?.claimedAt ?? null,
    words: run === undefined || run.endedAt !== null ? "" : wordsOf(notices.get(run.id)),
  }
}

function askedRow(run: RunFact, notices: Frame["notices"]): WorkRow {
  const { worker, startedAt } = run
  const none = { role: "-", task: "-", seen: null }
  return {
    ...none,
    who: worker,
    step: "agent",
    since: startedAt,
    agent: agentOf(run),
    words: wordsOf(notices.get(run.id)),
  }
}

/** `limited until 14:05Z` */
function describeWaiting(reason: string, until: number | null): string {
  const word = reason === "rate-limited" ? "limited" : reason
  if (until === null) return `${word}, it tries again`
  return `${word} until ${new Date(until).toISOString().slice(11, 16)}Z`
}

function wordsOf(notice: LiveNotice | undefined): string {
  if (notice === undefined) return ""
  if (notice.type === "agent.waiting") return describeWaiting(notice.reason, notice.until)
  if (notice.type === "agent.used_tool") return `${notice.tool} ${notice.target}`.trim()
  return notice.text.split("\n").findLast((line) => line.trim() !== "") ?? ""
}

function agentOf({ agent, model }: RunFact): string {
  return model === null ? agent : `${agent} ${model}`
}

const WIDE = 100
const NARROW = 72
const TINY = 40

function workTable(rows: readonly WorkRow[], frame: Frame): string[] {
  const age = (at: number | null) => (at === null ? "-" : duration(frame.now - at))
  const columns: (Column & { value: (row: WorkRow) => string; from: number })[] = [
    { title: "WORKER", flexible: true, value: (row) => row.who, from: 0 },
    { title: "ROLE", value: (row) => row.role, from: NARROW },
    { title: "TASK", flexible: true, value: (row) => row.task, from: 0 },
    { title: "STEP", value: (row) => row.step, from: TINY },
    { title: "FOR", align: "right", value: (row) => age(row.since), from: TINY },
    { title: "AGENT", flexible: true, value: (row) => row.agent, from: NARROW },
    { title: "SEEN", align: "right", value: (row) => age(row.seen), from: NARROW },
  ]
  const some = rows.slice(0, MAX_WORKERS)
  if (some.some(({ words }) => words !== ""))
    columns.push({ title: "NOW", flexible: true, value: (row) => row.words, from: WIDE })
  const shown = columns.filter(({ from }) => frame.columns >= from)
  const lines = table(
    shown,
    some.map((row) => shown.map((column) => column.value(row))),
    frame,
  ).split("\n")
  return some.length === rows.length ? lines : [...lines, `and ${rows.length - some.length} more`]
}

/** Merges and gates are work too. */
function engineLines(view: TeamView, { columns, now }: Frame): string[] {
  return engineWork(view).map(({ what, since }) => {
    const age = `, ${duration(now - since)}`
    return `${cut(`Engine   ${oneLine(firstLine(what))}`, columns - width(age))}${age}`
  })
}

const MAX_QUESTIONS = 5

function questionLines({ questions }: TeamView, { columns, color }: Frame): string[] {
  const lines = questions.slice(0, MAX_QUESTIONS).map(({ what, command }) => `${command}  ${oneLine(firstLine(what))}`)
  const more = questions.length > MAX_QUESTIONS ? [`and ${questions.length - MAX_QUESTIONS} more: teamwork report`] : []
  return [...lines, ...more].map((line) => paint(cut(`Decide   ${line}`, columns), "yellow", color))
}

function taskLines(view: TeamView, { columns, color }: Frame): string[] {
  const tasks = [...view.tasks.values()]
  const named = (status: Task["status"]) => tasks.filter((task) => task.status === status)
  const open = named("open")
  const team = { ...view.team, currentWave: view.currentWave }
  const isReady = (task: Task) => findWait(task, team) === undefined
  const list = (title: string, some: readonly Task[]) => {
    if (some.length === 0) return []
    const texts = some.slice(0, columns).map((task) => `${task.id} ${oneLine(task.title)}`)
    return [cut(`${title.padEnd(8)} ${some.length > 1 ? `${amount(some.length)}: ` : ""}${texts.join(", ")}`, columns)]
  }
  return [
    ...list("Failed", named("failed")).map((line) => paint(line, "red", color)),
    ...list("Paused", named("paused")).map((line) => paint(line, "yellow", color)),
    ...list("Merging", named("in_review")),
    ...list("Next", open.filter(isReady)),
    ...list(
      "Waiting",
      open.filter((task) => !isReady(task)),
    ),
  ]
}

const TONES = { good: "green", bad: "yellow" } as const

function eventLines({ lines, columns, color }: Frame): string[] {
  const shown = lines.slice(-MAX_LINES).flatMap((line) =>
    stampedLines(line).map((text) => {
      const fitting = cut(text, columns)
      return line.tone === "plain" ? fitting : paint(fitting, TONES[line.tone], color)
    }),
  )
  return shown.slice(-MAX_LINES)
}

function hintLine({ hint, columns, color }: Frame): string[] {
  return hint === "" ? [] : [paint(cut(hint, columns), "dim", color)]
}

/** A line that is too wide would take two rows and shift all below. */
function fit(line: string, columns: number): string {
  return width(line) <= columns ? line : cut(Bun.stripANSI(line), columns)
}
