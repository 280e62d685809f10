import { openIntegration } from "../../delivery/merge-queue/open-integration.ts"
import { renewIntegration } from "../../delivery/merge-queue/renew-integration.ts"
import { AppError } from "../../kernel/errors.ts"
import { makeNotices } from "../../requests/effects/notify.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { endLead, type Lead, renewLead, takeLead } from "../../teams/operations/lead-team.ts"
import { type Action, type EngineSnapshot, isLong } from "../actions.ts"
import { decide } from "../decide.ts"
import { beginFollowing, readEngine } from "../operations/read-engine.ts"
import { carryOut } from "./carry-out.ts"
import { makeCollisionRanks } from "./collision-ranks.ts"
import { makeEarlyWarning } from "./early-warning.ts"
import type { EngineEnd, OrchestratorOptions, OrchestratorPorts } from "./engine-ports.ts"
import { makeWorkerPool, type WorkerPool } from "./engine-workers.ts"
import { findTested } from "./find-tested.ts"
import { makeApprovalJudge } from "./judge-approvals.ts"
import { type LongActions, makeLongActions } from "./long-actions.ts"

/**
 * Leads a team to its end: reads the state, decides, acts, and repeats on every change. All its memory is in the
 * store and in git: if it is killed, the next one continues from there.
 */
export async function orchestrate(ports: OrchestratorPorts, options: OrchestratorOptions): Promise<EngineEnd> {
  const { context, self } = ports
  const { project, team, run, settings, leaseMs } = options
  const asked = { project, team, run, holder: self.holder, leaseMs, settings, isGone: self.isGone }
  const lead = await takeLead(context, asked)
  let end: EngineEnd | undefined
  const keeping = keepLead(ports, lead)
  try {
    await options.prepare?.()
    // Repairs what killed processes left half done.
    await ports.workspaces.workspaces.examine(true)
    await renew(ports, options)
    end = await loop(ports, options, keeping.lost)
    return end
  } finally {
    await keeping[Symbol.asyncDispose]()
    if (end?.outcome !== "lost") await endLead(context, lead, end?.outcome ?? "failed")
  }
}

/** Until disposed. `lost` fires when another orchestrator leads. */
function keepLead({ context, sleep }: OrchestratorPorts, lead: Lead): AsyncDisposable & { readonly lost: AbortSignal } {
  const ended = new AbortController()
  const lost = new AbortController()
  const renewing = (async () => {
    for (;;) {
      await sleep(lead.leaseMs / 3, ended.signal)
      if (ended.signal.aborted) return
      // An unreachable store may return before the lease ends. If not, the next renewal finds the new leader.
      if (!(await renewLead(context, lead).catch(() => true))) return lost.abort()
    }
  })()
  return {
    lost: lost.signal,
    async [Symbol.asyncDispose]() {
      ended.abort()
      await renewing
    },
  }
}

async function renew({ context, merging, workspaces, say }: OrchestratorPorts, options: OrchestratorOptions) {
  const { project, team, run, target } = options
  const ports = { ...merging, workspaces: workspaces.workspaces }
  for (const line of await renewIntegration(context, ports, { project, team, run, target })) say(line)
  for (const line of await merging.merges.notes()) say(line)
  // All work starts from this branch, whatever the user checks out meanwhile.
  const name = await resolveRun(context, { project, team, run })
  await openIntegration(context, merging.merges, { name, target })
}

/** Work comes in bursts and each look costs time: rest in proportion, so that one look covers several changes. */
const REST_MS = 20
const REST_AFTER_LOOK = 8

async function loop(ports: OrchestratorPorts, options: OrchestratorOptions, lost: AbortSignal): Promise<EngineEnd> {
  const { context, clock, sleep } = ports
  await using watch = await context.store.watch()
  const wake = makeWake([options.drain, options.stop, lost])
  const pool = makeWorkerPool(ports, options)
  // The store's clock decides, which may differ from this machine's.
  let aheadMs = 0
  const long = makeLongActions(ports, options, { now: () => clock.now() - aheadMs, onEnd: wake.now })
  const following = beginFollowing()
  const retryPolicy = makeRetryPolicy(ports)
  const warning = makeEarlyWarning(ports, options)
  const name = await resolveRun(context, options)
  const judge = makeApprovalJudge(ports, name)
  const notices = makeNotices(ports, options)
  const own = findTested(ports, name)
  const ranks = makeCollisionRanks(ports, name)
  ports.runtime.onExit(wake.now)

  /** Returns the end, or how long to rest and to wait. */
  async function round(): Promise<EngineEnd | { readonly restMs: number; readonly waitMs: number }> {
    const lookedAt = clock.now()
    const facts = await readEngine(context, options, following)
    aheadMs = clock.now() - facts.now
    const restMs = Math.max(REST_MS, REST_AFTER_LOOK * (clock.now() - lookedAt))
    const { history } = following
    const workers = pool.look(facts, history)
    await long.update(facts.tasks, history)
    if (options.limits.enableCascade) await own.look(facts.tasks)
    const snapshot: EngineSnapshot = { ...facts, history, workers, ...long.facts(), tested: own.tested }
    ports.onLook?.(snapshot)
    ports.returnMemory?.()
    await notices.look(facts.questions)
    if (options.drain.aborted || options.stop.aborted) return interrupt(options, pool)
    await ranks.look(snapshot)
    const { actions, wakeAt } = decide(snapshot, options.limits)
    const end = await act(ports, options, { actions, pool, long, judge: judge.begin })
    if (end !== undefined) return end
    if (facts.tasks.filter((task) => task.status === "in_progress").length > 1) warning.look()
    const untilWake = wakeAt === null ? Number.POSITIVE_INFINITY : wakeAt - facts.now - (clock.now() - lookedAt)
    return { restMs, waitMs: Math.max(0, Math.min(untilWake, options.monitorIntervalMs)) }
  }

  try {
    for (;;) {
      if (lost.aborted) return { outcome: "lost", reason: "another teamwork run took over" }
      const woken = wake.arm()
      const next = await round().catch(retryPolicy.tolerate)
      if (next === undefined) {
        await sleep(PAUSE_MS, woken)
        continue
      }
      retryPolicy.reset()
      if ("outcome" in next) {
        await Promise.all([warning.ended, notices.ended, judge.ended])
        return await leave(ports, options, { pool, long, end: next })
      }
      await sleep(next.restMs, woken)
      await watch.next(next.waitMs, woken)
    }
  } catch (error) {
    // Workers do not run unsupervised. Their work is in the store or in their worktrees.
    await pool.stopAll({ reason: "the run failed", graceMs: options.shutdownTimeoutMs }).catch(() => undefined)
    ports.abandon()
    throw error
  }
}

interface Hands {
  readonly pool: WorkerPool
  readonly long: LongActions
}

async function leave(
  ports: OrchestratorPorts,
  options: OrchestratorOptions,
  { pool, long, end }: Hands & { readonly end: EngineEnd },
): Promise<EngineEnd> {
  await pool.stopAll({ reason: end.reason, graceMs: options.shutdownTimeoutMs })
  await pool.removeWorktrees()
  ports.abandon()
  await long.ended
  return end
}

const PAUSE_MS = 1000
const MAX_OUTAGE_MS = 120_000

/** A database that restarts does not end a run. */
function makeRetryPolicy({ clock, say }: OrchestratorPorts) {
  let failingSince: number | undefined
  return {
    /** Returns to try again; throws a lasting error. */
    tolerate(error: unknown): undefined {
      const mayPass = error instanceof AppError && ["store.busy", "store.unavailable"].includes(error.code)
      if (failingSince === undefined && mayPass) say(`The store does not answer, and is asked again: ${error.message}`)
      failingSince ??= clock.now()
      if (!mayPass || clock.now() - failingSince > MAX_OUTAGE_MS) throw error
    },
    reset() {
      failingSince = undefined
    },
  }
}

async function act(
  ports: OrchestratorPorts,
  options: OrchestratorOptions,
  {
    actions,
    long,
    ...hands
  }: Hands & {
    readonly actions: readonly Action[]
    readonly judge: ReturnType<typeof makeApprovalJudge>["begin"]
  },
): Promise<EngineEnd | undefined> {
  for (const action of actions) {
    if (action.type === "end") return { outcome: action.outcome, reason: action.reason }
    if (isLong(action)) long.begin(action)
    else await carryOut(ports, options, { action, ...hands })
  }
  return undefined
}

/** Gives agents time to end. Their tasks go back, and the run can be resumed. */
async function interrupt(options: OrchestratorOptions, pool: WorkerPool): Promise<EngineEnd> {
  const reason = "interrupted by a person"
  const insisted = Promise.withResolvers<void>()
  options.stop.addEventListener("abort", () => insisted.resolve())
  if (!options.stop.aborted) {
    const drained = pool.stopAll({ reason, graceMs: options.shutdownTimeoutMs })
    // The second call below repeats all of it.
    drained.catch(() => undefined)
    await Promise.race([drained, insisted.promise])
  }
  await pool.stopAll({ reason, graceMs: 0 })
  return { outcome: "interrupted", reason }
}

interface Wake {
  /** For changes that the store does not report. */
  now(): void
  /** Fires at the next `now`. */
  arm(): AbortSignal
}

function makeWake(signals: readonly AbortSignal[]): Wake {
  let controller = new AbortController()
  for (const signal of signals) signal.addEventListener("abort", () => controller.abort())
  return {
    now: () => controller.abort(),
    arm() {
      controller = new AbortController()
      return controller.signal
    },
  }
}
