// Plans as tests write them: only what matters there.
import { type CheckedPlan, checkPlan, type PlanFacts } from "../../src/planning/check-plan.ts"
import type { Plan } from "../../src/planning/plan.ts"
import { readPlan } from "../../src/planning/read-plan.ts"
import { BUILT_IN_ROLES } from "../../src/planning/roles/roles.ts"

export const PLAN_FACTS: PlanFacts = {
  roles: BUILT_IN_ROLES,
  presets: [],
  agents: ["claude", "codex", "gemini", "opencode", "acp", "script"],
  ...{ shared: ["package.json", "**/*.lock"], onOverlap: "refuse", hasTests: true, maxAgents: 5 },
}

/** A plan with these tasks; one without an id has its number. */
export function planOf(tasks: readonly Record<string, unknown>[], change: Record<string, unknown> = {}): Plan {
  const { plan, problems } = readPlan({ goal: "build it", tasks: tasks.map(titled), ...change })
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  return plan
}

export function check(tasks: readonly Record<string, unknown>[], facts: Partial<PlanFacts> = {}): CheckedPlan {
  return checkPlan(planOf(tasks), { ...PLAN_FACTS, ...facts })
}

function titled(task: Record<string, unknown>, index: number): Record<string, unknown> {
  return { title: `Task ${task.id ?? index + 1}`, ...task }
}
