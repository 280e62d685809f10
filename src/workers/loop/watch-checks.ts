import type { AgentEvent } from "../../agents/port.ts"
import { findCheck } from "../../tasks/check-command.ts"
import { exitCodeOf, KEPT_OUTPUT, type SeenUse, SHELL_TOOLS } from "../../tasks/observed.ts"

export interface CheckWatch {
  see(event: AgentEvent): void
  /** The checks that ended, in their order. */
  uses(): readonly SeenUse[]
}

/** More than anybody reads; the last ones say how it is. */
const MOST = 50

/** Sees which checks an agent runs, and how they end. Which files it changes, its commit says better. */
export function watchChecks(program: string, checks: readonly string[]): CheckWatch {
  const begun = new Map<string, string>()
  const ended: SeenUse[] = []
  return {
    see(event) {
      if (event.type === "tool_use" && SHELL_TOOLS.has(event.name) && findCheck(event.input, checks) !== undefined)
        begun.set(event.id, event.input)
      if (event.type !== "tool_result") return
      const line = begun.get(event.id)
      if (line === undefined) return
      begun.delete(event.id)
      const { output, ok } = event
      const exitCode = exitCodeOf({ output, ok, program })
      ended.push({ run: { line, exitCode, output: output.slice(-KEPT_OUTPUT) }, files: [] })
      if (ended.length > MOST) ended.shift()
    },
    uses: () => ended,
  }
}
