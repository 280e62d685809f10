import { createHash } from "node:crypto"
import { join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import type { Clock } from "../../lib/clock.ts"
import type { Processes, RunResult } from "../../lib/process/process.ts"
import { killAll, processesMarked } from "../../lib/process/process-tree.ts"
import type { Mask } from "../../lib/text/mask-secrets.ts"
import { missingProgram } from "../../lib/text/shell-programs.ts"
import { splitLines } from "../../lib/text/split-lines.ts"
import { findFirstFailure } from "../first-failure.ts"
import { saysNoTests } from "../results/no-tests.ts"
import { readTestResults } from "../results/test-results.ts"
import { fingerprint, listInstalled } from "./fingerprint.ts"
import type { GateCommand } from "./gate-command.ts"
import { findMissingProgram } from "./missing-program.ts"
import { openResultPlace, type ResultPlace, type StoredResult } from "./result-store.ts"
import { hasRunEnough, settleRuns } from "./settle-runs.ts"

export interface Runner {
  readonly processes: Processes
  readonly clock: Clock
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<unknown>
  readonly home: string
  /** For simulations. */
  readonly placeOf?: (key: string) => ResultPlace
  readonly env: Readonly<Record<string, string>>
  readonly mask: Mask
  readonly timeoutMs: number
  /** Part of the key of a result. */
  readonly preparation: string
  /** Adds Python and ports of a checkout; not part of the key. */
  readonly surround?: (env: Readonly<Record<string, string>>, folder: string, inside: string) => Record<string, string>
  readonly maxBytes: number
  readonly again: boolean
  readonly signal: AbortSignal
}

export interface Site {
  readonly tree: string
  /** Null for a clean checkout; else it has files that git ignores. */
  readonly inUse: string | null
  /** `isHere`: the folder has exactly this. */
  readonly setup?: { readonly key: string; readonly isHere: boolean }
  /** Called only if a command has to run. */
  folder(): Promise<string>
}

export interface CommandResult extends Omit<StoredResult, "exitCode"> {
  readonly command: GateCommand
  readonly hasPassed: boolean
  /** Null: it was stopped. */
  readonly exitCode: number | null
  readonly ending: string
  readonly isCached: boolean
  readonly outputFile: string
}

/** While another process runs the same command. */
const WAIT_MS = 50
const KEY_LETTERS = 40
const TAIL_BYTES = 8 * 1024
/** The first failing test is searched here and in the tail. */
const HEAD_LETTERS = 1024 * 1024
/** Longer outputs are not read. */
const MAX_READ_LETTERS = 16 * 1024 * 1024
/** The codes of `timeout` and of a shell. */
const STOPPED_CODE = 124
const KILLED_CODE = 137
const MAX_LINE_BYTES = 1024 * 1024
const KEY_BEGINS = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/
/** Inside a key: one word, or a field such as `Proc-Type: 4,ENCRYPTED`. */
const KEY_LINE = /^\s*\S*\s*$|^[\w-]+: |PRIVATE KEY-----/
const KEY_ENDS = /-----END [A-Z ]{0,30}PRIVATE KEY-----/

/**
 * Returns the stored result for the same tree, machine, programs and environment, or runs the command. Concurrent
 * callers wait for one run. With `twice` a failure counts only after two runs; a failing command never runs a third
 * time on a tree.
 */
export async function runCommand(
  runner: Runner,
  site: Site,
  command: GateCommand,
  { twice = false }: { readonly twice?: boolean } = {},
): Promise<CommandResult> {
  const { place, places } = placesOf(runner, site, command)
  const find = () => (runner.again ? undefined : findStored(runner, command, { places, twice }))
  for (;;) {
    if (runner.signal.aborted) throw new AppError("gate.cancelled", `interrupted before ${command.line} had run`)
    const known = find()
    if (known !== undefined) return known
    const taken = place.take()
    if (taken === "abandoned") endLeftovers(place.key, runner.env)
    if (taken !== "busy") break
    await runner.sleep(WAIT_MS, runner.signal)
  }
  try {
    // Another process may have just finished it.
    return find() ?? (await runNow(runner, site, command, { place, before: earlierRun(runner, places) }))
  } finally {
    place.leave()
  }
}

/** The next run is combined with this one. A run with a shorter time limit does not count. */
function earlierRun({ again, timeoutMs }: Runner, places: readonly ResultPlace[]): StoredResult | undefined {
  if (again) return undefined
  const stored = places.map((place) => place.read()).find((each) => each !== undefined)
  const limitMs = stored?.stopped?.limitMs ?? null
  return limitMs !== null && timeoutMs > limitMs ? undefined : stored
}

export function findResult(
  runner: Runner,
  site: Omit<Site, "folder">,
  command: GateCommand,
): CommandResult | undefined {
  return findStored(runner, command, { places: placesOf(runner, site, command).places, twice: false })
}

function placesOf(runner: Runner, { tree, inUse, setup }: Omit<Site, "folder">, command: GateCommand) {
  const placeOf = runner.placeOf ?? ((key) => openResultPlace(runner.home, key))
  const placeFor = (used: string | null, key: string) =>
    placeOf(keyOf(runner, tree, { command, inUse: used, setup: key }))
  const { key: fresh, isHere } = setup ?? { key: "", isHere: false }
  const place = placeFor(inUse, inUse === null && isHere ? fresh : "")
  // A result of a fresh checkout also holds for a used folder with nothing else installed. Not vice versa: an ignored
  // file may be why the command passed.
  const isBare = fresh === "" && listInstalled(inUse ?? "", command.folder).length === 0
  const isAlike = inUse !== null && (isHere || isBare)
  return { place, places: isAlike ? [place, placeFor(null, fresh)] : [place] }
}

/** Marks the command and its children. The name contains the key, so that nested gates have both marks. */
function markOf(key: string): string {
  return `TEAMWORK_GATE_${key}`
}

/** Ends what a dead runner left: two runs of the same tests could disturb each other. */
function endLeftovers(key: string, env: Runner["env"]): void {
  for (const pid of processesMarked(`${markOf(key)}=1`, env)) killAll(pid, [pid], "SIGKILL")
}

function keyOf(
  { env, preparation }: Runner,
  tree: string,
  { command, inUse, setup }: { readonly command: GateCommand; readonly inUse: string | null; readonly setup: string },
): string {
  const facts = [tree, command.folder, command.command, fingerprint(command, env, inUse), preparation, setup]
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, KEY_LETTERS)
}

function findStored(
  { timeoutMs }: Runner,
  command: GateCommand,
  { places, twice }: { readonly places: readonly ResultPlace[]; readonly twice: boolean },
): CommandResult | undefined {
  for (const { outputFile, read } of places) {
    const stored = read()
    if (stored === undefined || !hasRunEnough(stored, { twice, timeoutMs })) continue
    return toResult(stored, { command, outputFile, isCached: true })
  }
  return undefined
}

function toResult(
  stored: StoredResult,
  { command, ...more }: Pick<CommandResult, "command" | "outputFile" | "isCached">,
): CommandResult {
  const { stopped } = stored
  const exitCode = stopped === undefined ? stored.exitCode : null
  const ending = stopped?.ending ?? endingOf(stored, command)
  return { ...stored, ...more, command, exitCode, ending, hasPassed: exitCode === 0 }
}

interface Run {
  readonly place: ResultPlace
  readonly before: StoredResult | undefined
}

async function runNow(
  runner: Runner,
  site: Site,
  command: GateCommand,
  { place, before }: Run,
): Promise<CommandResult> {
  const folder = await site.folder()
  const cwd = join(folder, command.folder)
  const ranAt = new Date(runner.clock.now()).toISOString()
  const { ended, head, tail, all } = await runRecorded(runner, command, { folder, cwd, place })
  const { durationMs, outputHash } = ended
  // A process ended by a signal has no exit code.
  const exitCode = ended.reason === "exited" ? ended.exitCode : null
  const hasPassed = exitCode === 0
  const output = all ?? head
  const firstFailure = hasPassed ? undefined : findFirstFailure(head, cwd)
  const tests = all === undefined ? undefined : readTestResults(all, cwd)
  // If tests ran, the program exists; the message came from a test.
  const hasRunTests = tests !== undefined && tests.passed.length + tests.failed.length > 0
  const ending = { reason: ended.reason, exitCode, command: command.command, output }
  const missing = hasRunTests ? undefined : findMissingProgram(ending)
  const isLate = ended.reason === "timed-out"
  const stopped = { ending: describe(ended, command, runner.timeoutMs), limitMs: isLate ? runner.timeoutMs : null }
  const now: StoredResult = {
    line: command.line,
    tree: site.tree,
    tail,
    outputHash,
    durationMs,
    ranAt,
    runs: 1,
    exitCode: exitCode ?? (isLate ? STOPPED_CODE : KILLED_CODE),
    ...(firstFailure && { firstFailure }),
    ...(tests && { tests }),
    ...(hasPassed && all !== undefined && saysNoTests(all) && { ranNoTest: true }),
    ...(missing !== undefined && { missing }),
    ...(exitCode === null && { stopped }),
  }
  const settled = settleRuns(before, now)
  // A command that could not start says nothing about the tree.
  const isKept = ended.reason === "exited" || ended.reason === "timed-out"
  place.finish(isKept ? settled : undefined)
  if (ended.reason === "cancelled") throw new AppError("gate.cancelled", `interrupted while ${command.line} ran`)
  return toResult(settled, { command, outputFile: place.outputFile, isCached: false })
}

/** Line by line, so that no secret is cut in two and missed. */
async function runRecorded(
  { processes, env, surround, mask, timeoutMs, maxBytes, signal }: Runner,
  { command }: GateCommand,
  { folder, cwd, place }: { readonly folder: string; readonly cwd: string; readonly place: ResultPlace },
): Promise<{ ended: RunResult; head: string; tail: string; all: string | undefined }> {
  const lines = splitLines(MAX_LINE_BYTES)
  let [head, tail] = ["", ""]
  const kept: string[] = []
  let letters = 0
  using recording = place.record({ maxBytes, mark: (bytes) => `[${bytes} bytes left out]` })
  let isInKey = false
  const keep = (text: string) => {
    // A private key spans many lines.
    const isPart = isInKey && KEY_LINE.test(text)
    isInKey = (isPart || KEY_BEGINS.test(text)) && !KEY_ENDS.test(text)
    const masked = isPart ? "***" : mask(text)
    recording.write(masked)
    if (head.length < HEAD_LETTERS) head += `${masked}\n`
    letters += masked.length + 1
    if (letters <= MAX_READ_LETTERS) kept.push(masked)
    tail = `${tail}${masked}\n`.slice(-TAIL_BYTES)
  }
  const onOutput = (chunk: Uint8Array) => {
    for (const line of lines.push(chunk)) keep(line.text)
  }
  const marked = { ...(surround?.(env, folder, cwd) ?? env), PWD: cwd, [markOf(place.key)]: "1" }
  const ended = await processes.run({ command, cwd, env: marked, timeoutMs, signal, onOutput })
  const rest = lines.end()
  if (rest !== undefined) keep(rest.text)
  const all = letters > MAX_READ_LETTERS ? undefined : kept.join("\n")
  return { ended, head: head.length < HEAD_LETTERS ? head : `${head}${tail}`, tail, all }
}

function endingOf({ exitCode, missing, tail }: StoredResult, { line }: GateCommand): string {
  if (missing !== undefined) return `exited with ${exitCode}: ${missing} was not found`
  if (exitCode === 126) return "exited with 126: it may not be executed"
  if (exitCode !== 127) return `exited with ${exitCode}`
  return `exited with 127: ${missingProgram(tail, line) ?? "a program"} was not found`
}

function describe(ended: RunResult, { command }: GateCommand, timeoutMs: number): string {
  if (ended.reason === "not-found") return `could not be started: ${command[0]} is not installed, or not on the PATH`
  if (ended.reason === "timed-out") return `was stopped after ${timeoutMs / 1000} s, its time limit`
  return `was killed by ${ended.signal ?? "a signal"}`
}
