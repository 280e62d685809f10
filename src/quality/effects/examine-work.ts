import { type AskPorts, askAgent } from "../../agents/choose/ask-agent.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import type { Task } from "../../tasks/task.ts"
import { shellCommand } from "../gates/gate-command.ts"
import type { CommandResult } from "../gates/run-command.ts"
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
  /** Called only where an agent is asked; left out where none can be. */
  readonly ask?: () => Promise<Omit<AskPorts, keyof TeamName>>
  /** The longest prompt for an agent, in characters. */
  promptLimit(agent: string): number
  readonly timeoutMs: number | null
}

export interface ExamineRequest extends TeamName {
  readonly task: Task
  readonly plan: QaPlan
  readonly commit: string
  readonly tree: string
  /** Where the work began. */
  readonly base: string
  /** What the one who did it says of it. */
  readonly answer: string
  /** The program that did it. */
  readonly executor: string
  /** What QA said of it before. */
  readonly earlier: readonly string[]
  readonly signal: AbortSignal
}

export type Examined =
  | (QaAnswer & { readonly by: string })
  /** There is nothing to go by. */
  | { readonly why: string }

/** As whom QA takes part in the team. */
export const QA = "qa"

/** Programs that are asked, the first preferred. */
const ASKED = ["codex", "claude", "gemini"] as const
const SCRIPT = "script"

/**
 * Has work looked at by a program that did not do it, in a clean checkout; by the one that did it, in a session that
 * knows nothing of it, only where there is no other. Where there is none, or commands alone did the work, the task's
 * checks run again in such a checkout, and the scores are what those show.
 */
export async function examineWork(ports: ExaminePorts, request: ExamineRequest): Promise<Examined> {
  if (request.executor === SCRIPT) return examineByChecks(ports, request, "its own commands did the work")
  const ask = await ports.ask?.()
  if (ask === undefined) return examineByChecks(ports, request, "no agent program is ready")
  const isReady = (name: string) => ask.ready.some(({ agent, isEnabled }) => isEnabled && agent.name === name)
  const others = ASKED.filter((name) => name !== request.executor)
  const failures: string[] = []
  for (const agent of [...others, request.executor].filter(isReady)) {
    try {
      return await askOne(ports, request, { agent, ask })
    } catch (error) {
      if (request.signal.aborted) throw error
      const isNoAnswer = error instanceof AppError && ["agent.unavailable", "agent.failed"].includes(error.code)
      if (!isNoAnswer) throw error
      failures.push(error.message)
    }
  }
  return examineByChecks(ports, request, failures.join("; ") || "no agent program is ready")
}

async function askOne(
  { verifier, promptLimit, timeoutMs }: ExaminePorts,
  request: ExamineRequest,
  { agent, ask }: { readonly agent: string; readonly ask: Omit<AskPorts, keyof TeamName> },
): Promise<Examined> {
  const { project, team, task, plan, commit, base, answer, earlier, signal } = request
  const { repository, runner } = verifier
  const diff = await repository.readDiff(base, commit)
  const facts = { task, plan, answer, earlier, from: base, to: commit, diff }
  const prompt = runner.mask(composeQaPrompt(facts, promptLimit(agent)))
  const { structured } = await repository.checkedOut(commit, (folder) =>
    askAgent(
      { ...ask, project, team },
      {
        ...{ prompt, folder, schema: qaSchema(plan), role: "code-reviewer", worker: QA },
        ...{ agents: [agent], limits: { timeMs: timeoutMs }, signal },
      },
    ),
  )
  return { ...parseQaAnswer(plan, structured), by: `${QA}-${agent}` }
}

/**
 * What passed on these files runs once more, whatever is remembered of it: this is another look, not the same one. What
 * failed does not: its answer would be the same.
 */
async function examineByChecks({ verifier }: ExaminePorts, request: ExamineRequest, why: string): Promise<Examined> {
  const { task, plan, commit, tree, base, signal } = request
  const own = task.checks.map((line) => shellCommand("accept", line))
  const state = { commit, tree, isHere: false, uncommitted: [] }
  const commands = own.length > 0 ? own : await listCommands(verifier, state, ["test"])
  if (commands.length === 0) return { why: `nobody can read it (${why}), and it has no checks to run` }
  const { judged } = await judgeCommands({ ...verifier, runner: { ...verifier.runner, signal } }, state, {
    ...{ commands, isSecondLook: true },
    base: await findRunBase(verifier.repository, await resolveRun(verifier.context, request), {
      commit,
      otherwise: base,
    }),
    asked: () => readAllowedTests(verifier.context, request, { task: task.id }),
  })
  const told = judged.filter(({ comparison }) => comparison.status !== "skipped")
  if (told.length === 0) return { why: `nobody can read it (${why}), and none of its checks can run here` }
  const failed = told.flatMap(({ comparison, result }) => (comparison.status === "failed" ? (result ?? []) : []))
  const runnable = told.length
  const passed = runnable - failed.length
  const score = Math.round((100 * passed) / runnable)
  const reason = `${passed} of ${runnable} checks pass in a clean checkout; nobody has read it: ${why}`
  return {
    scores: plan.dimensions.map(({ name }) => ({ dimension: name, score, reason })),
    guidance: failed.map(describeFailure),
    by: QA,
  }
}

function describeFailure({ command, exitCode, ending, tail }: CommandResult): string {
  const end = exitCode === null ? ending : `ended with ${exitCode}`
  return `${command.line} ${end} in a clean checkout: ${tail.trim()}`
}
