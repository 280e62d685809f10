import { type Screen, table } from "../../lib/text/table.ts"
import { shortTime } from "../../reporting/views/status-view.ts"

interface ShownWorktree {
  readonly worker: string
  readonly path: string
  readonly branch: string | null
  readonly head: string | null
  readonly state: string
  readonly changes: readonly string[]
}

export function renderWorktrees(worktrees: readonly ShownWorktree[], screen: Screen): string {
  if (worktrees.length === 0) return "No worktrees. Make one with: teamwork worktree create --worker-id w1"
  const state = ({ state, changes }: ShownWorktree) => `${state}${changes.length === 0 ? "" : ` (${changes.length})`}`
  return table(
    [
      { title: "WORKER" },
      { title: "STATE" },
      { title: "BRANCH", flexible: true },
      { title: "HEAD" },
      { title: "PATH", flexible: true },
    ],
    worktrees.map((each) => [each.worker, state(each), each.branch ?? "-", shortCommit(each.head), each.path]),
    screen,
  )
}

interface ShownPin {
  readonly place: { readonly task: string } | { readonly worker: string }
  readonly number: number
  readonly kind: string
  readonly commit: string
  readonly date: string
  readonly subject: string
  readonly isContained: boolean
}

export function renderPins(pins: readonly ShownPin[], screen: Screen): string {
  if (pins.length === 0) return "Nothing is pinned."
  return table(
    [
      { title: "TASK" },
      { title: "#", align: "right" },
      { title: "KIND", flexible: true },
      { title: "COMMIT" },
      { title: "WHEN" },
      { title: "IN TARGET" },
      { title: "SUBJECT", flexible: true },
    ],
    pins.map((pin) => [
      "task" in pin.place ? pin.place.task : `worker ${pin.place.worker}`,
      String(pin.number),
      pin.kind,
      shortCommit(pin.commit),
      shortTime(pin.date),
      pin.isContained ? "yes" : "no",
      pin.subject,
    ]),
    screen,
  )
}

export function shortCommit(commit: string | null): string {
  return commit === null ? "-" : commit.slice(0, 10)
}
