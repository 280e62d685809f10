import { type Budget, chooseBudget } from "../../kernel/budget.ts"
import type { Staffing } from "../../planning/staffing.ts"
import type { NotifySettings } from "../../requests/effects/notify.ts"
import type { CompletionAction } from "../../teams/completion.ts"
import type { EngineLimits } from "../actions.ts"

/** What the configuration says of the engine. */
export interface EngineSettings extends Omit<EngineLimits, "staffing" | "deliver" | "maxRefusals"> {
  readonly leaseMs: number
  readonly shutdownTimeoutMs: number
  readonly monitorIntervalMs: number
  readonly runtime: "child" | "tmux"
  /** `auto`, `none`, or the program that decides on plans. */
  readonly pmAgent: string
  readonly notify: NotifySettings
  /** Whether the team is kept as plain files while it is led. */
  readonly files: boolean
  /** What becomes of a team when its run is done. */
  readonly completionAction: CompletionAction
}

/** What a run was started with, kept in the store: whoever goes on with it does so in the same way. */
export interface RunSettings {
  readonly staffing: Staffing
  readonly runtime: "child" | "tmux"
  readonly target: string | null
  readonly deliver: boolean
  readonly review: boolean
  readonly cascade: boolean
  /** Deliver what is finished when the rest cannot go on, whatever the configuration says. */
  readonly partial?: boolean
  /** What the run may use up; left out where the settings decide. */
  readonly budget?: Budget
  /** The shape of team it was planned as; `custom` where workers were named; null for a plan of its own. */
  readonly template: string | null
}

/** A gate that said no this often has been mended in vain. */
const MAX_REFUSALS = 3

export function limitsOf(settings: EngineSettings, run: RunSettings): EngineLimits {
  return {
    ...settings,
    staffing: run.staffing,
    budget: chooseBudget(run.budget ?? null, settings.budget),
    deliver: run.deliver,
    partialDelivery: run.partial === true ? "always" : settings.partialDelivery,
    enableReview: run.review && settings.enableReview,
    enableCascade: run.cascade && settings.enableCascade,
    maxRefusals: MAX_REFUSALS,
  }
}

/** What an earlier run was started with; undefined when there was none, or one that spoke otherwise. */
export function readRunSettings(text: string | null): RunSettings | undefined {
  if (text === null) return undefined
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === "object" && read !== null && "staffing" in read ? (read as RunSettings) : undefined
  } catch {
    return undefined
  }
}
