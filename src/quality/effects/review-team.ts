import { type AskPorts, askAgent } from "../../agents/choose/ask-agent.ts"
import { findIntegration, type Integration } from "../../git/integration.ts"
import type { Merges } from "../../git/port.ts"
import { AppError } from "../../kernel/errors.ts"
import { describeTeam, type TeamName } from "../../kernel/team.ts"
import type { History } from "../../reporting/history.ts"
import { lookAtTeam } from "../../reporting/operations/look-at-team.ts"
import type { Context } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { chooseReviewer } from "../choose-reviewer.ts"
import { noteGateStarted } from "../operations/note-gate.ts"
import { addVerdict } from "../operations/record-verdict.ts"
import { checksOf, describeFinding, parseReview, REVIEW_SCHEMA, type Review } from "../review.ts"
import type { Verdict } from "../verdict.ts"
import { composeReviewPrompt, type ReviewedTask } from "../views/review-prompt.ts"

export interface ReviewPorts {
  readonly context: Context
  readonly merges: Pick<Merges, "find" | "findNamed" | "patch" | "tree">
  /** Lends a folder that holds the commit. */
  checkedOut<T>(commit: string, use: (folder: string) => Promise<T>): Promise<T>
  readonly ask: Omit<AskPorts, keyof TeamName>
  /** The longest prompt for an agent, in characters. */
  promptLimit(agent: string): number
}

export interface ReviewRequest extends TeamName {
  readonly timeoutMs: number | null
  readonly signal?: AbortSignal
}

/** As whom the reviewer takes part in the team. */
const REVIEWER = "reviewer"

/**
 * Has a program that did least of the work look at all of it: the integration branch against where it began. The verdict
 * is skipped, with the reason, where there is nobody to ask or nobody answers. Throws only when it was interrupted.
 */
export async function reviewTeam(ports: ReviewPorts, request: ReviewRequest): Promise<Verdict> {
  const { context, merges } = ports
  const name = await resolveRun(context, request)
  const view = await lookAtTeam(context, name)
  const integration = await findIntegration(merges, name)
  if (integration === undefined) {
    const message = `${describeTeam(name)} has no integration branch`
    throw new AppError("merge.no_branch", message, {}, { remedy: { operation: "swarm merge" } })
  }
  const { tip } = integration
  const judged = { commit: tip, tree: await merges.tree(tip) }
  const begun = { scope: "cross-agent", subject: null, commit: tip, checks: [], by: REVIEWER } as const
  await noteGateStarted(context, name, begun)
  const agents = lastAgents(view.history)
  const choice = chooseReviewer(countBy(agents.values()))
  const outcome =
    "why" in choice
      ? { why: choice.why }
      : await askOneOf(ports, request, {
          ...{ candidates: choice.candidates, integration },
          goal: view.team.goal,
          tasks: [...view.tasks.values()].map((task) => ({
            ...task,
            agent: agents.get(task.id) ?? null,
            worker: view.history.tasks.get(task.id)?.worker ?? null,
            united: view.history.tasks.get(task.id)?.united ?? [],
          })),
        })
  return addVerdict(context, name, { scope: "cross-agent", subject: null, ...judged, ...verdictOf(outcome) })
}

type Outcome = { readonly why: string } | { readonly review: Review; readonly agent: string }

interface Asked {
  readonly candidates: readonly string[]
  readonly integration: Integration
  readonly goal: string
  readonly tasks: readonly ReviewedTask[]
}

async function askOneOf(ports: ReviewPorts, request: ReviewRequest, asked: Asked): Promise<Outcome> {
  const { candidates, integration, goal, tasks } = asked
  const { start, tip } = integration
  const patch = await ports.merges.patch(start, tip)
  const isTask = (id: string) => tasks.some((task) => task.id === id)
  const failures: string[] = []
  for (const agent of candidates) {
    const prompt = composeReviewPrompt({ goal, tasks, from: start, to: tip, patch }, ports.promptLimit(agent))
    try {
      const { structured } = await ports.checkedOut(tip, (folder) =>
        askReviewer(ports, request, { agent, prompt, folder }),
      )
      return { agent, review: parseReview(structured, isTask) }
    } catch (error) {
      if (request.signal?.aborted === true) throw error
      const isNoAnswer = error instanceof AppError && ["agent.unavailable", "agent.failed"].includes(error.code)
      if (!isNoAnswer) throw error
      failures.push(error.message)
    }
  }
  return { why: failures.join("; ") }
}

function askReviewer(
  { ask }: ReviewPorts,
  { project, team, timeoutMs, signal }: ReviewRequest,
  { agent, prompt, folder }: { readonly agent: string; readonly prompt: string; readonly folder: string },
) {
  return askAgent(
    { ...ask, project, team },
    {
      ...{ prompt, folder, schema: REVIEW_SCHEMA, role: "code-reviewer", worker: REVIEWER },
      ...{ agents: [agent], limits: { timeMs: timeoutMs }, signal },
    },
  )
}

/** By task: the agent that worked on it last. */
function lastAgents({ runs }: History): ReadonlyMap<string, string> {
  const agents = new Map<string, string>()
  for (const { task, agent } of runs.values()) if (task !== null) agents.set(task, agent)
  return agents
}

function countBy(names: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function verdictOf(outcome: Outcome): Pick<Verdict, "status" | "checks" | "issues" | "by"> {
  if ("why" in outcome) {
    return {
      status: "skipped",
      checks: [{ name: "review", status: "skipped", evidence: outcome.why }],
      issues: [outcome.why],
      by: REVIEWER,
    }
  }
  const { review, agent } = outcome
  const issues = review.findings.map(describeFinding)
  if (!review.isPassed) return { status: "failed", checks: checksOf(review.findings), issues, by: agent }
  const evidence = `${agent} has read it`
  return { status: "passed", checks: [{ name: "review", status: "passed", evidence }], issues, by: agent }
}
