import type { Deliverable } from "../../delivery/deliverables.ts"
import { describeTeam, type Team, type TeamName } from "../../kernel/team.ts"
import { oneLine } from "../../lib/text/table.ts"

export interface SummaryFacts {
  readonly team: Pick<Team, "project" | "team" | "goal">
  readonly deliverables: readonly Deliverable[]
  readonly pins: readonly string[]
  /** Where the results were exported to. */
  readonly place: string | null
}

export function renderSummary({ team, deliverables, pins, place }: SummaryFacts): string {
  const list = (items: readonly string[]) => items.map((item) => `- ${item}`)
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines]
  return [
    `# ${describeTeam(team)} is done`,
    "",
    oneLine(team.goal),
    ...(place === null ? [] : ["", `Handed over to ${oneLine(place)}`]),
    ...deliverables.flatMap(({ type, tasks }) =>
      section(
        type,
        tasks.flatMap(({ id, title, files }) => [
          `- ${oneLine(`${id}: ${title}`)}`,
          ...files.map((path) => `  - \`${oneLine(path)}\``),
        ]),
      ),
    ),
    ...section("Kept in git", list(pins)),
    "",
  ].join("\n")
}

export const RESUME = "go on with: teamwork resume, then: teamwork run --resume"

export function sayCompleted(name: TeamName, { action, removed, pins, artifacts }: CompletedFacts): string {
  if (action === "keep") return `Kept ${describeTeam(name)}; ${RESUME}`
  const kept = pins.length === 0 ? "" : `; ${pins.length} pins keep what is in no branch, see: teamwork refs`
  const how = action === "export" ? "Exported and archived" : "Archived"
  return `${how} ${describeTeam(name)}: ${artifacts.length} files delivered, ${removed.length} worktrees removed${kept}`
}

interface CompletedFacts {
  readonly action: string
  readonly removed: readonly unknown[]
  readonly pins: readonly unknown[]
  readonly artifacts: readonly unknown[]
}
