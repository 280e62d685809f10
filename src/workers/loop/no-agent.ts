import { programOf } from "../../agents/program-of.ts"
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

const LOGINS: Readonly<Record<string, string>> = {
  claude: "claude auth login",
  codex: "codex login",
  gemini: "gemini",
  opencode: "opencode auth login",
}

/** What a person can do about it; undefined where only another task or another agent helps. */
export function remedyFor(agent: string, kind: SetbackKind): string | undefined {
  const program = programOf(agent)
  const login = LOGINS[program]
  switch (kind) {
    case "auth":
      return login === undefined ? `log in to ${program}` : `log in with: ${login}`
    case "unknown-model":
      return `choose another model with: teamwork config set agents.${program}.model.sonnet NAME`
    case "context-overflow":
      return "split the task, or let an agent with a larger context take it: teamwork route"
    case "not-found":
      return "see what is installed with: teamwork agent list"
    case "permission":
      return "allow what it needs with engine.permission, or give the task the files it writes"
    default:
      return undefined
  }
}

function clip(error: string): string {
  const line = firstLine(error.trim())
  return line.length > MAX_ERROR ? `${line.slice(0, MAX_ERROR)}...` : line
}
