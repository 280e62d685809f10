import { remedyFor } from "../../agents/heal-agent.ts"
import { firstLine } from "../../lib/text/last-lines.ts"
import type { SetbackKind } from "../../tasks/retry.ts"

/** The last run of an agent that the task is not given to again. */
export interface GivenUp {
  readonly agent: string
  readonly kind: SetbackKind
  readonly error: string
}

interface PassedOver {
  readonly agent: string
  readonly because: string
}

const MAX_ERROR = 300

/** Why no agent can take a task: how each of them ended, and the command that helps. */
export function explainNobody(givenUp: readonly GivenUp[], passedOver: readonly PassedOver[]): string {
  const ended = givenUp.map(({ agent, kind, error }) => {
    const help = remedyFor(agent, kind)
    return `${agent} ended with ${kind} (${clip(error) || "no message"})${help === undefined ? "" : `; ${help}`}`
  })
  const others = passedOver
    .filter(({ agent }) => givenUp.every((each) => each.agent !== agent))
    .map(({ agent, because }) => `${agent}: ${because}`)
  return [...ended, ...others].join(". ") || "no agent is installed"
}

function clip(error: string): string {
  const line = firstLine(error.trim())
  return line.length > MAX_ERROR ? `${line.slice(0, MAX_ERROR)}...` : line
}
