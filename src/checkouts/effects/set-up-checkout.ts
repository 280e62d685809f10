// An installation comes from the first of these that has it: the attempt before, our cache, the user's checkout, the
// tool. Results of the last two go into the cache, so that the next checkout costs only a copy. Checkouts never link to
// the user's files or to the cache.
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import type { Clock } from "../../lib/clock.ts"
import type { Processes } from "../../lib/process/process.ts"
import type { CheckoutSetup, Environment, SetupRecord, SetupRequest } from "../port.ts"
import {
  inFolder,
  isNodeUnit,
  isPythonUnit,
  missingTool,
  nameUnit,
  type SetupFiles,
  unitFolder,
} from "../setup-unit.ts"
import { settleLinks } from "./check-links.ts"
import { copyTree } from "./copy-tree.ts"
import { diskFiles } from "./disk-files.ts"
import { type ExaminedUnit, makeExamineTree } from "./examine-unit.ts"
import { findPlaces, stateOf } from "./installed-state.ts"
import { findMentions, relocatePython } from "./relocate-python.ts"
import { findPorts, reservePorts } from "./reserve-ports.ts"
import { type CacheEntry, openSetupCache, type SetupCache } from "./setup-cache.ts"
import { makeSetupRunner, type SetupRunner } from "./setup-runner.ts"
import { surround } from "./surround.ts"

export interface SetupPorts {
  readonly processes: Processes
  readonly clock: Clock
  readonly sleep: (ms: number) => Promise<unknown>
  readonly env: Environment
  readonly home: string
  readonly userRoots: readonly string[]
  readonly timeoutSeconds: number
  readonly portBase: number
}

export function makeCheckoutSetup(ports: SetupPorts): CheckoutSetup {
  const { home, userRoots, processes, timeoutSeconds, sleep, portBase: base } = ports
  const cache = openSetupCache(ports)
  const examine = makeExamineTree(ports)
  const known = new Map<string, Promise<ExaminedUnit[]>>()
  /** Cached by tree id, if the files have one. */
  const examined = async (files: SetupFiles & { id?(path: string): Promise<string | undefined> }) => {
    const tree = await files.id?.("")
    if (tree === undefined) return examine(files)
    const found = known.get(tree) ?? examine(files)
    known.set(tree, found)
    return found
  }
  const around = <E extends Environment>(env: E, folder: string, inside?: string) =>
    surround(env, { folder, inside, userRoots, ports: findPorts(home, folder) })
  return {
    surround: around,
    async reservePorts(folder) {
      await reservePorts({ home, base, sleep }, folder)
    },
    async setUp(request) {
      const { folder, log } = request
      const runner = makeSetupRunner({ processes, timeoutSeconds, log })
      const env = around(ports.env, folder)
      const work: Work = { ...ports, cache, runner, env, folder, notes: [] }
      const installed = request.earlier?.units.flatMap(({ places }) => places) ?? []
      const units = await examine(diskFiles(folder, installed))
      removeOutdated(request, units)
      const made: Made[] = []
      for (const unit of units) made.push(await setUpUnit(work, unit, request.earlier))
      const written = runner.writeLog()
      return { record: { units: made }, log: written, notes: work.notes, hasRun: written !== null }
    },
    async describe(files) {
      const units = await examined(files)
      if (units.length === 0) return ""
      return JSON.stringify(units.map((each) => [each.key, isAvailable(each, cache, ports.env)]))
    },
    async compare(files, folder, record) {
      if (record === undefined) return "unknown"
      const keys = (await examined(files)).map(({ key }) => key)
      const left = record.units
      if (JSON.stringify(keys) !== JSON.stringify(left.map(({ key }) => key))) return "outdated"
      const isWhole = left.every(({ places, state }) => places.length > 0 && stateIn(folder, places) === state)
      return keys.length > 0 && isWhole ? "same" : "unknown"
    },
  }
}

interface Work extends SetupPorts {
  readonly cache: SetupCache
  readonly runner: SetupRunner
  readonly folder: string
  readonly notes: string[]
}

function isAvailable({ unit, key, source }: ExaminedUnit, cache: SetupCache, env: Environment): boolean {
  return cache.has(key) || source !== undefined || Bun.which(unit.tool, { PATH: env.PATH ?? "" }) !== null
}

type Made = SetupRecord["units"][number]

const stateIn = (folder: string, places: readonly string[]) => stateOf(places.map((place) => `${folder}/${place}`))

/** Removes installations of the attempt before that this one does not need. */
function removeOutdated({ folder, earlier }: SetupRequest, units: readonly ExaminedUnit[]): void {
  for (const { key, places } of earlier?.units ?? [])
    if (!units.some((each) => each.key === key))
      for (const place of places) rmSync(`${folder}/${place}`, { recursive: true, force: true })
}

async function setUpUnit(work: Work, examined: ExaminedUnit, earlier: SetupRecord | undefined): Promise<Made> {
  const { folder } = work
  const { unit, key } = examined
  const kept = earlier?.units.find((each) => each.key === key)
  if (kept !== undefined && kept.places.length > 0 && stateIn(folder, kept.places) === kept.state) return kept
  const entry = await obtain(work, examined)
  if (entry !== undefined && entry !== "installed") await runOwnScripts(work, examined)
  const places = entry === undefined ? [] : findPlaces(unit, folder).map((place) => inFolder(unit.folder, place))
  for (const place of places) ignoreFolder(`${folder}/${place}`)
  return { key, places, state: stateIn(folder, places) }
}

/** `installed`: by the tool in this checkout. Undefined if there is no source. */
async function obtain(work: Work, examined: ExaminedUnit): Promise<CacheEntry | "installed" | undefined> {
  const { cache, timeoutSeconds } = work
  const { key } = examined
  const found = cache.find(key)
  if (found !== undefined && (await putInPlace(work, examined, found))) return found
  // Waits for another process that makes the same.
  const made = await cache.alone(key, timeoutSeconds * 1000, async () => {
    const late = cache.find(key)
    if (late !== undefined) return late
    return (await takeFromUser(work, examined)) ?? (await install(work, examined))
  })
  if (made === undefined || made === "installed") return made
  return (await putInPlace(work, examined, made))
    ? made
    : cache.alone(key, timeoutSeconds * 1000, () => install(work, examined))
}

/** Removes an unusable cache entry and returns false. */
async function putInPlace(work: Work, { unit, key }: ExaminedUnit, entry: CacheEntry): Promise<boolean> {
  const top = unitFolder(work.folder, unit)
  const targets = entry.places.map((place) => `${top}/${place}`)
  const undo = () => {
    for (const target of targets) rmSync(target, { recursive: true, force: true })
  }
  undo()
  try {
    for (const [index, target] of targets.entries()) {
      await copyTree(work, `${entry.folder}/${index}`, target)
      if (isPythonUnit(unit)) await adoptPython(work, target, entry.origin)
    }
    return true
  } catch (error) {
    undo()
    work.cache.drop(key)
    work.notes.push(
      `${nameUnit(unit)}: ${error instanceof Error ? error.message : String(error)}; it is installed again`,
    )
    return false
  }
}

/** Throws if the environment would still use files of another checkout. */
async function adoptPython(work: Work, environment: string, origin: string): Promise<void> {
  const { folder, processes, env } = work
  relocatePython(environment, { from: origin, to: folder })
  const others = [...new Set([origin, ...work.userRoots])].filter((root) => !`${folder}/`.startsWith(`${root}/`))
  const mentions = others.flatMap((root) => findMentions(environment, root))
  if (mentions[0] !== undefined) throw new Error(`${mentions[0]} mentions another checkout`)
  const asked = ["-c", "import sys; print('\\n'.join([sys.prefix, *sys.path]))"]
  const command = [`${environment}/bin/python`, ...asked]
  const { exitCode, tail } = await processes.run({ command, cwd: environment, env, timeoutMs: PYTHON_TIMEOUT_MS })
  const paths = tail.trim().split("\n")
  if (exitCode !== 0 || paths[0] !== environment) throw new Error("the Python of the environment does not start")
  const foreign = paths.find((path) => others.some((root) => path.startsWith(`${root}/`)))
  if (foreign !== undefined) throw new Error(`Python would import from ${foreign}`)
}

const PYTHON_TIMEOUT_MS = 30_000

async function takeFromUser(work: Work, { unit, key, source }: ExaminedUnit): Promise<CacheEntry | undefined> {
  if (source === undefined) return undefined
  const top = unitFolder(source, unit)
  const places = findPlaces(unit, source)
  const state = () => stateOf(places.map((place) => `${top}/${place}`))
  const before = state()
  try {
    return await work.cache.add(key, { places, origin: source }, async (place, folder) => {
      await copyTree(work, `${top}/${place}`, folder)
      settle(unit, { copy: folder, original: `${top}/${place}`, root: source })
      if (state() !== before) throw new Error(`${top}/${place} changed while it was copied`)
    })
  } catch (error) {
    work.notes.push(`${nameUnit(unit)} of your checkout cannot be used: ${(error as Error).message}`)
    return undefined
  }
}

/** Throws if a link of the copy leads out of the repository. */
function settle(unit: ExaminedUnit["unit"], links: Parameters<typeof settleLinks>[0]): void {
  if (!isNodeUnit(unit)) return
  rmSync(`${links.copy}/.cache`, { recursive: true, force: true })
  const out = settleLinks(links)
  if (out !== undefined) throw new Error(`the link ${out} leads out of the repository`)
}

async function install(work: Work, { unit, key }: ExaminedUnit): Promise<"installed" | undefined> {
  const { folder, runner, cache } = work
  const env = { ...work.env, ...unit.env }
  if (Bun.which(unit.tool, { PATH: env.PATH ?? "" }) === null) {
    work.notes.push(missingTool(unit.tool))
    return undefined
  }
  const top = unitFolder(folder, unit)
  try {
    await runWays(runner, unit, { cwd: top, env })
  } catch (error) {
    // Tools that install elsewhere try again at every build, so gates show whether it matters.
    if (!(error instanceof AppError) || unit.places.length > 0) throw error
    work.notes.push(`${nameUnit(unit)}: ${error.message}`)
    return undefined
  }
  const places = findPlaces(unit, folder)
  try {
    await cache.add(key, { places, origin: folder }, async (place, target) => {
      await copyTree(work, `${top}/${place}`, target)
      settle(unit, { copy: target, original: `${top}/${place}`, root: folder })
    })
  } catch (error) {
    // The next checkout installs it again.
    work.notes.push(`${nameUnit(unit)} was not cached for other checkouts: ${(error as Error).message}`)
  }
  return "installed"
}

async function runWays(
  runner: SetupRunner,
  unit: ExaminedUnit["unit"],
  options: { readonly cwd: string; readonly env: Environment },
): Promise<void> {
  for (const [index, way] of unit.ways.entries()) {
    let failure: Error | undefined
    for (const command of way) {
      const result = await runner.run(command, options)
      if (result.reason === "exited" && result.exitCode === 0) continue
      failure = runner.fail(command, result)
      break
    }
    if (failure === undefined) return
    for (const place of unit.places) rmSync(`${options.cwd}/${place}`, { recursive: true, force: true })
    if (index === unit.ways.length - 1) throw failure
  }
}

/** A failure is only a note: gates show whether it matters. */
async function runOwnScripts(work: Work, { unit }: ExaminedUnit): Promise<void> {
  const cwd = unitFolder(work.folder, unit)
  for (const { name, command } of unit.ownScripts) {
    const result = await work.runner.run(command, { cwd, env: { ...work.env, ...unit.env } })
    if (result.exitCode === 0) continue
    const last = result.tail.trimEnd().split("\n").at(-1) ?? ""
    work.notes.push(`script ${name} of ${inFolder(unit.folder, "package.json")} failed: ${last}`)
  }
}

/** Keeps everything in it from being committed, whatever the repository ignores. */
function ignoreFolder(folder: string): void {
  const file = `${folder}/.gitignore`
  if (!existsSync(file)) writeFileSync(file, "*\n")
}
