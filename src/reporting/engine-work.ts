import type { VerdictScope } from "../kernel/event-words.ts"
import type { Event } from "../kernel/events.ts"
import type { TaskId } from "../kernel/ids.ts"
import type { History } from "./history.ts"
import type { TeamView } from "./team-view.ts"

export interface MergeFact {
  readonly tasks: readonly TaskId[]
  readonly wave: number | null
  readonly since: number
}

export interface GateFact {
  readonly scope: VerdictScope
  /** A task id or wave number; null for the whole team. */
  readonly subject: string | null
  readonly commit: string
  readonly checks: readonly string[]
  readonly since: number
}

/** A killed process records no end; the next start ends the one before. */
export function applyToEngine(history: History, { type, data }: Event, at: number): void {
  switch (type) {
    case "merge.started":
      history.merging = { tasks: data.tasks, wave: data.wave, since: at }
      break
    case "merge.ended":
      history.merging = null
      break
    case "gate.started": {
      const { scope, subject, commit, checks } = data
      history.gates.set(gateName(data), { scope, subject, commit, checks, since: at })
      break
    }
    case "verdict.recorded":
      history.gates.delete(gateName(data))
      break
    case "team.led":
    case "team.left":
      // The former leader is gone. A worker goes on with the gate of its task.
      history.merging = null
      for (const [name, { scope, subject }] of history.gates)
        if (scope !== "task" || history.tasks.get(subject ?? "")?.claimedAt === null) history.gates.delete(name)
      break
    default:
  }
}

function gateName({ scope, subject }: Pick<GateFact, "scope" | "subject">): string {
  return `${scope} ${subject ?? ""}`
}

export function endTaskGate({ gates }: History, task: string): void {
  gates.delete(gateName({ scope: "task", subject: task }))
}

export interface EngineWork {
  readonly what: string
  readonly since: number
}

/** Merges, and gates of waves and of the team. Gates of tasks belong to their workers. */
export function engineWork({ history, lead }: Pick<TeamView, "history" | "lead">): EngineWork[] {
  const { merging, gates, ledAt } = history
  // A killed leader left these entries.
  if (ledAt !== null && lead === null) return []
  const merges = merging === null ? [] : [{ what: `merging ${merging.tasks.join(", ")}`, since: merging.since }]
  const judging = [...gates.values()].flatMap((gate) => {
    const name = nameGate(gate)
    if (name === null) return []
    const runs = gate.checks.length === 0 ? "" : `: ${gate.checks.join("; ")}`
    return [{ what: `${name} at ${gate.commit.slice(0, 12)}${runs}`, since: gate.since }]
  })
  return [...merges, ...judging]
}

function nameGate({ scope, subject }: GateFact): string | null {
  if (scope === "wave") return `gate of wave ${subject}`
  if (scope === "final") return "final gate"
  return scope === "cross-agent" ? "review by another agent" : null
}
