import { openIntegration } from "../../delivery/merge-queue/open-integration.ts"
import { renewIntegration } from "../../delivery/merge-queue/renew-integration.ts"
import { AppError } from "../../kernel/errors.ts"
import { makeNotices } from "../../requests/effects/notify.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { endLead, takeLead } from "../../teams/operations/lead-team.ts"
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
import { keepLead } from "./keep-lead.ts"
import { type LongActions, makeLongActions } from "./long-actions.ts"

/**
 * Leads a team to its end: looks at what is, decides what should be done, does it, and looks again whenever something
 * changed. All it must remember is in the store and in git: killed anywhere, the next one goes on from there.
 */
export async function orchestrate(ports: OrchestratorPorts, options: OrchestratorOptions): Promise<EngineEnd> {
  const { context, self } = ports
  const name = { project: options.project, team: options.team, run: options.run }
  const { settings, leaseMs } = options
  const lead = await takeLead(context, { ...name, holder: self.holder, leaseMs, settings, isGone: self.isGone })
  let end: EngineEnd | undefined
  const keeping = keepLead(ports, lead)
  try {
    await options.prepare?.()
    // What killed processes left half done, before anybody works there again.
    await ports.workspaces.workspaces.examine(true)
    await renew(ports, options)
    end = await loop(ports, options, keeping.lost)
    return end
  } finally {
    await keeping[Symbol.asyncDispose]()
    if (end?.outcome !== "lost") await endLead(context, lead, end?.outcome ?? "failed")
  }
}

async function renew({ context, merging, workspaces, say }: OrchestratorPorts, options: OrchestratorOptions) {
  const { project, team, run, target } = options
  const ports = { ...merging, workspaces: workspaces.workspaces }
  for (const line of await renewIntegration(context, ports, { project, team, run, target })) say(line)
  for (const line of await merging.merges.notes()) say(line)
  // From here on all work starts from it, whatever is checked out meanwhile.
  const name = await resolveRun(context, { project, team, run })
  await openIntegration(context, merging.merges, { name, target })
}

/**
 * Work comes in bursts, and each look costs, more so with many tasks: several changes are looked at together, so that
 * looking takes a small part of the time however many tasks there are.
 */
const REST_MS = 20
const REST_AFTER_LOOK = 8

async function loop(ports: OrchestratorPorts, options: OrchestratorOptions, lost: AbortSignal): Promise<EngineEnd> {
  const { context, clock, runtime, sleep } = ports
  await using watch = await context.store.watch()
  const wake = makeWake([options.drain, options.stop, lost])
  const pool = makeWorkerPool(ports, options)
  // The clock of this machine may be another than the store's, by which everything is decided.
  let aheadMs = 0
  const long = makeLongActions(ports, options, { now: () => clock.now() - aheadMs, onEnd: wake.now })
  const following = beginFollowing()
  const patience = makePatience(ports)
  const warning = makeEarlyWarning(ports, options)
  const judge = makeApprovalJudge(ports, { project: options.project, team: options.team, run: options.run })
  const notices = makeNotices(ports, options)
  const name = await resolveRun(context, options)
  const own = findTested(ports, name)
  const ranks = makeCollisionRanks(ports, name)
  runtime.onExit(wake.now)

  /** Looks, decides and acts once; the end, or how long to rest and to wait. */
  async function round(): Promise<EngineEnd | { readonly restMs: number; readonly waitMs: number }> {
    const lookedAt = clock.now()
    const facts = await readEngine(context, options, following)
    aheadMs = clock.now() - facts.now
    const restMs = Math.max(REST_MS, REST_AFTER_LOOK * (clock.now() - lookedAt))
    const { history } = following
    const workers = pool.look(facts, history)
    long.heed(facts.tasks, history)
    if (long.elsewhere.size > 0) await long.lookElsewhere()
    const { busy, settled, queued, elsewhere, delivery, troubles, mergeAfter } = long
    if (options.limits.enableCascade) await own.look(facts.tasks)
    const { tested } = own
    const known = { busy, settled, queued, elsewhere, delivery, troubles, tested, mergeAfter }
    const snapshot: EngineSnapshot = { ...facts, history, workers, ...known }
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
      const next = await round().catch(patience.bear)
      patience.renew(next !== undefined)
      if (next === undefined) await sleep(PAUSE_MS, woken)
      else if ("outcome" in next) {
        await Promise.all([warning.ended, notices.ended, judge.ended])
        return await leave(ports, options, { pool, long, end: next })
      } else {
        await sleep(next.restMs, woken)
        await watch.next(next.waitMs, woken)
      }
    }
  } catch (error) {
    // Nobody would look after them; what they did is in the store or in their worktrees.
    await pool.stopAll({ reason: "the run failed", graceMs: options.shutdownTimeoutMs }).catch(() => undefined)
    ports.abandon()
    throw error
  }
}

/** Everything the team's processes left is gone, and what they did is kept. */
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

/** Between two tries to reach a store that cannot be reached. */
const PAUSE_MS = 1000
const MAX_OUTAGE_MS = 120_000

/** A database that restarts is no reason to give up a team. */
function makePatience({ clock, say }: OrchestratorPorts) {
  let failingSince: number | undefined
  return {
    /** Undefined to try again; throws what does not pass by itself. */
    bear(error: unknown): undefined {
      const mayPass = error instanceof AppError && ["store.busy", "store.unavailable"].includes(error.code)
      if (failingSince === undefined && mayPass) say(`The store does not answer, and is asked again: ${error.message}`)
      failingSince ??= clock.now()
      if (!mayPass || clock.now() - failingSince > MAX_OUTAGE_MS) throw error
    },
    renew(isFine: boolean) {
      if (isFine) failingSince = undefined
    },
  }
}

interface Hands {
  readonly pool: WorkerPool
  readonly long: LongActions
}

type Judge = ReturnType<typeof makeApprovalJudge>["begin"]

/** The end, if that was decided. */
async function act(
  ports: OrchestratorPorts,
  options: OrchestratorOptions,
  { actions, pool, long, judge }: Hands & { readonly actions: readonly Action[]; readonly judge: Judge },
): Promise<EngineEnd | undefined> {
  for (const action of actions) {
    if (action.type === "end") return { outcome: action.outcome, reason: action.reason }
    if (isLong(action)) long.begin(action)
    else await carryOut(ports, options, { action, pool, judge })
  }
  return undefined
}

/** Workers get the time to bring their agents to an end; what they held goes back, and all of it can be resumed. */
async function interrupt(options: OrchestratorOptions, pool: WorkerPool): Promise<EngineEnd> {
  const reason = "interrupted by a person"
  const insisted = Promise.withResolvers<void>()
  options.stop.addEventListener("abort", () => insisted.resolve())
  if (!options.stop.aborted) {
    const drained = pool.stopAll({ reason, graceMs: options.shutdownTimeoutMs })
    // Whatever becomes of it once somebody insists: all of it is done again below.
    drained.catch(() => undefined)
    await Promise.race([drained, insisted.promise])
  }
  await pool.stopAll({ reason, graceMs: 0 })
  return { outcome: "interrupted", reason }
}

interface Wake {
  /** Something happened that the store does not tell of. */
  now(): void
  /** Fires at the next `now`, from here on. */
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
