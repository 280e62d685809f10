import { oneLine, type Screen, table } from "../../lib/text/table.ts"

interface Spawned {
  readonly id: string
  readonly role: string | null
  readonly pid: number
  readonly pane: string | null
  readonly worktree: string | null
  readonly status: string
}

export function renderSpawned(workers: readonly Spawned[], screen: Screen): string {
  return table(
    [
      { title: "WORKER" },
      { title: "ROLE" },
      { title: "STATUS" },
      { title: "PROCESS", align: "right" },
      { title: "PANE" },
      { title: "WORKTREE", flexible: true },
    ],
    workers.map(({ id, role, status, pid, pane, worktree }) => [
      id,
      role ?? "any",
      status,
      String(pid),
      pane ?? "-",
      worktree ?? "-",
    ]),
    screen,
  )
}

interface Stopped {
  readonly id: string
  readonly wasRunning: boolean
  readonly released: readonly string[]
  readonly worktree: string | null
  readonly pins: readonly string[]
}

/** Not cut, so that people can copy refs and paths. */
export function renderStopped(workers: readonly Stopped[]): string {
  return workers.length === 0 ? "No worker runs here." : workers.flatMap(linesOf).join("\n")
}

function linesOf({ id, wasRunning, released, worktree, pins }: Stopped): string[] {
  const tasks = released.length === 0 ? "" : `; given back: ${released.join(", ")}`
  return [
    `${wasRunning ? `Stopped ${id}` : `${id} was not running`}${tasks}`,
    ...pins.map((ref) => `  kept as ${ref}`),
    ...(worktree === null ? [] : [`  removed ${oneLine(worktree)}`]),
  ]
}
