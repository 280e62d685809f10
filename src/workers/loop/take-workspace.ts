import type { Attempt, CreatedWorkspace, Workspace } from "../../git/port.ts"
import { AppError } from "../../kernel/errors.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { isPersonsClaim } from "../../tasks/persons-claim.ts"
import { noteSetup } from "../operations/note-setup.ts"
import { recordWorkspace } from "../operations/worker-workspace.ts"
import type { Hold } from "./hold-claim.ts"
import { isScripted } from "./script-variables.ts"
import type { Shift } from "./shift.ts"

/**
 * A clean worktree for the attempt: at the newest merged state, or, when somebody had begun this attempt before, at the
 * point that they came to. Commands cannot see how far others got, and so start over; what there was stays pinned.
 */
export async function takeWorkspace(
  shift: Shift,
  hold: Hold,
  wasBegun: boolean,
  byHand?: { readonly before: number | null },
): Promise<Workspace> {
  const { ports, team, worker } = shift
  const attempt: Attempt = { task: hold.task.id, attempt: hold.task.attempt }
  const begun = wasBegun ? await saveEarlier(shift, attempt) : undefined
  // A person goes on from a failed attempt, and sees how far commands got.
  const before = byHand?.before ?? null
  const earlier = begun ?? (before === null ? undefined : await saveEarlier(shift, { ...attempt, attempt: before }))
  const workspace =
    earlier === undefined || (byHand === undefined && isScripted(hold.task))
      ? await ports.workspaces.move({ worker, attempt })
      : await goOn(shift, attempt, earlier)
  const { path, branch, base } = workspace
  const known = await ports.context.store.read(async (tx) => tx.workers.find((await getTeam(tx, team)).key, worker))
  if (known?.worktree !== path || known.branch !== branch)
    await recordWorkspace.run(ports.context, { ...team, workerId: worker, path, branch, base })
  await noteSetup(ports.context, team, { worker, notes: workspace.setupNotes ?? [] })
  return workspace
}

/** With what a person should know of its set-up. */
type ReadyWorkspace = Workspace & Pick<CreatedWorkspace, "setupNotes">

interface Earlier {
  readonly base: string
  readonly head: string
  readonly leftovers: string | undefined
}

/** Pins what other worktrees hold of the attempt, which from now on is no concern of theirs, and tells where it got to. */
async function saveEarlier({ ports, options, worker, history }: Shift, attempt: Attempt): Promise<Earlier | undefined> {
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

/** Leftovers that later work took in, or that it no longer fits together with, are not taken up again. */
async function goOn(shift: Shift, attempt: Attempt, { base, head, leftovers }: Earlier): Promise<ReadyWorkspace> {
  const both = leftovers === undefined ? undefined : await takeTo(shift, attempt, { base, onto: [leftovers, head] })
  return (
    both ??
    (await takeTo(shift, attempt, { base, onto: [head] })) ??
    (await shift.ports.workspaces.move({ worker: shift.worker, attempt, base }))
  )
}

/** Undefined when the commits do not lie on one line. */
async function takeTo(
  { ports, worker }: Shift,
  attempt: Attempt,
  { base, onto }: { readonly base: string; readonly onto: readonly string[] },
): Promise<ReadyWorkspace | undefined> {
  let workspace: ReadyWorkspace = await ports.workspaces.move({ worker, attempt, base })
  for (const commit of onto) {
    try {
      const synced = await ports.workspaces.sync({ worker, onto: commit })
      if (synced.result === "merged") return undefined
      workspace = { ...workspace, head: synced.head }
    } catch (error) {
      if (error instanceof AppError && error.code === "workspace.conflict") return undefined
      throw error
    }
  }
  return workspace
}
