/** The way of a task that is planned before it is done. No phase is left out, and only an approval opens the execution. */
export const PHASES = [
  ...(["skill_discovery", "requirement", "skill_research", "plan_design"] as const),
  ...(["awaiting_approval", "execution", "completion"] as const),
] as const
export type Phase = (typeof PHASES)[number]

/** Every allowed change of phase; what is rejected goes back to the design of the plan. */
export const PHASE_TRANSITIONS = {
  skill_discovery: ["requirement"],
  requirement: ["skill_research"],
  skill_research: ["plan_design"],
  plan_design: ["awaiting_approval"],
  awaiting_approval: ["execution", "plan_design"],
  execution: ["completion"],
  completion: [],
} as const satisfies Record<Phase, readonly Phase[]>

/** How far the work is once a phase is reached, in per cent. */
export const PHASE_PROGRESS: Readonly<Record<Phase, number>> = {
  ...{ skill_discovery: 5, requirement: 10, skill_research: 20, plan_design: 30 },
  ...{ awaiting_approval: 30, execution: 40, completion: 100 },
}

/** `planned`: every task goes through the phases. */
export const PROTOCOLS = ["none", "planned"] as const
export type Protocol = (typeof PROTOCOLS)[number]

/** Files may be written from here on. */
export function mayWrite(phase: Phase | null): boolean {
  return phase === null || phase === "execution" || phase === "completion"
}
