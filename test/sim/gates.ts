// The real gates on the simulated repository: commands are simulated, and so is where their results are kept.
import { CONFIG_KEYS } from "../../src/app/config/keys.ts"
import type { Processes, RunRequest, RunResult } from "../../src/lib/process/process.ts"
import { BUILT_IN_ROLES } from "../../src/planning/roles/roles.ts"
import type { ResultPlace, StoredResult } from "../../src/quality/gates/result-store.ts"
import type { Verifier } from "../../src/quality/verify/verifier.ts"
import type { Context } from "../../src/store/operation.ts"
import type { SimGit } from "./git.ts"
import { isBroken, whyTestsFail } from "./plans.ts"
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

export function makeSimGates(git: SimGit, random: Random, faults: GateFaults): SimGates {
  const results = new Map<string, StoredResult>()
  const running = new Map<string, SimProcess>()
  return {
    verifier: (process, { context, folder, signal }) => ({
      ...{ context, roles: BUILT_IN_ROLES, repository: git.of(process).gateRepository(folder) },
      settings: {
        ...{ ...context.settings, ignoredFiles: CONFIG_KEYS["gates.ignoredFiles"].default },
        kinds: {
          build: { isEnabled: false, lines: [] },
          lint: { isEnabled: false, lines: [] },
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
          const why = judge(request)
          const isFlaky = why === undefined && faults.isFlaky()
          const text = why ?? (isFlaky ? "something timed out" : "all is well")
          request.onOutput?.(Buffer.from(`${text}\n`))
          const durationMs = (git.repository.now() - startedAt) * 1000
          return { ...ending("exited", why === undefined && !isFlaky ? 0 : 1, text), durationMs }
        })
      },
    }
  }

  function judge({ command, cwd }: RunRequest): string | undefined {
    const line = command.at(-1) ?? ""
    const files = filesIn(cwd)
    if (line === "test all") return whyTestsFail(files)
    const task = line.replace(/^check /, "")
    const broken = [...files].find(([path, content]) => path.startsWith(`src/${task}/`) && isBroken(content))
    return broken === undefined ? undefined : `${broken[0]} is broken`
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
