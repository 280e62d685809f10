import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as v from "valibot"
import { codeOf } from "../../lib/error-code.ts"
import { identityOf, isRunning, type ProcessIdentity } from "../../lib/process/process-identity.ts"
import { openRecording, type Recording, type RecordingLimit } from "../../lib/process/recording.ts"

const names = v.pipe(v.array(v.string()), v.readonly())

const StoredResult = v.object({
  line: v.string(),
  tree: v.string(),
  /** 124 if stopped, 137 if killed. */
  exitCode: v.number(),
  /** Secrets masked. */
  tail: v.string(),
  /** SHA-256 of the whole output. */
  outputHash: v.string(),
  durationMs: v.number(),
  ranAt: v.string(),
  firstFailure: v.optional(
    v.object({
      test: v.string(),
      file: v.nullable(v.string()),
      line: v.nullable(v.number()),
      message: v.nullable(v.string()),
    }),
  ),
  /** Missing if the output does not name tests. */
  tests: v.optional(v.object({ format: v.string(), passed: names, failed: names, skipped: names })),
  /** The output says that no test ran. */
  ranNoTest: v.optional(v.literal(true)),
  /** The program that is not installed. */
  missing: v.optional(v.string()),
  /** `limitMs`: the time limit that stopped it. */
  stopped: v.optional(v.object({ ending: v.string(), limitMs: v.nullable(v.number()) })),
  /** Missing in results of earlier versions, for one run. */
  runs: v.optional(v.number()),
  /** Tests that failed and then passed on this tree. */
  flaky: v.optional(names),
})

export type StoredResult = Readonly<v.InferOutput<typeof StoredResult>>

/** `gates/<key>/` in the home. Files are written atomically. */
export interface ResultPlace {
  readonly key: string
  readonly outputFile: string
  /** Undefined without a readable result. */
  read(): StoredResult | undefined
  /** A draft for this process only. */
  record(limit: RecordingLimit): Recording
  /** Makes the draft the output. Without a result the command will run again. */
  finish(result: StoredResult | undefined): void
  /** `abandoned`: its last runner died. `busy`: another process runs it. */
  take(): "free" | "abandoned" | "busy"
  leave(): void
}

export const RUNNING = "running.json"

let drafts = 0

export function openResultPlace(home: string, key: string): ResultPlace {
  const folder = join(home, "gates", key)
  const result = join(folder, "result.json")
  const outputFile = join(folder, "output.txt")
  const running = join(folder, RUNNING)
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
      // A link makes the whole file appear at once.
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

export function isAbandoned(running: string): boolean {
  const holder = readJson(running) as ProcessIdentity | undefined
  return holder !== undefined && !isRunning(holder)
}

function readResult(file: string): StoredResult | undefined {
  const read = v.safeParse(StoredResult, readJson(file))
  return read.success ? read.output : undefined
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}
