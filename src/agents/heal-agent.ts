import { profileOf, programOf } from "./program-of.ts"
import { findProgram } from "./programs.ts"

/** `cause` starts with the reason: `auth: not logged in`. */
export function describeRemedy(agent: string, cause: string): string {
  const [reason = ""] = cause.split(":", 1)
  const remedy = remedyFor(agent, reason) ?? "see its state with: teamwork agent list"
  return `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}. Try it now with: teamwork agent reset ${agent}`
}

/** Undefined where only another task or agent helps. */
export function remedyFor(agent: string, kind: string): string | undefined {
  const program = programOf(agent)
  const login = findProgram(agent)?.login
  switch (kind) {
    case "auth":
      if (login === undefined) return `log in to ${program}`
      if (profileOf(agent) === null) return `log in with: ${login.command}`
      return `log in with: ${login.folderVariable}=FOLDER ${login.command} (FOLDER is that of: teamwork config get agents.${program}.profiles)`
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
