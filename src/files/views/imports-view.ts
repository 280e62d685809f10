import { oneLine } from "../../lib/text/table.ts"

export interface ImportFacts {
  readonly dryRun: boolean
  readonly teams: readonly {
    readonly project: string
    readonly team: string
    readonly run?: number
    readonly layout: string
    readonly source: string
    readonly result: "imported" | "unchanged" | "moved on" | "conflict"
    readonly counts: { readonly [what: string]: number }
  }[]
  readonly skipped: readonly Note[]
  readonly changed: readonly Note[]
  readonly refused: readonly Note[]
}

interface Note {
  readonly file: string
  readonly what: string
}

/** `--json` has all of them. */
const MOST_NOTES = 20

export function renderImport(facts: ImportFacts): string {
  return [
    ...facts.teams.map((team) => teamLine(team, facts.dryRun)),
    ...facts.refused.map(({ file, what }) => `Refused ${oneLine(file)}: ${oneLine(what)}`),
    ...notes("left out", facts.skipped),
    ...notes("changed", facts.changed),
  ].join("\n")
}

function teamLine(team: ImportFacts["teams"][number], dryRun: boolean): string {
  const run = team.run === undefined || team.run === 1 ? "" : `, run ${team.run}`
  const name = `${team.project}/${team.team}${run}`
  const from = `from ${oneLine(team.source)} (${team.layout})`
  switch (team.result) {
    case "imported":
      return `${dryRun ? "Would import" : "Imported"} ${name} ${from}: ${countsLine(team.counts)}`
    case "unchanged":
      return `Unchanged ${name}: it was imported ${from} before`
    case "moved on":
      return `Unchanged ${name}: it was imported ${from} before, and it or the files changed since; the store keeps what it has`
    case "conflict":
      return `Refused ${name} ${from}: another project has this name; import it under another name with --as PROJECT/TEAM`
  }
}

function countsLine(counts: { readonly [what: string]: number }): string {
  const { tasks = 0, resolved = 0, ...others } = counts
  const rest = Object.entries(others)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${count === 1 ? what.replace(/s$/, "") : what}`)
  return [`${tasks} ${tasks === 1 ? "task" : "tasks"} (${resolved} resolved)`, ...rest].join(", ")
}

function notes(kind: string, list: readonly Note[]): string[] {
  const lines = list.slice(0, MOST_NOTES).map(({ file, what }) => `  ${kind} ${oneLine(file)}: ${oneLine(what)}`)
  return list.length > MOST_NOTES ? [...lines, `  ${list.length - MOST_NOTES} more ${kind}; --json lists all`] : lines
}
