import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import type { Clock } from "../../lib/clock.ts"
import { holdLock } from "../../lib/file-lock.ts"

/** One installation in our cache. */
export interface CacheEntry {
  readonly folder: string
  /** From the folder of the unit. The content of the n-th lies in the folder `n`. */
  readonly places: readonly string[]
  /** The checkout it was made in: Python environments name it. */
  readonly origin: string
}

interface CachePorts {
  readonly home: string
  readonly clock: Clock
  readonly sleep: (ms: number) => Promise<unknown>
}

const META = "meta.json"

/** Installations by key, `setups/<key>` in the home. An entry is there whole or not at all. */
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
    /** Of several who want to make the same entry, one does, and the others wait for it. */
    async alone<T>(key: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
      mkdirSync(`${root}/.locks`, { recursive: true, mode: 0o700 })
      using _lock = await holdLock(`${root}/.locks/${key}`, { patienceMs, sleep })
      return await work() // somebody who holds it for longer than any set-up takes is stuck: then without it
    },
    /** `fill` writes the content of each place; the entry appears when all of it is there. */
    async add(
      key: string,
      { places, origin }: Pick<CacheEntry, "places" | "origin">,
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
    /** One that turned out to be no good. */
    drop: (key: string) => removeEntry(root, key),
  }
}

export type SetupCache = ReturnType<typeof openSetupCache>

const DAY_MS = 86_400_000
/** Younger ones may be in use right now. */
const SAFE_MS = 3_600_000

interface Removal {
  readonly maxAgeDays: number
  readonly maxMegabytes: number
  readonly dryRun: boolean
  readonly now: number
}

/** Removes installations that nobody used for so many days, and the longest unused ones beyond so many megabytes. */
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
  // What a killed process was making.
  if (!dryRun)
    for (const draft of namesIn(`${root}/.drafts`))
      if (timeOf(`${root}/.drafts/${draft}`) < now - DAY_MS)
        rmSync(`${root}/.drafts/${draft}`, { recursive: true, force: true })
  return { count, bytes }
}

/** Out of sight first: whoever finds an entry finds all of it. */
function removeEntry(root: string, key: string): void {
  const trash = `${root}/.drafts/${key}-removed-${process.pid}`
  mkdirSync(`${root}/.drafts`, { recursive: true, mode: 0o700 })
  try {
    renameSync(`${root}/${key}`, trash)
  } catch {
    return // another one removes it
  }
  rmSync(trash, { recursive: true, force: true })
}

function readMeta(folder: string): Omit<CacheEntry, "folder"> | undefined {
  try {
    return JSON.parse(readFileSync(`${folder}/${META}`, "utf8"))
  } catch {
    return undefined
  }
}

function touch(file: string, seconds: number): void {
  try {
    utimesSync(file, seconds, seconds)
  } catch {
    // Removed meanwhile.
  }
}

function timeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function sizeOf(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) bytes += sizeOf(path)
    else if (entry.isFile()) bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // there is none
  }
}
