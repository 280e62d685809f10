import type { AskPorts } from "../../agents/choose/ask-agent.ts"
import { makeRunNotes, type RunNotes } from "../../agents/jobs/run-notes.ts"
import { type Budget, chooseBudget, NO_BUDGET, parseBudget, readBudget } from "../../kernel/budget.ts"
import { AppError } from "../../kernel/errors.ts"
import { emptyHistory } from "../../reporting/history.ts"
import { lookAtTeam } from "../../reporting/operations/look-at-team.ts"
import { budgetLeft } from "../../workers/loop/budget-left.ts"
import type { Session } from "../command.ts"
import { findRoles } from "./find-roles.ts"
import { readSurvey } from "./survey.ts"

interface AskOptions {
  /** The question belongs to a run that has not begun. */
  readonly isHeld?: boolean
  /** The limit for that run, planning included. */
  readonly budget?: string
}

export async function askPorts(
  session: Session,
  { isHeld = false, budget }: AskOptions = {},
): Promise<AskPorts & Required<Pick<AskPorts, "notes">>> {
  const { host, context, configured } = session
  const { agentDefaults: defaults, recordings, project, team, hasStore, engine, worker } = await configured()
  const [{ warnings: _, ...survey }, { roles }] = await Promise.all([readSurvey(session), findRoles(session)])
  const noted = { project, team, hasStore, openContext: context }
  const ports = {
    ...survey,
    ...noted,
    roles,
    defaults,
    ids: host.ids,
    callerEnv: host.env,
    faultLimits: (await worker()).faults,
    maxBytes: recordings.maxMegabytes * 1_000_000,
  }
  const notes = makeRunNotes({ ...noted, isHeld })
  // The previous run does not pay for questions about the next.
  if (!isHeld)
    return { ...ports, notes, budget: async () => leftOf(await historyHere(session), (await engine()).budget) }
  const said = budget === undefined ? null : readBudget(parseBudget(budget))
  return { ...ports, ...payFrom(chooseBudget(said, (await engine()).budget), notes) }
}

function leftOf(history: Parameters<typeof budgetLeft>[0], team: Budget) {
  const { tokens, dollars, usedUp } = budgetLeft(
    history,
    { team, worker: NO_BUDGET, task: NO_BUDGET },
    { task: "", worker: "" },
  )
  return { tokens, dollars, usedUp: usedUp === null ? null : `the team's budget: ${usedUp.why}` }
}

/** A team that does not exist has used nothing. */
async function historyHere({ context, configured }: Session) {
  const { project, team, hasStore } = await configured()
  if (!(await hasStore())) return emptyHistory()
  try {
    return (await lookAtTeam(await context(), { project, team })).history
  } catch (error) {
    if (error instanceof AppError && error.code === "team.not_found") return emptyHistory()
    throw error
  }
}

/** Counts by itself: the store gets the runs only when the team's run begins. */
function payFrom(budget: Budget, notes: RunNotes): Pick<AskPorts, "budget"> & { readonly notes: RunNotes } {
  const spent = { tokens: 0, dollars: 0 }
  return {
    notes: {
      ...notes,
      async ended(run) {
        spent.tokens += run.input_tokens + run.output_tokens
        spent.dollars += run.dollars ?? 0
        await notes.ended(run)
      },
    },
    async budget() {
      const left = (unit: keyof Budget) => (budget[unit] === 0 ? null : budget[unit] - spent[unit])
      const [tokens, dollars] = [left("tokens"), left("dollars")]
      const isUsedUp = (tokens ?? 1) <= 0 || (dollars ?? 1) <= 0
      return { tokens, dollars, usedUp: isUsedUp ? "planning has used up the budget of the run" : null }
    },
  }
}
