import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { codeOf } from "../../lib/error-code.ts"
import { identityOf, isRunning, type ProcessIdentity } from "../../lib/process/process-identity.ts"
import { openRecording, type Recording, type RecordingLimit } from "../../lib/process/recording.ts"
import type { FirstFailure } from "../first-failure.ts"
import type { TestResults } from "../results/test-results.ts"

/** How a command ended: what it would do again on the same tree. */
export interface StoredResult {
  readonly line: string
  readonly tree: string
  /** Of a command that was stopped 124, as `timeout` has it; of one that was killed 137. */
  readonly exitCode: number
  /** The last part of what it printed, secrets masked. */
  readonly tail: string
  /** SHA-256 of everything it printed. */
  readonly outputHash: string
  readonly durationMs: number
  readonly ranAt: string
  /** Of one that failed, where its output tells. */
  readonly firstFailure?: FirstFailure
  /** Each test by its name, where the output tells. */
  readonly tests?: TestResults
  /** It ended well and says that it ran no test. */
  readonly ranNoTest?: true
  /** The program that is not installed, where that is why it failed. */
  readonly missing?: string
  /** It did not end by itself: why, in a few words. `limitMs` is the time limit that it reached. */
  readonly stopped?: { readonly ending: string; readonly limitMs: number | null }
  /** How often it ran on this tree; missing in results of earlier versions, which stand for one run. */
  readonly runs?: number
  /** It failed and then passed on this tree; the tests that did, where the output tells. */
  readonly flaky?: readonly string[]
}

/** The place of one result: `gates/<key>/` in the home. Files appear in it whole or not at all. */
export interface ResultPlace {
  readonly key: string
  /** All that the command printed, secrets masked. */
  readonly outputFile: string
  /** Undefined as long as there is none, or none that can be read. */
  read(): StoredResult | undefined
  /** Where output goes while the command runs; of this process alone. */
  record(limit: RecordingLimit): Recording
  /** The draft becomes the output. Without a result the next one runs the command again. */
  finish(result: StoredResult | undefined): void
  /**
   * From now on this process runs the command. `abandoned`: so did one that died, and what it had started may be left.
   * `busy`: another one runs it.
   */
  take(): "free" | "abandoned" | "busy"
  leave(): void
}

const RESULT = "result.json"
const OUTPUT = "output.txt"
export const RUNNING = "running.json"

let drafts = 0

export function openResultPlace(home: string, key: string): ResultPlace {
  const folder = join(home, "gates", key)
  const [result, outputFile, running] = [RESULT, OUTPUT, RUNNING].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const draftFile = join(folder, `${process.pid}-${++drafts}.tmp`)
  const draftOf = (file: string) => `${file}.${process.pid}-${drafts}.tmp`
  return {
    key,
    outputFile,
    record: (limit) => openRecording(draftFile, limit),
    read: () => readResult(result),
    finish(ended) {
      renameSync(draftFile, outputFile)
      if (ended === undefined) return rmSync(result, { force: true })
      const draft = draftOf(result)
      writeFileSync(draft, `${JSON.stringify(ended, null, 2)}\n`, { mode: 0o600 })
      renameSync(draft, result)
    },
    take() {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const draft = draftOf(running)
      // Linked into its place with its content, so that nobody finds it half written.
      writeFileSync(draft, JSON.stringify(identityOf(process.pid)), { mode: 0o600 })
      try {
        const wasAbandoned = isAbandoned(running)
        if (wasAbandoned) rmSync(running, { force: true })
        linkSync(draft, running)
        return wasAbandoned ? "abandoned" : "free"
      } catch (error) {
        if (codeOf(error) === "EEXIST") return "busy"
        throw error
      } finally {
        rmSync(draft, { force: true })
      }
    },
    leave: () => rmSync(running, { force: true }),
  }
}

/** Whoever ran the command is gone. */
export function isAbandoned(running: string): boolean {
  const holder = readJson(running) as ProcessIdentity | undefined
  return holder !== undefined && !isRunning(holder)
}

function readResult(file: string): StoredResult | undefined {
  const found = readJson(file) as Partial<StoredResult> | undefined
  return typeof found?.exitCode === "number" && typeof found.tail === "string" ? (found as StoredResult) : undefined
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}
