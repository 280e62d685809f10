import type { Event } from "../../kernel/events.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { TeamFacts } from "../own/facts.ts"
import type { OutFile } from "../own/folder.ts"
import { overviewFiles } from "../own/overview.ts"
import {
  allFiles,
  EVENTS_LOG,
  eventLine,
  inboxFiles,
  loopFiles,
  MESSAGES_LOG,
  messageLine,
  projectFile,
  RECORDS_LOG,
  recordLine,
  swarmFile,
  taskFile,
  VERDICTS_LOG,
  verdictLine,
  verificationFiles,
  wavesFile,
  workerFiles,
} from "../own/render.ts"
import type { LiveFacts, Touched } from "./live-facts.ts"
import { type MirrorReport, openMirrorFolder } from "./mirror-folder.ts"

export interface MirrorOptions {
  readonly folder: string
  /** Shared by all teams. Without it, loop states go to the team's own folder. */
  readonly loopFolder?: string
  /** Moves foreign files to `replaced/` instead of refusing to write. */
  readonly force?: boolean
}

export interface TeamFolder {
  isThere(): boolean
  putAll(live: LiveFacts, events: readonly Event[]): Promise<void>
  /** Returns false when everything must be written. */
  putTouched(live: LiveFacts, touched: Touched): Promise<boolean>
  /** The files about the whole team; their cost grows with it. */
  putOverview(live: LiveFacts): Promise<void>
  close(): void
  takeReport(): MirrorReport
}

/** Writes everything. Throws before it writes anything when foreign files are in the way. */
export async function openTeamFolder(
  name: TeamName,
  { live, events }: { live: LiveFacts; events: readonly Event[] },
  { folder, loopFolder, force }: MirrorOptions,
): Promise<TeamFolder> {
  const first = everything(live, events, loopFolder !== undefined)
  const main = openMirrorFolder(folder, [...first.files, first.log], { name, force })
  const beside =
    loopFolder === undefined ? undefined : openMirrorFolder(loopFolder, first.loops, { name, force, isShared: true })
  let loopPaths = new Set<string>()
  let hasNewMessages = false

  async function putLoops(files: readonly OutFile[]): Promise<void> {
    const paths = new Set(files.map((file) => file.path))
    await (beside ?? main).put(files)
    ;(beside ?? main).remove([...loopPaths].filter((path) => !paths.has(path)))
    loopPaths = paths
  }

  async function putAll({ files, log, loops }: Everything): Promise<void> {
    await main.put(files)
    await main.putLog(log)
    await putLoops(loops)
    const kept = [...files, log, ...(beside === undefined ? loops : [])]
    main.finish(new Set(kept.map((file) => file.path)))
    beside?.finish(new Set(loops.map((file) => file.path)))
  }

  await putAll(first)
  return {
    isThere: () => main.isThere() && beside?.isThere() !== false,
    putAll: (live, events) => putAll(everything(live, events, beside !== undefined)),
    async putTouched(live, touched) {
      hasNewMessages ||= touched.inboxes.size > 0
      await main.put(touchedFiles(live, touched))
      if (touched.hasLoops) await putLoops(filesOfLoops(live.facts, beside !== undefined))
      if (touched.events.length === 0) return true
      const first = live.eventCount - touched.events.length + 1
      return main.append(EVENTS_LOG, toText(touched.events.map((event, index) => eventLine(event, first + index))))
    },
    async putOverview({ facts }) {
      // Written whole, because reading a message changes its line.
      await main.put([...wholeTeamFiles(facts), ...(hasNewMessages ? messagesLog(facts) : [])])
      hasNewMessages = false
    },
    close() {
      main.close()
      beside?.close()
    },
    takeReport: () => addUp([main.takeReport(), ...(beside === undefined ? [] : [beside.takeReport()])]),
  }
}

interface Everything {
  readonly files: readonly OutFile[]
  readonly log: { readonly path: string; readonly content: string }
  readonly loops: readonly OutFile[]
}

function everything({ facts }: LiveFacts, events: readonly Event[], hasLoopFolder: boolean): Everything {
  const files = [...allFiles(facts)].filter((file) => !file.path.startsWith(LOOPS))
  const lines = events.map((event, index) => eventLine(event, index + 1))
  return {
    files: [...files, ...messagesLog(facts), ...verdictsLog(facts), ...recordsLog(facts)],
    log: { path: EVENTS_LOG, content: toText(lines) },
    loops: filesOfLoops(facts, hasLoopFolder),
  }
}

const LOOPS = ".loop-state/"

function filesOfLoops(facts: TeamFacts, hasLoopFolder: boolean): OutFile[] {
  const files = loopFiles(facts)
  return hasLoopFolder ? files.map((file) => ({ ...file, path: file.path.slice(LOOPS.length) })) : files
}

function wholeTeamFiles(facts: TeamFacts): OutFile[] {
  const waves = wavesFile(facts)
  const first = waves === undefined ? [] : [waves]
  return [...first, swarmFile(facts), ...verificationFiles(facts), ...overviewFiles(facts)]
}

function touchedFiles({ facts, places }: LiveFacts, touched: Touched): OutFile[] {
  if (!touched.hasAny) return []
  return [
    ...touched.tasks.map((task) => taskFile(task, places.get(task.id) ?? 0)),
    projectFile(facts),
    ...workerFiles(onlyWorkers(facts, touched.workers)),
    ...(touched.inboxes.size === 0 ? [] : inboxFiles(facts, touched.inboxes)),
    ...(touched.hasVerdicts ? verdictsLog(facts) : []),
    ...(touched.hasRecords ? recordsLog(facts) : []),
  ]
}

/** Sorting all tasks takes long in a large team. */
function onlyWorkers(facts: TeamFacts, ids: Touched["workers"]): TeamFacts {
  const workers = facts.workers.filter((worker) => ids.has(worker.id))
  const tasks: TeamFacts["tasks"] = new Map(
    [...facts.tasks].filter(([, { workerId }]) => workerId !== null && ids.has(workerId)),
  )
  return { ...facts, workers, tasks }
}

function messagesLog({ messages }: TeamFacts): OutFile[] {
  return messages.length === 0 ? [] : [{ path: MESSAGES_LOG, content: toText(messages.map(messageLine)) }]
}

function verdictsLog({ verdicts }: TeamFacts): OutFile[] {
  return verdicts.length === 0 ? [] : [{ path: VERDICTS_LOG, content: toText(verdicts.map(verdictLine)) }]
}

function recordsLog({ records }: TeamFacts): OutFile[] {
  return records.length === 0 ? [] : [{ path: RECORDS_LOG, content: toText(records.map(recordLine)) }]
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("")
}

function addUp(reports: readonly MirrorReport[]): MirrorReport {
  const sum = (key: "written" | "removed" | "unchanged") => reports.reduce((total, report) => total + report[key], 0)
  return {
    written: sum("written"),
    removed: sum("removed"),
    unchanged: sum("unchanged"),
    edited: reports.flatMap((report) => report.edited),
  }
}
