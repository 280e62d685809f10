import { ofType } from "../../kernel/events.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import type { Past, PastRun } from "../estimate.ts"

/** For a run that did not report its cost. */
export type PriceOf = (model: string, tokens: TokenCount) => number | undefined

interface TokenCount {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
}

/** Older runs say little about today. */
const MOST_TEAMS = 20
const MOST_RUNS = 300

/** Of all teams of this project. */
export async function readPastRuns({ store }: Context, name: TeamName, priceOf: PriceOf): Promise<Past> {
  return store.read(async (tx) => {
    const teams = (await tx.teams.list()).filter(({ project }) => project === name.project)
    const all = (await Promise.all(teams.map((team) => tx.teams.runs(team)))).flat()
    const newest = all.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)).slice(0, MOST_TEAMS)
    const runs: PastRun[] = []
    for (const team of newest) {
      if (runs.length < MOST_RUNS) runs.push(...(await runsOf(tx, team, priceOf)))
    }
    return { schedule: teams.find(({ team }) => team === name.team)?.schedule ?? null, runs }
  })
}

async function runsOf(tx: Tx, { key }: StoredTeam, priceOf: PriceOf): Promise<PastRun[]> {
  const newestOf = async (type: "run.started" | "run.ended") => {
    const after = await tx.events.tailCursor(key, { type, count: MOST_RUNS })
    return (await tx.events.list(key, { after, type, limit: MOST_RUNS })).events
  }
  const ended = ofType(await newestOf("run.ended"), "run.ended").filter(({ data }) => data.reason === "done")
  if (ended.length === 0) return []
  const models = new Map(
    ofType(await newestOf("run.started"), "run.started").map(({ data }) => [data.run, data.model] as const),
  )
  const tasks = new Map((await tx.tasks.list(key)).map((task) => [task.id, task]))
  return ended.flatMap(({ data }) => {
    // A planner or reviewer of the whole has no task.
    if (data.task === null) return []
    const task = tasks.get(data.task)
    const tokens = {
      inputTokens: data.input_tokens,
      cachedTokens: data.cached_tokens,
      outputTokens: data.output_tokens,
    }
    const total = tokens.inputTokens + tokens.outputTokens
    const price = () => (total === 0 ? 0 : priceOf(models.get(data.run) ?? "", tokens))
    return [
      {
        agent: data.agent,
        role: task?.role ?? null,
        complexity: task?.complexity ?? null,
        ms: data.duration_ms,
        tokens: total,
        dollars: data.dollars ?? price() ?? null,
      },
    ]
  })
}
