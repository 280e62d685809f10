import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Processes, RunResult } from "../../lib/process/process.ts"
import { makeMask } from "../../lib/text/mask-secrets.ts"
import { maskedEnd } from "../../lib/text/masked-clip.ts"
import { quoteArgument } from "../../lib/text/quote-argument.ts"
import type { Context } from "../../store/operation.ts"
import type { Evidence, EvidenceFacts } from "../evidence.ts"
import { assertHolds } from "../operations/assert-holds.ts"
import { getTask, getTeam } from "../operations/lookup.ts"
import { recordEvidence } from "../operations/record-evidence.ts"
import { keepClaim } from "./keep-claim.ts"

export interface EvidenceRun extends TeamName {
  readonly taskId: TaskId
  readonly owner?: string
  readonly token?: number
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Record<string, string | undefined>
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly onOutput: (chunk: Uint8Array) => void
}

/** The hash covers all of it. */
const KEPT_OUTPUT = 8 * 1024

/** Records the result and its commit. */
export async function runEvidence(context: Context, processes: Processes, run: EvidenceRun): Promise<Evidence> {
  // Check first: a long test run without the claim would be wasted.
  const task = await context.store.read(async (tx) => {
    const team = await getTeam(tx, run)
    const found = await getTask(tx, team.key, run.taskId)
    assertHolds(found, run.owner, run.token)
    return found
  })
  // Counts only for this claim, not for a later one of the same owner.
  const token = run.owner === undefined ? run.token : task.claimToken
  const before = await readCommit(processes, run)
  const result = await runHolding(context, processes, { ...run, token })
  if (result.reason === "not-found") {
    throw new AppError(
      "evidence.failed",
      `${run.command[0]} cannot be started in ${run.cwd}; is it installed and on the PATH?`,
    )
  }
  const [entry] = await recordEvidence(context, {
    ...run,
    token,
    entries: [
      {
        type: "command",
        trust: "attested",
        text: "",
        facts: { ...factsOf(run, result), ...before },
        blockedPattern: null,
      },
    ],
  })
  if (entry === undefined) throw new Error("evidence was recorded without an entry")
  return entry
}

/** The command may take longer than the lease. A person without a claim renews nothing. */
async function runHolding(context: Context, processes: Processes, run: EvidenceRun): Promise<RunResult> {
  const { project, team, taskId, owner, token } = run
  const work = () => processes.run({ ...run })
  if (owner === undefined || token === undefined) return work()
  return keepClaim(context, { project, team, id: taskId, owner, token }, work)
}

function factsOf(run: EvidenceRun, result: RunResult): EvidenceFacts {
  const ending =
    result.reason === "exited" ? "" : `\n[${result.reason} after ${Math.round(result.durationMs / 1000)} s]`
  const mask = makeMask(run.env)
  return {
    command: mask(run.command.map(quoteArgument).join(" ")),
    // 128, as in a shell, for a process ended by a signal.
    exitCode: result.reason === "exited" ? (result.exitCode ?? 128) : 124,
    output: maskedEnd(mask, result.tail, KEPT_OUTPUT) + ending,
    outputHash: result.outputHash,
    durationMs: result.durationMs,
  }
}

async function readCommit(processes: Processes, run: EvidenceRun): Promise<EvidenceFacts> {
  const git = (...args: string[]) =>
    processes.run({ command: ["git", ...args], cwd: run.cwd, env: run.env, timeoutMs: 10_000 })
  const head = await git("rev-parse", "HEAD")
  if (head.reason !== "exited" || head.exitCode !== 0) return {}
  const changes = await git("status", "--porcelain")
  return { commit: head.tail.trim(), isDirty: changes.tail.trim() !== "" }
}
