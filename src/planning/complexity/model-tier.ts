import type { Complexity } from "../../tasks/task.ts"

// A separate file: most commands need these names without the word tables.

export const MODEL_TIERS = ["haiku", "sonnet", "opus"] as const
export type ModelTier = (typeof MODEL_TIERS)[number]

export const TIER_OF = { simple: "haiku", standard: "sonnet", complex: "opus" } as const satisfies Record<
  Complexity,
  ModelTier
>
export const COMPLEXITY_OF = { haiku: "simple", sonnet: "standard", opus: "complex" } as const satisfies Record<
  ModelTier,
  Complexity
>
