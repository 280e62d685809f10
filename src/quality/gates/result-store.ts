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
  /** 124 for a command that was stopped, 137 for one that was killed. */
  exitCode: v.number(),
  /** The end of the output, secrets masked. */
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
  /** Left out where the output does not name tests. */
  tests: v.optional(v.object({ format: v.string(), passed: names, failed: names, skipped: names })),
  /** It passed, and its output says that it ran no test. */
  ranNoTest: v.optional(v.literal(true)),
  /** It failed because this program is not installed. */
  missing: v.optional(v.string()),
  /** Why it was stopped, in a few words. `limitMs`: by this time limit. */
  stopped: v.optional(v.object({ ending: v.string(), limitMs: v.nullable(v.number()) })),
  /** Runs on this tree; earlier versions left it out for one run. */
  runs: v.optional(v.number()),
  /** It failed and then passed on this tree; the tests that did. */
  flaky: v.optional(names),
})

/** The result of a command on a tree. */
export type StoredResult = Readonly<v.InferOutput<typeof StoredResult>>

/** The folder of one result: `gates/<key>/` in the home. Its files are written atomically. */
export interface ResultPlace {
  readonly key: string
  /** The whole output, secrets masked. */
  readonly outputFile: string
  /** Undefined when there is no readable result. */
  read(): StoredResult | undefined
  /** The draft of the output, of this process alone. */
  record(limit: RecordingLimit): Recording
  /** The draft becomes the output. Without a result the command will run again. */
  finish(result: StoredResult | undefined): void
  /** Reserves the command for this process. `abandoned`: its last runner died. `busy`: another process runs it. */
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

/** The process that ran the command is gone. */
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
