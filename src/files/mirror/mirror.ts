import { existsSync } from "node:fs"
import { join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { describeTeam, type RunName, type TeamName } from "../../kernel/team.ts"
import { sleep } from "../../lib/sleep.ts"
import type { Context } from "../../store/operation.ts"
import { listEarlierRuns, readArchive, readChanges, type Wanted } from "../operations/read-archive.ts"
import { runFolder } from "./export-places.ts"
import { applyChanges, chooseWanted, startFacts } from "./live-facts.ts"
import type { MirrorReport } from "./mirror-folder.ts"
import { type MirrorOptions, openTeamFolder } from "./team-folder.ts"

export type { MirrorOptions, MirrorReport }

/** Writes one run, or the current one with the earlier ones below `runs/`. */
export async function exportTeam(
  context: Context,
  name: TeamName,
  options: MirrorOptions & { readonly earlier?: Earlier },
): Promise<MirrorReport & { readonly folder: string }> {
  const archive = await readArchive(context, name)
  const folder = await openTeamFolder(name, { live: startFacts(archive), events: archive.events }, options)
  folder.close()
  await writeEarlier(context, { ...name, run: archive.snapshot.team.run }, options)
  return { ...folder.takeReport(), folder: options.folder }
}

/** Earlier runs never change, so `missing` is enough to keep a folder up to date. */
export type Earlier = "missing" | "all"

async function writeEarlier(
  context: Context,
  name: RunName,
  { folder, force, earlier = "missing" }: MirrorOptions & { readonly earlier?: Earlier },
): Promise<void> {
  for (const run of await listEarlierRuns(context, name)) {
    const place = runFolder(folder, run)
    if (earlier === "missing" && existsSync(join(place, "project.json"))) continue
    const archive = await readArchive(context, { ...name, run })
    const own = await openTeamFolder(
      name,
      { live: startFacts(archive), events: archive.events },
      { folder: place, force },
    )
    own.close()
  }
}

export interface MirrorWatch extends MirrorOptions {
  /** Ends the mirror after a last update. */
  readonly signal: AbortSignal
  /** Called after the first complete write, and after each update. */
  readonly onUpdate?: (report: MirrorReport) => void
  /** How long files about the whole team may be out of date. */
  readonly debounceMs?: number
  /** Pause after an update, so that several changes of a file are written once. */
  readonly restMs?: number
}

const DEBOUNCE_MS = 250
const LOOK_EVERY_MS = 5000
/** The overview of a large team takes long; leave most of the time for updates. */
const MAX_SHARE_OF_TIME = 1 / 5

export async function mirrorTeam(context: Context, name: TeamName, options: MirrorWatch): Promise<void> {
  const { signal, onUpdate, debounceMs = DEBOUNCE_MS, restMs = 0 } = options
  await using watch = await context.store.watch()
  const mirror = await openMirror(context, name, options)
  const report = () => {
    const done = mirror.takeReport()
    if (done.written + done.removed + done.edited.length > 0) onUpdate?.(done)
  }
  onUpdate?.(mirror.takeReport())
  let dueAt: number | undefined
  let earliest = 0
  while (!signal.aborted) {
    const wait = dueAt === undefined ? LOOK_EVERY_MS : Math.max(0, dueAt - performance.now())
    await watch.next(wait, signal)
    await mirror.update()
    const now = performance.now()
    if (dueAt === undefined && mirror.isBehind()) dueAt = Math.max(now + debounceMs, earliest)
    if (dueAt !== undefined && now >= dueAt) {
      await mirror.putOverview()
      earliest = performance.now() + (performance.now() - now) / MAX_SHARE_OF_TIME
      dueAt = undefined
    }
    report()
    if (restMs > 0) await sleep(restMs, signal)
  }
  await mirror.update()
  await mirror.putOverview()
  await mirror.close()
  report()
}

export interface Mirror {
  /** Skips files about the whole team. */
  update(): Promise<void>
  isBehind(): boolean
  putOverview(): Promise<void>
  close(): Promise<void>
  takeReport(): MirrorReport
}

export async function openMirror(context: Context, name: TeamName, options: MirrorOptions): Promise<Mirror> {
  const open = async () => {
    const archive = await readArchive(context, name)
    const live = startFacts(archive)
    const folder = await openTeamFolder(name, { live, events: archive.events }, options)
    await writeEarlier(context, { ...name, run: archive.snapshot.team.run }, options)
    return { live, folder }
  }
  let { live, folder } = await open()
  let isBehind = false

  /** The next run of the team began: the folder shows that one. */
  async function followNextRun(): Promise<void> {
    const before = live.facts.team.run
    await putAll().catch((error) => {
      throw error instanceof AppError && error.code === "team.not_found" ? teamGone(name, options.folder) : error
    })
    const { run } = live.facts.team
    if (run <= before) throw teamGone(name, options.folder)
    await writeEarlier(context, { ...name, run }, options)
  }

  async function putAll(): Promise<void> {
    const archive = await readArchive(context, name)
    live = startFacts(archive)
    await folder.putAll(live, archive.events)
    isBehind = false
  }

  async function update(): Promise<void> {
    let wanted: Wanted | undefined
    const changes = await readChanges(context, {
      ...name,
      key: live.key,
      after: live.cursor,
      choose: (events) => (wanted = chooseWanted(live, events)),
    })
    if (changes === "gone") return followNextRun()
    const touched = changes === "much" || wanted === undefined ? undefined : applyChanges(live, changes, wanted)
    if (touched === undefined) return putAll()
    if (!touched.hasAny) return
    isBehind = true
    if (!(await folder.putTouched(live, touched))) await putAll()
  }

  async function onFolder(work: () => Promise<void>): Promise<void> {
    try {
      if (folder.isThere()) await work()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "export.failed" || folder.isThere()) throw error
    }
    if (folder.isThere()) return
    ;({ live, folder } = await open())
    isBehind = false
  }

  return {
    update: () => onFolder(update),
    isBehind: () => isBehind,
    putOverview: () =>
      onFolder(async () => {
        isBehind = false
        await folder.putOverview(live)
      }),
    close: () => onFolder(async () => folder.close()),
    takeReport: () => folder.takeReport(),
  }
}

function teamGone(name: TeamName, folder: string): AppError {
  return new AppError(
    "team.not_found",
    `project ${describeTeam(name)} was deleted; its files stay in ${folder} and are no longer kept up to date`,
    { project: name.project, team: name.team, folder },
  )
}
