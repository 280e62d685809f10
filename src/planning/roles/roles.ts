import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import { nearest } from "../../lib/text/nearest.ts"
import type { Effort } from "../../tasks/effort.ts"
import { type Complexity, GENERIC_ROLE, type Task } from "../../tasks/task.ts"
import { type ModelTier, TIER_OF } from "../complexity/model-tier.ts"

export const CAPABILITIES = ["implementation", "review", "exploration", "verification", "coordination"] as const
export type Capability = (typeof CAPABILITIES)[number]

export const RESPONSIBILITIES = ["exploration", "analysis", "implementation", "synthesis", "review"] as const
export type Responsibility = (typeof RESPONSIBILITIES)[number]

export const EFFORT_OF = {
  exploration: "medium",
  analysis: "high",
  implementation: "high",
  synthesis: "medium",
  review: "high",
} as const satisfies Record<Responsibility, Effort>

export const RESPONSIBILITY_OF = {
  implementation: "implementation",
  review: "review",
  exploration: "exploration",
  verification: "review",
  coordination: "synthesis",
} as const satisfies Record<Capability, Responsibility>

const INSTRUCTIONS_OF = {
  implementation: "Make the change the task asks for, completely and no larger than it must be. Leave the rest alone.",
  review:
    "Read and judge; do not fix. Name each finding with file, line, why it matters and its severity. If there is none, say so.",
  exploration: "Read and report what exists, and where. Change nothing.",
  verification:
    "Run the checks yourself and go by what they print, not by what others say. Report passed or failed for each, with its output.",
  coordination: "Break goals down into tasks, assign roles and watch progress. Never carry out a task yourself.",
} as const satisfies Record<Capability, string>

/** A role of tasks or an agent type, in the same form. */
export interface RoleDefinition {
  readonly name: string
  readonly kind: Capability
  readonly responsibility: Responsibility
  readonly effort: Effort
  /** `dynamic`: by the complexity of the task. */
  readonly model: ModelTier | "dynamic"
  readonly expertise: readonly string[]
  readonly writes: boolean
  /** Empty: all tools of its agent. */
  readonly tools: readonly string[]
  readonly instructions: string
  /** Ids of its tasks begin with this and a dash. */
  readonly prefix?: string
  /** Does tasks that follow each other in order, with what it learned. */
  readonly innerLoop?: boolean
  /** The name to use instead. */
  readonly deprecatedFor?: string
}

export const BUILT_IN_ROLES: readonly RoleDefinition[] = [
  role("frontend", "implementation", [
    "UI components",
    "styling",
    "state",
    "interaction",
    "responsive layout",
    "accessibility",
  ]),
  role("backend", "implementation", ["endpoints", "services", "databases", "business logic", "validation"]),
  role("devops", "implementation", ["CI/CD", "deployment", "infrastructure", "containers", "monitoring"]),
  role("test", "implementation", ["unit tests", "integration tests", "fixtures", "mocks", "coverage"]),
  role("docs", "implementation", ["README", "API documentation", "examples", "architecture pages"]),
  role("security", "implementation", ["authentication", "authorization", "input validation", "security audits"]),
  role("review", "review", ["code quality", "refactoring", "good practice", "architecture"]),
  role("worker", "implementation", ["whatever the task asks for"]),

  role("architect", "exploration", ["structure", "interfaces", "trade-offs"], { responsibility: "analysis" }),
  role("executor", "implementation", ["carrying out a task as it is described"]),
  role("designer", "implementation", ["user interfaces", "visual design", "interaction"]),
  role("build-fixer", "implementation", [
    "compiler errors",
    "build scripts",
    "dependencies",
    "the smallest change that builds",
  ]),
  role("test-engineer", "implementation", ["test strategy", "fixtures", "coverage", "flaky tests"]),
  role("style-reviewer", "review", ["formatting", "naming", "house style"]),
  role("quality-reviewer", "review", ["correctness", "maintainability", "error handling"]),
  role("security-reviewer", "review", ["injection", "authentication", "authorization", "secrets", "unsafe input"]),
  role("performance-reviewer", "review", ["hot paths", "complexity", "memory", "needless work"]),
  role("code-reviewer", "review", ["correctness", "tests", "readability", "fit with the rest of the code"]),
  role("explorer", "exploration", ["finding files, symbols and the way things work"]),
  role("debugger", "implementation", ["reproducing a fault", "finding its cause", "the smallest fix"]),
  role("team-worker", "implementation", ["whatever the task and its role ask for"]),

  role("orchestrator", "coordination", ["breaking goals down", "assigning roles", "watching progress"], {
    model: "opus",
  }),
  role("wave-verifier", "verification", ["builds", "tests", "conflicts between the tasks of a wave"], {
    model: "sonnet",
  }),
  role("final-verifier", "verification", ["the goal as a whole", "evidence", "what was left out"], { model: "opus" }),
  role("coordinator", "coordination", ["breaking goals down", "assigning roles", "watching progress"], {
    model: "opus",
    deprecatedFor: "orchestrator",
  }),
]

function role(
  name: string,
  kind: Capability,
  expertise: readonly string[],
  special: Partial<Pick<RoleDefinition, "model" | "responsibility" | "deprecatedFor">> = {},
): RoleDefinition {
  const responsibility = special.responsibility ?? RESPONSIBILITY_OF[kind]
  return {
    name,
    kind,
    responsibility,
    effort: EFFORT_OF[responsibility],
    model: "dynamic",
    expertise,
    writes: kind === "implementation",
    tools: [],
    instructions: INSTRUCTIONS_OF[kind],
    ...special,
  }
}

export function getRole<R extends RoleDefinition>(roles: readonly R[], name: string): R {
  const found = roles.find((each) => each.name === name)
  if (found !== undefined) return found
  const close = nearest(
    name,
    roles.map((each) => each.name),
  )
  const hint = close === undefined ? "" : `; did you mean ${close}?`
  throw new AppError(
    "role.not_found",
    `there is no role or agent type ${quoteInput(name)}${hint}`,
    { role: name },
    { remedy: close === undefined ? { operation: "role list", to: "see" } : [] },
  )
}

/** The role, if it only reads. Files written for such a task are not delivered. */
export function findReadOnlyRole<R extends Pick<RoleDefinition, "name" | "writes">>(
  { agentType, role }: Pick<Task, "agentType" | "role">,
  roles: readonly R[],
): R | undefined {
  const own = roles.find(({ name }) => name === agentType) ?? roles.find(({ name }) => name === role)
  return own?.writes === false ? own : undefined
}

export function modelFor({ model }: Pick<RoleDefinition, "model">, complexity: Complexity): ModelTier {
  return model === "dynamic" ? TIER_OF[complexity] : model
}

/** Undefined if it is open: without files, generic and security tasks may read or write. */
export function neededCapability({ role, files }: Pick<Task, "role" | "files">): Capability | undefined {
  if (role === "review") return "review"
  if ((role === GENERIC_ROLE || role === "security") && files.length === 0) return undefined
  return "implementation"
}

/** Writing needs an implementing role, a review one that does not implement. */
export function assertCapable(
  task: Pick<Task, "role" | "files"> & { readonly id?: string },
  { name, kind }: Pick<RoleDefinition, "name" | "kind">,
): void {
  const needed = neededCapability(task)
  // A coordinating role never does a task.
  if (kind === needed || (needed === undefined && kind !== "coordination")) return
  const examples = BUILT_IN_ROLES.filter((each) => each.kind === (needed ?? "implementation")).map((each) => each.name)
  throw new AppError(
    "role.mismatch",
    `${task.id === undefined ? "a task" : `task ${task.id}`} (role ${task.role}) needs a role for ${needed ?? "tasks"}, and ${name} is for ${kind}; use for example ${examples.slice(-3).join(", ")}`,
    { taskId: task.id ?? null, needed: needed ?? null, role: name, kind },
  )
}
