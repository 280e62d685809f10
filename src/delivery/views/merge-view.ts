import { oneLine, type Screen, table } from "../../lib/text/table.ts"

export interface MergeLine {
  readonly task: string
  readonly outcome: string
  readonly detail: string
}

export interface MergeFacts {
  readonly branch: string
  readonly before: string
  readonly after: string
  readonly lines: readonly MergeLine[]
  readonly notes: readonly string[]
}

export function renderMerge({ branch, before, after, lines, notes }: MergeFacts, screen: Screen): string {
  const name = branch.replace("refs/heads/", "")
  const moved = before === after ? `${name} stays at ${short(after)}` : `${name} is now at ${short(after)}`
  const columns = [{ title: "TASK" }, { title: "OUTCOME" }, { title: "DETAIL", flexible: true }]
  const rows = lines.map(({ task, outcome, detail }) => [task, outcome, detail])
  return [...(rows.length === 0 ? [] : [table(columns, rows, screen)]), moved, ...notes.map(oneLine)].join("\n")
}

export function short(commit: string): string {
  return commit.slice(0, 10)
}
