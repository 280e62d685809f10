import type { Event } from "../kernel/events.ts"

const MOST_COMMITS = 5

/** A line about what others did to refs; undefined for other events. */
export function describeForeignMove({ type, data }: Event): string | undefined {
  switch (type) {
    case "task.pin_restored": {
      const kept = data.kept === null ? "" : `; what it was moved to is kept as ${data.kept}`
      const what = data.from === null ? "deleted" : `moved to ${short(data.from)}`
      return `${data.ref} was ${what} by others and is back at ${short(data.to)}, the work of task ${data.task}${kept}`
    }
    case "integration.restored": {
      const kept = data.kept === null ? "" : `; they are kept as ${data.kept}`
      const of =
        data.commits.length === 0 ? "" : `, without commits that are not teamwork's: ${list(data.commits)}${kept}`
      return `${data.branch} was moved by others and is back at ${short(data.to)}${of}`
    }
    case "integration.refs_restored":
      return `changed or deleted by others, and restored: ${data.refs.join(", ")}`
    case "target.moved": {
      const count = data.commits.length === 1 ? "1 commit that is" : `${data.commits.length} commits that are`
      return `${data.target} moved from ${short(data.from)} to ${short(data.to)} by ${count} not teamwork's: ${list(data.commits)}`
    }
    default:
      return undefined
  }
}

function list(commits: readonly string[]): string {
  const more = commits.length > MOST_COMMITS ? ` and ${commits.length - MOST_COMMITS} more` : ""
  return `${commits.slice(0, MOST_COMMITS).join(", ")}${more}`
}

function short(commit: string): string {
  return commit.slice(0, 10)
}
