import * as v from "valibot"
import { chooseBudget } from "../../kernel/budget.ts"
import type { NotifySettings } from "../../requests/effects/notify.ts"
import { ROLES } from "../../tasks/task.ts"
import type { CompletionAction } from "../../teams/completion.ts"
import type { EngineLimits } from "../actions.ts"

export interface EngineSettings extends Omit<EngineLimits, "staffing" | "deliver" | "maxRefusals"> {
  readonly leaseMs: number
  readonly shutdownTimeoutMs: number
  readonly monitorIntervalMs: number
  readonly runtime: "child" | "tmux"
  /** `auto`, `none`, or a program. */
  readonly pmAgent: string
  readonly notify: NotifySettings
  /** Mirror the team as plain files while it runs. */
  readonly files: boolean
  readonly completionAction: CompletionAction
}

const Count = v.number()
const RoleCount = v.object({ role: v.picklist(ROLES), count: Count })

/** Kept in the store, so that a later `run --resume` continues in the same way. */
const RunSettings = v.object({
  staffing: v.variant("kind", [
    v.object({ kind: v.literal("auto") }),
    v.object({ kind: v.literal("count"), count: Count }),
    v.object({ kind: v.literal("roles"), counts: v.pipe(v.array(RoleCount), v.readonly()) }),
  ]),
  runtime: v.picklist(["child", "tmux"]),
  target: v.nullable(v.string()),
  deliver: v.boolean(),
  review: v.boolean(),
  cascade: v.boolean(),
  /** Deliver what is finished when the rest is stuck, whatever the configuration says. */
  partial: v.optional(v.boolean()),
  /** By default from the configuration. */
  budget: v.optional(v.object({ tokens: Count, dollars: Count })),
  /** `custom` with named workers; null for a plan without a template. */
  template: v.nullish(v.string(), null),
})
export type RunSettings = Readonly<v.InferOutput<typeof RunSettings>>

/** One more task would not fix a gate that failed this often. */
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

const StoredSettings = v.pipe(v.string(), v.parseJson(), RunSettings)

/** Undefined without an earlier run. */
export function readRunSettings(text: string | null): RunSettings | undefined {
  const { success, output } = v.safeParse(StoredSettings, text)
  return success ? output : undefined
}
