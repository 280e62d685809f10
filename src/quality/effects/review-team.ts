import { type AskPorts, askAgent, UnreadAnswers } from "../../agents/choose/ask-agent.ts"
import { askInTurn } from "../../agents/choose/ask-in-turn.ts"
import { findIntegration, type Integration } from "../../git/integration.ts"
import type { Merges } from "../../git/port.ts"
import { AppError } from "../../kernel/errors.ts"
import { describeTeam, type RunName, type TeamName } from "../../kernel/team.ts"
import { sleep } from "../../lib/sleep.ts"
import type { History } from "../../reporting/history.ts"
import { lookAtTeam } from "../../reporting/operations/look-at-team.ts"
import type { Context } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { chooseReviewer } from "../choose-reviewer.ts"
import { mustBeFixed } from "../finding.ts"
import { listFindings } from "../operations/manage-findings.ts"
import { noteGateStarted } from "../operations/note-gate.ts"
import { recordReview } from "../operations/record-review.ts"
import { addVerdict } from "../operations/record-verdict.ts"
import { parseReview, type Review, readReviewText, reviewSchema } from "../review.ts"
import type { Verdict } from "../verdict.ts"
import { composeReviewPrompt, type ReviewFacts } from "../views/review-prompt.ts"

export interface ReviewPorts {
  readonly context: Context
  readonly merges: Pick<Merges, "find" | "findNamed" | "patch" | "tree">
  checkedOut<T>(commit: string, use: (folder: string) => Promise<T>): Promise<T>
  /** Called for each round, because rate limits end meanwhile. */
  openAsk(): Promise<Omit<AskPorts, keyof TeamName>>
  /** In characters. */
  promptLimit(agent: string): number
}

export interface ReviewRequest extends TeamName {
  readonly timeoutMs: number | null
  /** How long to wait if all reviewers are rate-limited; 15 minutes by default. */
  readonly patienceMs?: number
  readonly signal?: AbortSignal
}

const REVIEWER = "reviewer"
const PATIENCE_MS = 15 * 60_000

/**
 * Asks an agent that did least of the work to review all of it and to check earlier findings. Each agent gets two
 * tries, then the next one is asked. Without a verdict the review is skipped, with the reason. Throws only when
 * interrupted.
 */
export async function reviewTeam(ports: ReviewPorts, request: ReviewRequest): Promise<Verdict> {
  const { context, merges } = ports
  const name = await resolveRun(context, request)
  const integration = await findIntegration(merges, name)
  if (integration === undefined) {
    const message = `${describeTeam(name)} has no integration branch`
    throw new AppError("merge.no_branch", message, {}, { remedy: { operation: "swarm merge" } })
  }
  const { tip } = integration
  const judged = { commit: tip, tree: await merges.tree(tip) }
  const begun = { scope: "cross-agent", subject: null, commit: tip, checks: [], by: REVIEWER } as const
  await noteGateStarted(context, name, begun)
  const outcome = await findOutcome(ports, request, { name, integration })
  if ("review" in outcome) return recordReview(context, name, { ...outcome, ...judged, by: REVIEWER })
  const checks = [{ name: "review", status: "skipped", evidence: outcome.why }] as const
  return addVerdict(context, name, { ...begun, ...judged, status: "skipped", checks, issues: [outcome.why] })
}

type Outcome = { readonly why: string } | { readonly review: Review; readonly agent: string }

interface Place {
  readonly name: RunName
  readonly integration: Integration
}

async function findOutcome(ports: ReviewPorts, request: ReviewRequest, place: Place): Promise<Outcome> {
  const { context } = ports
  const { facts, done } = await readFacts(ports, place)
  let until: number | undefined
  for (;;) {
    const ask = await ports.openAsk()
    until ??= ask.clock.now() + (request.patienceMs ?? PATIENCE_MS)
    const agents = ask.ready.filter(({ isEnabled }) => isEnabled).map(({ agent }) => agent.name)
    const choice = chooseReviewer({ done, agents, isRequired: context.settings.reviewRequired })
    if ("why" in choice) return choice
    const round = await askInTurn({
      agents: choice.candidates,
      now: () => ask.clock.now(),
      signal: request.signal,
      ask: (agent, turn) => askReviewer(ports, request, { ask, facts, agent, turn }),
    })
    if ("review" in round) return round
    if (round.retryAt === null || round.retryAt > until) return round
    await sleep(Math.max(MIN_WAIT_MS, round.retryAt - ask.clock.now()), request.signal)
    if (request.signal?.aborted === true) throw new AppError("agent.failed", "the review was interrupted")
  }
}

const MIN_WAIT_MS = 1000

async function readFacts({ context, merges }: ReviewPorts, { name, integration }: Place) {
  const view = await lookAtTeam(context, name)
  const agents = lastAgents(view.history)
  const { start, tip } = integration
  const facts: ReviewFacts = {
    goal: view.team.goal,
    from: start,
    to: tip,
    patch: await merges.patch(start, tip),
    earlier: (await listFindings.run(context, { ...name, open: true })).filter(mustBeFixed),
    tasks: [...view.tasks.values()].map((task) => ({
      ...task,
      result: task.result ?? "",
      agent: agents.get(task.id) ?? null,
      worker: view.history.tasks.get(task.id)?.worker ?? null,
      united: view.history.tasks.get(task.id)?.united ?? [],
    })),
  }
  const done = new Map([...Map.groupBy(agents.values(), (agent) => agent)].map(([agent, all]) => [agent, all.length]))
  return { facts, done }
}

interface Asked {
  readonly ask: Omit<AskPorts, keyof TeamName>
  readonly facts: ReviewFacts
  readonly agent: string
  readonly turn: number
}

async function askReviewer(ports: ReviewPorts, request: ReviewRequest, asked: Asked) {
  const { facts, agent } = asked
  try {
    const { structured } = await askOnce(ports, request, asked)
    const isTask = (id: string) => facts.tasks.some((task) => task.id === id)
    const review = parseReview(structured, { isTask, earlier: facts.earlier.map(({ number }) => number) })
    return { agent, review }
  } catch (error) {
    const review = error instanceof AppError ? reviewInWords(error) : undefined
    if (request.signal?.aborted === true || review === undefined) throw error
    return { agent, review }
  }
}

/** A verdict as text, although JSON was requested. */
function reviewInWords({ cause }: AppError): Review | undefined {
  const answers = cause instanceof UnreadAnswers ? cause.answers : []
  return answers.flatMap((answer) => readReviewText(answer) ?? []).at(-1)
}

function askOnce(
  { checkedOut, promptLimit }: ReviewPorts,
  { project, team, timeoutMs, signal }: ReviewRequest,
  { ask, facts, agent, turn }: Asked,
) {
  return checkedOut(facts.to, (folder) =>
    askAgent(
      { ...ask, project, team },
      {
        prompt: composeReviewPrompt(facts, promptLimit(agent)),
        folder,
        schema: reviewSchema(),
        role: "code-reviewer",
        worker: REVIEWER,
        turn,
        agents: [agent],
        limits: { timeMs: timeoutMs },
        signal,
      },
    ),
  )
}

function lastAgents({ runs }: History): ReadonlyMap<string, string> {
  const agents = new Map<string, string>()
  for (const { task, agent } of runs.values()) if (task !== null) agents.set(task, agent)
  return agents
}
