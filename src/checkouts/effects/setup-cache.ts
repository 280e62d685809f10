import { existsSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import * as v from "valibot"
import type { Clock } from "../../lib/clock.ts"
import { holdLock } from "../../lib/file-lock.ts"
import { entriesOf, readText } from "../../lib/read-files.ts"

const Meta = v.object({
  /** Relative to the unit's folder. Folder `n` has the content of place `n`. */
  places: v.array(v.string()),
  /** Checkout that made it; Python environments mention its path. */
  origin: v.string(),
})
type Meta = Readonly<v.InferOutput<typeof Meta>>

export interface CacheEntry extends Meta {
  readonly folder: string
}

interface CachePorts {
  readonly home: string
  readonly clock: Clock
  readonly sleep: (ms: number) => Promise<unknown>
}

const META = "meta.json"

/** In `setups/<key>` of the home. Entries appear atomically. */
export function openSetupCache({ home, clock, sleep }: CachePorts) {
  const root = `${home}/setups`
  return {
    find(key: string): CacheEntry | undefined {
      const meta = readMeta(`${root}/${key}`)
      if (meta === undefined) return undefined
      touch(`${root}/${key}/${META}`, clock.now() / 1000)
      return { ...meta, folder: `${root}/${key}` }
    },
    has: (key: string) => existsSync(`${root}/${key}/${META}`),
    /** Of several processes that need the same entry, one makes it and the others wait. */
    async alone<T>(key: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
      mkdirSync(`${root}/.locks`, { recursive: true, mode: 0o700 })
      using _lock = await holdLock(`${root}/.locks/${key}`, { patienceMs, sleep })
      return await work() // also without the lock: a process that holds it for longer than a set-up takes is stuck
    },
    async add(
      key: string,
      { places, origin }: Meta,
      fill: (place: string, folder: string) => Promise<void>,
    ): Promise<CacheEntry> {
      const draft = `${root}/.drafts/${key}-${process.pid}`
      rmSync(draft, { recursive: true, force: true })
      mkdirSync(draft, { recursive: true, mode: 0o700 })
      try {
        for (const [index, place] of places.entries()) await fill(place, `${draft}/${index}`)
        writeFileSync(`${draft}/${META}`, JSON.stringify({ places, origin }), { mode: 0o600 })
        if (!existsSync(`${root}/${key}`)) renameSync(draft, `${root}/${key}`)
      } finally {
        rmSync(draft, { recursive: true, force: true })
      }
      return { places, origin, folder: `${root}/${key}` }
    },
    drop: (key: string) => removeEntry(root, key),
  }
}

export type SetupCache = ReturnType<typeof openSetupCache>

const DAY_MS = 86_400_000
/** Newer ones may be in use. */
const SAFE_MS = 3_600_000

interface Removal {
  readonly maxAgeDays: number
  readonly maxMegabytes: number
  readonly dryRun: boolean
  readonly now: number
}

/** Removes installations unused for too many days, then the longest unused ones beyond the size limit. */
export function removeOldSetups(home: string, { maxAgeDays, maxMegabytes, dryRun, now }: Removal) {
  const root = `${home}/setups`
  const entries = namesIn(root)
    .filter((name) => !name.startsWith("."))
    .map((key) => ({ key, usedAt: timeOf(`${root}/${key}/${META}`), bytes: sizeOf(`${root}/${key}`) }))
    .sort((a, b) => b.usedAt - a.usedAt)
  let [kept, count, bytes] = [0, 0, 0]
  for (const entry of entries) {
    const isOld = maxAgeDays > 0 && entry.usedAt < now - maxAgeDays * DAY_MS
    const isTooMuch = kept + entry.bytes > maxMegabytes * 1_000_000 && entry.usedAt < now - SAFE_MS
    if (!isOld && !isTooMuch) {
      kept += entry.bytes
      continue
    }
    count++
    bytes += entry.bytes
    if (!dryRun) removeEntry(root, entry.key)
  }
  // Drafts of killed processes.
  if (!dryRun)
    for (const draft of namesIn(`${root}/.drafts`))
      if (timeOf(`${root}/.drafts/${draft}`) < now - DAY_MS)
        rmSync(`${root}/.drafts/${draft}`, { recursive: true, force: true })
  return { count, bytes }
}

/** Renames first, so that an entry is always complete. */
function removeEntry(root: string, key: string): void {
  const trash = `${root}/.drafts/${key}-removed-${process.pid}`
  mkdirSync(`${root}/.drafts`, { recursive: true, mode: 0o700 })
  try {
    renameSync(`${root}/${key}`, trash)
  } catch {
    return // another process removes it
  }
  rmSync(trash, { recursive: true, force: true })
}

function readMeta(folder: string): Meta | undefined {
  const { output, success } = v.safeParse(v.pipe(v.string(), v.parseJson(), Meta), readText(`${folder}/${META}`))
  return success ? output : undefined
}

function touch(file: string, seconds: number): void {
  try {
    utimesSync(file, seconds, seconds)
  } catch {
    // It was just removed.
  }
}

function timeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function sizeOf(folder: string): number {
  let bytes = 0
  for (const entry of entriesOf(folder)) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) bytes += sizeOf(path)
    else if (entry.isFile()) bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}

function namesIn(folder: string): string[] {
  return entriesOf(folder).map(({ name }) => name)
}
