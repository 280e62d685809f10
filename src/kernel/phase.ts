/** The phases of a planned task. None is skipped, and execution needs an approval. */
export const PHASES = [
  "skill_discovery",
  "requirement",
  "skill_research",
  "plan_design",
  "awaiting_approval",
  "execution",
  "completion",
] as const
export type Phase = (typeof PHASES)[number]

/** Every allowed change of phase; a rejected plan goes back to its design. */
export const PHASE_TRANSITIONS = {
  skill_discovery: ["requirement"],
  requirement: ["skill_research"],
  skill_research: ["plan_design"],
  plan_design: ["awaiting_approval"],
  awaiting_approval: ["execution", "plan_design"],
  execution: ["completion"],
  completion: [],
} as const satisfies Record<Phase, readonly Phase[]>

/** Progress when a phase is reached, in per cent. */
export const PHASE_PROGRESS: Readonly<Record<Phase, number>> = {
  skill_discovery: 5,
  requirement: 10,
  skill_research: 20,
  plan_design: 30,
  awaiting_approval: 30,
  execution: 40,
  completion: 100,
}

/** `planned`: every task goes through the phases. */
export const PROTOCOLS = ["none", "planned"] as const
export type Protocol = (typeof PROTOCOLS)[number]

/** Whether files may be written in this phase. */
export function mayWrite(phase: Phase | null): boolean {
  return phase === null || phase === "execution" || phase === "completion"
}
