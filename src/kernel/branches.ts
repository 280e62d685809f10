import type { TaskId } from "./ids.ts"
import type { RunName, TeamName } from "./team.ts"

/**
 * Where a team's work lies in git. Ids are safe as parts of a ref.
 *
 * `refs/heads/teamwork/<project>/<team>/<worker>` and `.../integration` are branches. Pins keep what must not be lost, all below
 * `refs/teamwork/<project>/<team>/`: `<task>/<attempt>/<kind>` for attempts at tasks, `workers/<worker>/<n>/<kind>` for
 * work without a task, `delivered/<n>/...` and `integration/...` for what became of the target. What is pinned of run 2
 * and later stands below `runs/<run>/`, in the same order.
 */

export function integrationBranch(name: TeamName): string {
  return `${teamBranches(name)}/integration`
}

export function workerBranch(name: TeamName, worker: string): string {
  return `${teamBranches(name)}/${worker}`
}

/** All branches of the team's workers, and its integration branch. */
export function workerRefs(name: TeamName): string {
  return branchRef(teamBranches(name))
}

function teamBranches({ project, team }: TeamName): string {
  return `teamwork/${project}/${team}`
}

export function branchRef(branch: string): string {
  return `refs/heads/${branch}`
}

/** The branch, in full, that a text names, as those do by which refs of ours remember one. */
export function branchIn(text: string): string | undefined {
  const name = text.trim()
  return /^refs\/heads\/\S+$/.test(name) ? name : undefined
}

/** Pins of the first run stand where they always stood, those of later runs below `runs/<run>`. */
export function teamRefs({ project, team, run }: RunName): string {
  const all = `refs/teamwork/${project}/${team}`
  return run === 1 ? all : `${all}/runs/${run}`
}

export function pinRef(name: RunName, { taskId, attempt }: { taskId: string; attempt: number }, kind: string): string {
  return `${taskRefs(name, taskId)}/${attempt}/${kind}`
}

/** Everything that is pinned of a task. */
export function taskRefs(name: RunName, taskId: string): string {
  return `${teamRefs(name)}/${RESERVED.includes(taskId) ? `_${taskId}` : taskId}`
}

/** What stands beside the tasks. No id starts with an underscore. */
const RESERVED = ["workers", "delivered", "integration", "runs"]

/** The task that a part of a ref stands for. */
export function taskOfRef(part: string): string {
  return part.replace(/^_/, "")
}

export interface ParsedPin {
  readonly taskId: TaskId
  readonly attempt: number
  readonly kind: "base" | "head" | "leftovers" | "aside"
}

/** The attempt at a task that a ref pins the work of; undefined for what later work has replaced. */
export function parsePinRef(name: RunName, ref: string): ParsedPin | undefined {
  const rest = ref.slice(teamRefs(name).length + 1)
  const [, task = "", attempt = "", kind] = /^([^/]+)\/(\d+)\/(base|head|leftovers|aside)$/.exec(rest) ?? []
  if (kind === undefined) return undefined
  return { taskId: taskOfRef(task) as TaskId, attempt: Number(attempt), kind: kind as ParsedPin["kind"] }
}

/** What is pinned of work without a task. */
export function workerPinRef(name: RunName, of: { worker: string; number: number }, kind: string): string {
  return `${teamRefs(name)}/workers/${of.worker}/${of.number}/${kind}`
}

/** Marks whose work a repository has: that of the team that was created, or cleaned, at this time. Else, all marks. */
export function begunRef(name: RunName, at?: number): string {
  const all = `${teamRefs(name)}/integration/begun`
  return at === undefined ? all : `${all}/${at}`
}

/**
 * What belongs to the team's integration branch: `start`, where it began, and `target`, which names the branch that it is
 * to be delivered to.
 */
export function integrationRef(name: RunName, what: "start" | "target"): string {
  return `${teamRefs(name)}/integration/${what}`
}

/** Of the nth delivery: where the target was before and after, and which branch that is. */
export function deliveredRef(name: RunName, number: number, what: "before" | "after" | "target" | "undone"): string {
  return `${teamRefs(name)}/delivered/${number}/${what}`
}
