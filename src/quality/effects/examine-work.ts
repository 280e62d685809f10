import { type AskPorts, askAgent } from "../../agents/choose/ask-agent.ts"
import { askInTurn } from "../../agents/choose/ask-in-turn.ts"
import { SCRIPT } from "../../agents/programs.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import type { Task } from "../../tasks/task.ts"
import { listJudges } from "../choose-reviewer.ts"
import { shellCommand } from "../gates/gate-command.ts"
import type { JudgedCommand } from "../gates/judged-command.ts"
import { readAllowedTests } from "../operations/read-allowed-tests.ts"
import { parseQaAnswer, type QaAnswer, qaSchema } from "../qa-answer.ts"
import type { QaPlan } from "../qa-plan.ts"
import { findRunBase } from "../verify/find-run-base.ts"
import { judgeCommands } from "../verify/judge-commands.ts"
import { listCommands } from "../verify/run-commands.ts"
import type { Verifier } from "../verify/verifier.ts"
import { composeQaPrompt } from "../views/qa-prompt.ts"

export interface ExaminePorts {
  readonly verifier: Verifier
  /** Missing if no agent can be asked. */
  readonly ask?: () => Promise<Omit<AskPorts, keyof TeamName>>
  /** In characters. */
  promptLimit(agent: string): number
  readonly timeoutMs: number | null
}

export interface ExamineRequest extends TeamName {
  readonly task: Task
  readonly plan: QaPlan
  readonly commit: string
  readonly tree: string
  readonly base: string
  readonly answer: string
  readonly executor: string
  readonly earlier: readonly string[]
  readonly signal: AbortSignal
}

export type Examined = (QaAnswer & { readonly by: string; readonly isByChecks: boolean }) | NoVerdict

/** Neither a pass nor a failure. */
export interface NoVerdict {
  readonly why: string
  /** When the first program is available again, if all are rate-limited. */
  readonly retryAt: string | null
}

export const QA = "qa"

const MOST_ASKED = 3

/**
 * Asks a program that did not do the work, if there is one, to read it in a clean checkout. Each program gets two
 * tries, then the next one is asked. For work of a script, its checks run again in a clean checkout and give the
 * scores.
 */
export async function examineWork(ports: ExaminePorts, request: ExamineRequest): Promise<Examined> {
  if (request.executor === SCRIPT) return examineByChecks(ports, request, "its own commands did the work")
  const ask = await ports.ask?.()
  const agents = (ask?.ready ?? []).filter(({ isEnabled }) => isEnabled).map(({ agent }) => agent.name)
  const examined = await askInTurn({
    agents: listJudges(agents, new Map([[request.executor, 1]])),
    most: MOST_ASKED,
    now: () => ask?.clock.now() ?? 0,
    signal: request.signal,
    ask: (agent, _turn, problem) => askOne(ports, request, { agent, problem }),
  })
  if (!("isLimited" in examined)) return examined
  const { why, retryAt, isLimited } = examined
  return { why, retryAt: isLimited && retryAt !== null ? new Date(retryAt).toISOString() : null }
}

async function askOne(
  ports: ExaminePorts,
  request: ExamineRequest,
  { agent, problem }: { readonly agent: string; readonly problem: string | undefined },
): Promise<Examined> {
  const { project, team, task, plan, commit, base, answer, earlier, signal } = request
  const { repository, runner } = ports.verifier
  const ask = await ports.ask?.()
  if (ask === undefined) throw new AppError("agent.unavailable", "no agent program is ready")
  const diff = await repository.readDiff(base, commit)
  const facts = { task, plan, answer, earlier, problem, from: base, to: commit, diff }
  const prompt = runner.mask(composeQaPrompt(facts, ports.promptLimit(agent)))
  const { structured } = await repository.checkedOut(commit, (folder) =>
    askAgent(
      { ...ask, project, team },
      {
        prompt,
        folder,
        schema: qaSchema(plan),
        role: "code-reviewer",
        worker: QA,
        agents: [agent],
        limits: { timeMs: ports.timeoutMs },
        signal,
      },
    ),
  )
  return { ...parseQaAnswer(plan, structured), by: `${QA}-${agent}`, isByChecks: false }
}

/** Runs passed commands once more; a stored failure counts. */
async function examineByChecks({ verifier }: ExaminePorts, request: ExamineRequest, why: string): Promise<Examined> {
  const { task, plan, commit, tree, base, signal } = request
  const own = task.checks.map((line) => shellCommand("accept", line))
  const state = { commit, tree, isHere: false, uncommitted: [] }
  const commands = own.length > 0 ? own : await listCommands(verifier, state, ["test"])
  if (commands.length === 0)
    return { why: `no agent has reviewed it (${why}), and it has no checks to run`, retryAt: null }
  const { judged } = await judgeCommands({ ...verifier, runner: { ...verifier.runner, signal } }, state, {
    commands,
    isSecondLook: true,
    base: await findRunBase(verifier.repository, await resolveRun(verifier.context, request), {
      commit,
      otherwise: base,
    }),
    asked: () => readAllowedTests(verifier.context, request, { task: task.id }),
  })
  const told = judged.filter(({ comparison }) => comparison.status !== "skipped")
  if (told.length === 0)
    return { why: `no agent has reviewed it (${why}), and none of its checks can run here`, retryAt: null }
  const failed = told.filter(({ comparison }) => comparison.status !== "passed")
  const runnable = told.length
  const passed = runnable - failed.length
  const score = Math.round((100 * passed) / runnable)
  const reason = `${passed} of ${runnable} checks pass in a clean checkout; no agent has reviewed it: ${why}`
  return {
    scores: plan.dimensions.map(({ name }) => ({ dimension: name, score, reason })),
    guidance: failed.map(describeFailure),
    by: QA,
    isByChecks: true,
  }
}

function describeFailure({ command, result, comparison }: JudgedCommand): string {
  if (result === null) return `${command.line} could not run in a clean checkout: ${comparison.remark ?? "no result"}`
  const { exitCode, ending, tail } = result
  const end = exitCode === null ? ending : `ended with ${exitCode}`
  return `${command.line} ${end} in a clean checkout: ${tail.trim()}`
}
