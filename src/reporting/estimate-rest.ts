import { longestChain } from "../planning/longest-chain.ts"
import { hasEnded, type Task } from "../tasks/task.ts"
import type { TeamView } from "./team-view.ts"

/**
 * Estimates the remaining milliseconds from the mean of finished tasks; null before the first one. Waves run one
 * after the other; otherwise the number of workers or the longest chain decides.
 */
export function estimateRest({ history, tasks, team, workers }: TeamView, now: number): number | null {
  const finished = [...history.tasks.values()].filter((fact) => fact.endedAt !== null && fact.workMs > 0)
  if (finished.length === 0) return null
  const mean = sum(finished.map(({ workMs }) => workMs)) / finished.length
  const restOf = ({ id, status }: Task) => {
    if (status === "in_review") return 0
    const since = history.tasks.get(id)?.claimedAt ?? null
    return since === null ? mean : Math.max(0, mean - (now - since))
  }
  const left = [...tasks.values()].filter((task) => !hasEnded(task.status))
  const hands = Math.max(1, workers.length)
  if (team.schedule === "eager") {
    const links = left.map((task) => ({ id: task.id, needs: task.blockedBy, ms: restOf(task) }))
    return Math.max(sum(links.map(({ ms }) => ms)) / hands, longestChain(links).ms)
  }
  const layers = Map.groupBy(left, (task) => task.wave ?? 0)
  return sum([...layers.values()].map((layer) => layerTime(layer.map(restOf), hands)))
}

function layerTime(times: readonly number[], hands: number): number {
  return times.reduce((longest, each) => Math.max(longest, each), sum(times) / hands)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
