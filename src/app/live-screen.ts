import type { LiveNotice } from "../kernel/live-notice.ts"
import type { TeamName } from "../kernel/team.ts"
import type { Clock } from "../lib/clock.ts"
import { sleep } from "../lib/sleep.ts"
import { firstLine } from "../lib/text/last-lines.ts"
import { erase, type Painted, repaint } from "../lib/text/repaint.ts"
import { oneLine } from "../lib/text/table.ts"
import { toWire } from "../lib/text/wire-names.ts"
import { type Look, lookAtTeam } from "../reporting/operations/look-at-team.ts"
import { endOf, type TeamView } from "../reporting/team-view.ts"
import { renderLive } from "../reporting/views/live-view.ts"
import { type RunLine, runLines, stamped, stampedLines } from "../reporting/views/run-lines.ts"
import { followNotices } from "../workers/swarm/follow-notices.ts"
import type { Session } from "./command.ts"
import type { Io } from "./host.ts"

export interface Watcher {
  show(view: TeamView): void
  notice?(notices: readonly LiveNotice[]): void
  /** Prints above the part that is redrawn. */
  say(text: string): void
  close(): void
}

export interface WatchOptions {
  /** Ends the watching after one last look. */
  readonly signal: AbortSignal
  readonly untilOver: boolean
  readonly hint: string
  /** Print every step of a task, not only the important ones. */
  readonly steps: boolean
}

const BETWEEN_LOOKS_MS = 200

export async function watchTeam(
  session: Session,
  name: TeamName,
  options: WatchOptions & { readonly watcher?: Watcher },
): Promise<Look> {
  const { signal, untilOver, watcher = makeWatcher(session, options) } = options
  const { store } = await session.context()
  try {
    // Ends before the watcher closes, which draws for the last time.
    await using _notices = followAgents(session, name, watcher)
    await using watch = await store.watch()
    let look = await lookAtTeam({ store }, name)
    watcher.show(look)
    while (!signal.aborted && !(untilOver && endOf(look) !== null)) {
      await watch.next(60_000, signal)
      await sleep(BETWEEN_LOOKS_MS, signal)
      look = await lookAtTeam({ store }, name, look)
      watcher.show(look)
    }
    return look
  } finally {
    watcher.close()
  }
}

/** A failure here must not stop the view of the team. */
function followAgents(session: Session, name: TeamName, watcher: Watcher): AsyncDisposable {
  const ended = new AbortController()
  const { signal } = ended
  const follow = async () => {
    if (watcher.notice === undefined) return
    const { home } = await session.configured()
    const onNotices = (notices: readonly LiveNotice[]) => watcher.notice?.(notices)
    await followNotices(await session.context(), { ...name, home }, { onNotices, signal })
  }
  const following = follow().catch(() => undefined)
  return {
    async [Symbol.asyncDispose]() {
      ended.abort()
      await following
    },
  }
}

/** A screen for people, lines for dumb terminals and pipes, events for programs. */
export function makeWatcher(session: Session, options: Pick<WatchOptions, "hint" | "steps">): Watcher {
  const { io, clock, env } = session.host
  if (session.isJsonAsked) return eventWatcher(io)
  const isDumb = !io.isTerminal || env.TERM === "dumb"
  return isDumb ? lineWatcher({ io, clock }, options) : screenWatcher({ io, clock }, options)
}

function eventWatcher(io: Io): Watcher {
  let isFirst = true
  return {
    show({ events }) {
      // The first look holds past events.
      if (!isFirst) for (const event of events) io.out(JSON.stringify(toWire(event)))
      isFirst = false
    },
    say: () => undefined,
    close: () => undefined,
  }
}

function lineWatcher({ io, clock }: { io: Io; clock: Clock }, { steps }: { readonly steps: boolean }): Watcher {
  let isFirst = true
  return {
    show({ team, stats, events, now, questions }) {
      const state = `${team.project}/${team.team}: ${team.phase}, ${stats.resolved + stats.skipped}/${stats.total} tasks done`
      const waiting = questions.map(({ what, command }) => `${oneLine(firstLine(what))}; answer with: ${command}`)
      const first = [state, ...waiting].map((text): RunLine => ({ at: now, text, tone: "plain" }))
      const lines = isFirst ? first : runLines(events, { steps })
      isFirst = false
      for (const line of lines.flatMap(stampedLines)) io.out(line)
    },
    say: (text) => io.out(stamped({ at: clock.now(), text, tone: "plain" })),
    close: () => undefined,
  }
}

/** The least time between two frames; a quiet screen redraws every TICK_MS. */
const FRAME_MS = 200
const TICK_MS = 1000
const MAX_LINES = 100

function screenWatcher({ io, clock }: { io: Io; clock: Clock }, { hint }: { readonly hint: string }): Watcher {
  let seen: { view: TeamView; at: number } | undefined
  let lines: RunLine[] = []
  const notices = new Map<string, LiveNotice>()
  let painted: Painted | null = null
  let drawnAt = 0
  let timer: Timer | undefined

  const draw = (isLast = false) => {
    clearTimeout(timer)
    drawnAt = clock.now()
    if (seen === undefined) return
    const size = io.size()
    const frame = {
      // One less: terminals differ in where the cursor is after a full line.
      columns: size.columns - 1,
      rows: size.rows,
      color: io.color,
      lines,
      hint: isLast ? "" : hint,
      notices,
      now: seen.view.now + drawnAt - seen.at,
    }
    const shown = renderLive(seen.view, frame)
    const text = repaint(painted, shown, size)
    if (text !== "") io.outParts([text])
    painted = { lines: shown, size }
    if (!isLast) timer = setTimeout(draw, TICK_MS)
  }
  const drawSoon = () => {
    clearTimeout(timer)
    const wait = drawnAt + FRAME_MS - clock.now()
    if (wait <= 0) draw()
    else timer = setTimeout(draw, Math.min(wait, FRAME_MS))
  }
  const endResize = io.onResize(drawSoon)
  return {
    show(view) {
      seen = { view, at: clock.now() }
      lines = [...lines, ...runLines(view.events, { steps: false })].slice(-MAX_LINES)
      drawSoon()
    },
    notice(news) {
      for (const each of news) {
        const known = seen?.view.history.runs.get(each.run)
        if (known?.endedAt == null) notices.set(each.run, each)
      }
      for (const run of notices.keys()) if (seen?.view.history.runs.get(run)?.endedAt != null) notices.delete(run)
      drawSoon()
    },
    say(text) {
      const above = painted === null ? "" : erase(painted, io.size())
      painted = null
      io.outParts([`${above}${text}\n`])
      draw()
    },
    close() {
      endResize()
      draw(true)
    },
  }
}
