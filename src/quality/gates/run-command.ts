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
  /** The home of teamwork, where results are kept. */
  readonly home: string
  /** Keeps them elsewhere, as a simulation does. */
  readonly placeOf?: (key: string) => ResultPlace
  /** The whole environment of every command. */
  readonly env: Readonly<Record<string, string>>
  readonly mask: Mask
  readonly timeoutMs: number
  /** What makes a checkout ready for commands; with another one they may end otherwise. */
  readonly preparation: string
  /** The environment as programs in a checkout get it: its own Python, its ports. No part of what results are kept by. */
  readonly surround?: (env: Readonly<Record<string, string>>, folder: string, inside: string) => Record<string, string>
  /** How much of an output is kept. */
  readonly maxBytes: number
  /** Run what ran before on the same tree. */
  readonly again: boolean
  readonly signal: AbortSignal
}

/** Where a tree's commands run. */
export interface Site {
  readonly tree: string
  /** The folder, when it holds more than the tree: what git ignores. Null for one that holds nothing else. */
  readonly inUse: string | null
  /** What is installed by itself in a fresh checkout; left out where nothing is. */
  readonly setup?: {
    readonly key: string
    /** Whether what is installed in the folder is just that. */
    readonly isHere: boolean
  }
  /** Opened only when a command really has to run. */
  folder(): Promise<string>
}

export interface CommandResult extends Omit<StoredResult, "exitCode"> {
  readonly command: GateCommand
  readonly hasPassed: boolean
  /** Null unless it ended by itself. */
  readonly exitCode: number | null
  /** How it ended, in a few words. */
  readonly ending: string
  /** It ran earlier, on the same tree. */
  readonly isCached: boolean
  readonly outputFile: string
}

/** How often somebody who waits for another process to run the same command looks whether it is done. */
const WAIT_MS = 50
const KEY_LETTERS = 40
const TAIL_BYTES = 8 * 1024
/** How far the first failing test is looked for from the beginning; behind that only in the tail. */
const HEAD_LETTERS = 1024 * 1024
/** Results of tests are read from outputs up to here: of a longer one nobody could say that all failures were found. */
const MAX_READ_LETTERS = 16 * 1024 * 1024
/** As `timeout` and the shell have it for what was stopped, and for what was killed. */
const STOPPED_CODE = 124
const KILLED_CODE = 137
const MAX_LINE_BYTES = 1024 * 1024
const KEY_BEGINS = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/
/** Letters without a space, or a field such as `Proc-Type: 4,ENCRYPTED`: not what a person would want to read. */
const KEY_LINE = /^\s*\S*\s*$|^[\w-]+: |PRIVATE KEY-----/
const KEY_ENDS = /-----END [A-Z ]{0,30}PRIVATE KEY-----/

/**
 * Runs a command on a tree, unless it ran on that very tree before, on the same machine with the same programs and
 * environment: then that is the result, good or bad. Of several who ask at once one runs it, the others wait. With
 * `twice`, a failure counts only when it came in two runs; no failing command ever runs a third time on one tree.
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
    // Whoever had taken it may have just finished.
    return find() ?? (await runNow(runner, site, command, { place, before: earlierRun(runner, places) }))
  } finally {
    place.leave()
  }
}

/** The run that the next one is held against. One that had less time is none. */
function earlierRun({ again, timeoutMs }: Runner, places: readonly ResultPlace[]): StoredResult | undefined {
  if (again) return undefined
  const stored = places.map((place) => place.read()).find((each) => each !== undefined)
  const limitMs = stored?.stopped?.limitMs ?? null
  return limitMs !== null && timeoutMs > limitMs ? undefined : stored
}

/** What is known of a command on a tree; runs nothing. */
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
  // What a fresh checkout gave holds for a folder in use as well, as long as nothing is installed there, or just
  // what a fresh one would have. Not the other way round: a file that git ignores may be why it went well.
  const isBare = fresh === "" && listInstalled(inUse ?? "", command.folder).length === 0
  const isAlike = inUse !== null && (isHere || isBare)
  return { place, places: isAlike ? [place, placeFor(null, fresh)] : [place] }
}

/** In the environment of the command and all it starts; the name carries the key, so that one inside of another has both. */
function markOf(key: string): string {
  return `TEAMWORK_GATE_${key}`
}

/** Two runs of the same tests at once could disturb each other, and nobody would ever end the first. */
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
  /** What is known of the same tree already. */
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
  // A process ended by a signal has no exit code: somebody or something stopped it.
  const exitCode = ended.reason === "exited" ? ended.exitCode : null
  const hasPassed = exitCode === 0
  const output = all ?? head
  const firstFailure = hasPassed ? undefined : findFirstFailure(head, cwd)
  const tests = all === undefined ? undefined : readTestResults(all, cwd)
  // Where tests ran, the program is there: one of them printed that another one is missing, and the rest still counts.
  const hasRunTests = tests !== undefined && tests.passed.length + tests.failed.length > 0
  const ending = { reason: ended.reason, exitCode, command: command.command, output }
  const missing = hasRunTests ? undefined : findMissingProgram(ending)
  const stopped =
    exitCode === null
      ? {
          ending: describe(ended, command, runner.timeoutMs),
          limitMs: ended.reason === "timed-out" ? runner.timeoutMs : null,
        }
      : undefined
  const now: StoredResult = {
    ...{ line: command.line, tree: site.tree, tail, outputHash, durationMs, ranAt, runs: 1 },
    exitCode: exitCode ?? (ended.reason === "timed-out" ? STOPPED_CODE : KILLED_CODE),
    ...(firstFailure === undefined ? {} : { firstFailure }),
    ...(tests === undefined ? {} : { tests }),
    ...(hasPassed && all !== undefined && saysNoTests(all) ? { ranNoTest: true } : {}),
    ...(missing === undefined ? {} : { missing }),
    ...(stopped === undefined ? {} : { stopped }),
  }
  const settled = settleRuns(before, now)
  // What could not be started says nothing of the tree.
  const isKept = ended.reason === "exited" || ended.reason === "timed-out"
  place.finish(isKept ? settled : undefined)
  if (ended.reason === "cancelled") throw new AppError("gate.cancelled", `interrupted while ${command.line} ran`)
  return toResult(settled, { command, outputFile: place.outputFile, isCached: false })
}

/** All of it goes to the file, line by line so that no secret is cut in two and slips through. */
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
    // A private key is a secret of many lines.
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

/** A program that the command needs, or a file of the repository, may be missing: shells exit with 127 then. */
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
