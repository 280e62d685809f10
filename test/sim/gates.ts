// The real gates on the simulated repository: commands are simulated, and so is where their results are kept.
import { getSetting } from "../../src/app/config/settings.ts"
import type { Processes, RunRequest, RunResult } from "../../src/lib/process/process.ts"
import { BUILT_IN_ROLES } from "../../src/planning/roles/roles.ts"
import type { ResultPlace, StoredResult } from "../../src/quality/gates/result-store.ts"
import type { Verifier } from "../../src/quality/verify/verifier.ts"
import type { Context } from "../../src/store/operation.ts"
import { SIM_PLACE } from "./git/merges.ts"
import type { SimGit } from "./git.ts"
import { failingTests, isBroken, type SimBase } from "./plans.ts"
import type { Random } from "./random.ts"
import type { SimProcess } from "./world.ts"

export interface SimGates {
  /** As one process has them, in a folder of the repository. */
  verifier(process: SimProcess, use: { context: Context; folder?: string; signal: AbortSignal }): Verifier
}

export interface GateFaults {
  /** Whether a command that would pass fails this time. */
  isFlaky(): boolean
}

/** The longest that a command takes. */
const MAX_COMMAND_MS = 40_000

export function makeSimGates(git: SimGit, random: Random, { isFlaky, base }: GateFaults & { base: SimBase }): SimGates {
  /** What failed by chance once, by tree and command: chance that strikes twice is no chance. */
  const struck = new Set<string>()
  const results = new Map<string, StoredResult>()
  const running = new Map<string, SimProcess>()
  return {
    verifier: (process, { context, folder, signal }) => ({
      ...{ context, roles: BUILT_IN_ROLES, place: SIM_PLACE, repository: git.of(process).gateRepository(folder) },
      settings: {
        ...{ ...context.settings, ignoredFiles: getSetting("gates.ignoredFiles").default },
        kinds: {
          build: { isEnabled: false, lines: [] },
          lint: { isEnabled: base.lacksLinter, lines: ["lint all"] },
          test: { isEnabled: true, lines: ["test all"] },
        },
      },
      runner: {
        processes: makeProcesses(process),
        clock: { now: () => git.repository.now() * 1000 },
        sleep: (ms, abort) => process.sleep(ms, abort),
        ...{ home: "/sim/home", env: {}, mask: (text: string) => text, timeoutMs: 600_000, preparation: "" },
        ...{ maxBytes: 1_000_000, again: false, signal },
        placeOf: (key) => placeOf(process, key),
      },
    }),
  }

  /** Each process has places of its own for what it runs, and all of them the results. */
  function placeOf(process: SimProcess, key: string): ResultPlace {
    return {
      ...{ key, outputFile: `/sim/home/gates/${key}` },
      read: () => results.get(key),
      record: () => ({ write() {}, [Symbol.dispose]() {} }),
      finish(result) {
        if (result === undefined) results.delete(key)
        else results.set(key, result)
      },
      take() {
        const holder = running.get(key)
        if (holder !== undefined && holder.state === "running" && holder !== process) return "busy"
        running.set(key, process)
        return "free"
      },
      leave: () => void running.delete(key),
    }
  }

  function makeProcesses(process: SimProcess): Processes {
    return {
      async run(request) {
        const startedAt = git.repository.now()
        await process.sleep(random.next() * MAX_COMMAND_MS, request.signal)
        if (request.signal?.aborted === true) return ending("cancelled", null, "")
        return process.call("gate.command", () => {
          const judged = judge(request)
          const isUnlucky = judged.exitCode === 0 && strikes(request)
          const { exitCode, text } = isUnlucky ? { exitCode: 1, text: "something timed out" } : judged
          request.onOutput?.(Buffer.from(`${text}\n`))
          const durationMs = (git.repository.now() - startedAt) * 1000
          return { ...ending("exited", exitCode, text), durationMs }
        })
      },
    }
  }

  function strikes({ command, cwd }: RunRequest): boolean {
    const key = JSON.stringify([command.at(-1), [...filesIn(cwd)]])
    if (struck.has(key) || !isFlaky()) return false
    struck.add(key)
    return true
  }

  function judge({ command, cwd }: RunRequest): { exitCode: number; text: string } {
    const line = command.at(-1) ?? ""
    const files = filesIn(cwd)
    if (line === "lint all") return { exitCode: 127, text: "sh: 1: lint: not found" }
    if (line === "test all") return judgeTests(files)
    const task = line.replace(/^check /, "")
    const broken = [...files].find(([path, content]) => path.startsWith(`src/${task}/`) && isBroken(content))
    return broken === undefined ? { exitCode: 0, text: "all is well" } : { exitCode: 1, text: `${broken[0]} is broken` }
  }

  function judgeTests(files: ReadonlyMap<string, string>): { exitCode: number; text: string } {
    const failing = failingTests(files)
    const exitCode = failing.length === 0 ? 0 : 1
    if (!base.isReadable) return { exitCode, text: failing.length === 0 ? "all is well" : `${failing[0]} is broken` }
    const names = [...files.keys(), "all get along"]
    const lines = names.map((name, at) => `${failing.includes(name) ? "not ok" : "ok"} ${at + 1} - ${name}`)
    return { exitCode, text: ["TAP version 13", `1..${names.length}`, ...lines].join("\n") }
  }

  function filesIn(folder: string): ReadonlyMap<string, string> {
    const { repository, checkouts } = git
    const lent = checkouts.lent.get(folder)
    if (lent !== undefined) return repository.objects.files(lent.commit)
    return repository.worktreeAt(folder)?.files ?? repository.main.files
  }
}

function ending(reason: RunResult["reason"], exitCode: number | null, tail: string): RunResult {
  const outputHash = new Bun.CryptoHasher("sha256").update(tail).digest("hex")
  return { reason, exitCode, signal: null, tail, outputHash, durationMs: 0 }
}
