import type { Attempt, CreatedWorkspace, Workspace } from "../../git/port.ts"
import { AppError } from "../../kernel/errors.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { isPersonsClaim } from "../../tasks/persons-claim.ts"
import { noteSetup } from "../operations/note-setup.ts"
import { recordWorkspace } from "../operations/worker-workspace.ts"
import { isScripted } from "./agent-job.ts"
import type { ClaimHandle } from "./claim-handle.ts"
import type { WorkerRun } from "./worker-ports.ts"

/**
 * A clean worktree for the attempt: at the newest merged state, or at the end of an earlier claim of this attempt.
 * Scripts cannot see earlier progress, so they start over; the earlier work stays pinned.
 */
export async function takeWorkspace(
  claim: ClaimHandle,
  wasBegun: boolean,
  byHand?: { readonly before: number | null },
): Promise<Workspace> {
  const { ports, team, worker, task } = claim
  const attempt: Attempt = { task: task.id, attempt: task.attempt }
  const begun = wasBegun ? await saveEarlier(claim, attempt) : undefined
  // A person continues a failed attempt, even one of a script.
  const before = byHand?.before ?? null
  const earlier = begun ?? (before === null ? undefined : await saveEarlier(claim, { ...attempt, attempt: before }))
  const workspace =
    earlier === undefined || (byHand === undefined && isScripted(task))
      ? await ports.workspaces.move({ worker, attempt })
      : await resumeWork(claim, attempt, earlier)
  const { path, branch, base } = workspace
  const known = await ports.context.store.read(async (tx) => tx.workers.find((await getTeam(tx, team)).key, worker))
  if (known?.worktree !== path || known.branch !== branch)
    await recordWorkspace(ports.context, { ...team, workerId: worker, path, branch, base })
  await noteSetup(ports.context, team, { worker, notes: workspace.setupNotes ?? [] })
  return workspace
}

type ReadyWorkspace = Workspace & Pick<CreatedWorkspace, "setupNotes">

interface Earlier {
  readonly base: string
  readonly head: string
  readonly leftovers: string | undefined
}

/** Pins what other worktrees hold of the attempt, takes it away from them, and finds its latest state. */
async function saveEarlier(run: WorkerRun, attempt: Attempt): Promise<Earlier | undefined> {
  const { ports, options, worker, history } = run
  const { workspaces, pins } = ports
  const holders = (await workspaces.list()).filter(
    (each) => each.attempt?.task === attempt.task && each.attempt.attempt === attempt.attempt,
  )
  for (const holder of holders) {
    const fact = isPersonsClaim(holder.worker)
      ? { id: holder.worker, machine: options.process.machine, pid: null, processStart: null }
      : (await history.read()).workers.get(holder.worker)
    if (fact !== undefined && holder.worker !== worker) await ports.endOrphans(fact)
    await workspaces.pin({ worker: holder.worker })
    if (holder.worker !== worker) await workspaces.disown({ worker: holder.worker, attempt })
  }
  const [base, head, leftovers] = await Promise.all([
    pins.find(attempt, "base"),
    pins.find(attempt, "head"),
    pins.find(attempt, "leftovers"),
  ])
  if (base === undefined || head === undefined) return undefined
  return { base: base.commit, head: head.commit, leftovers: leftovers?.commit }
}

/** Drops leftovers that the head already contains or conflicts with. */
async function resumeWork(run: WorkerRun, attempt: Attempt, { base, head, leftovers }: Earlier) {
  const both = leftovers === undefined ? undefined : await fastForward(run, attempt, base, [leftovers, head])
  return (
    both ??
    (await fastForward(run, attempt, base, [head])) ??
    (await run.ports.workspaces.move({ worker: run.worker, attempt, base }))
  )
}

/** Undefined when the commits are not on one line. */
async function fastForward(
  { ports, worker }: WorkerRun,
  attempt: Attempt,
  base: string,
  commits: readonly string[],
): Promise<ReadyWorkspace | undefined> {
  let workspace: ReadyWorkspace = await ports.workspaces.move({ worker, attempt, base })
  for (const onto of commits) {
    try {
      const synced = await ports.workspaces.sync({ worker, onto })
      if (synced.result === "merged") return undefined
      workspace = { ...workspace, head: synced.head }
    } catch (error) {
      if (error instanceof AppError && error.code === "workspace.conflict") return undefined
      throw error
    }
  }
  return workspace
}
