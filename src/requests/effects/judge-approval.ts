import * as v from "valibot"
import { type AskPorts, askAgent } from "../../agents/choose/ask-agent.ts"
import { SCRIPT } from "../../agents/programs.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { jsonSchemaOf } from "../../lib/to-json-schema.ts"
import type { Context } from "../../store/operation.ts"
import { getTask } from "../../tasks/operations/get-task.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import type { Approval } from "../approval.ts"
import { approvalPrompt } from "../views/approval-prompt.ts"

export interface Ruling {
  readonly by: string
  readonly isApproved: boolean
  readonly reason: string | null
}

interface PmPorts {
  readonly context: Context
  readonly ask: Omit<AskPorts, keyof TeamName>
  /** The agent may read it. */
  readonly folder: string
}

const PM = "pm"

const RULING_FIELDS = {
  approved: v.boolean(),
  reason: v.pipe(v.string(), v.description("why; for a rejection what should be done instead")),
}

/** An approval may come without a reason. */
const Ruled = v.object({ ...RULING_FIELDS, reason: v.fallback(v.string(), "") })

/** An agent gave no valid answer. */
export interface NoRuling {
  readonly why: string
}

/**
 * Asks a PM agent to decide on a plan. Undefined if there is none: then the rule decides. An invalid answer is
 * neither approval nor rejection.
 */
export async function judgeApproval(
  { context, ask, folder }: PmPorts,
  { approval, name, signal }: { readonly approval: Approval; readonly name: TeamName; readonly signal: AbortSignal },
): Promise<Ruling | NoRuling | undefined> {
  const programs = ask.ready.filter(({ agent, isEnabled }) => isEnabled && agent.name !== SCRIPT)
  if (programs.length === 0) return undefined
  const { goal } = await context.store.read((tx) => getTeam(tx, name))
  const task = approval.taskId === null ? null : await getTask.run(context, { ...name, id: approval.taskId })
  try {
    const { structured, agent } = await askAgent(
      { ...ask, ...name },
      {
        ...{
          prompt: approvalPrompt({ goal, task, approval }),
          schema: jsonSchemaOf(RULING_FIELDS),
          role: "orchestrator",
          worker: PM,
        },
        agents: programs.map(({ agent }) => agent.name),
        folder,
        signal,
      },
    )
    const { output, success } = v.safeParse(Ruled, structured)
    if (!success || (!output.approved && output.reason.trim() === ""))
      return { why: `the answer of ${agent} is neither a yes nor a no with a reason` }
    return {
      by: `${PM}-${agent}`,
      isApproved: output.approved,
      reason: output.reason.trim() === "" ? null : output.reason,
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error
    // A rate-limited agent exists, so the rule does not replace it.
    if (error.code === "agent.unavailable" && error.details.retryAt == null) return undefined
    if (error.code !== "agent.unavailable" && error.code !== "agent.failed") throw error
    return { why: error.message }
  }
}
