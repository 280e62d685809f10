import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import { nearest } from "../../lib/text/nearest.ts"
import type { Effort } from "../../tasks/effort.ts"
import { type Complexity, GENERIC_ROLE, type Task } from "../../tasks/task.ts"
import { type ModelTier, TIER_OF } from "../complexity/model-tier.ts"

/** What somebody of a role can be trusted with. */
export const CAPABILITIES = ["implementation", "review", "exploration", "verification", "coordination"] as const
export type Capability = (typeof CAPABILITIES)[number]

export const RESPONSIBILITIES = ["exploration", "analysis", "implementation", "synthesis", "review"] as const
export type Responsibility = (typeof RESPONSIBILITIES)[number]

/** How hard a model should think; a role may say otherwise. */
export const EFFORT_OF = {
  exploration: "medium",
  analysis: "high",
  implementation: "high",
  synthesis: "medium",
  review: "high",
} as const satisfies Record<Responsibility, Effort>

/** What a role of a kind is responsible for, unless its definition says otherwise. */
export const RESPONSIBILITY_OF = {
  implementation: "implementation",
  review: "review",
  exploration: "exploration",
  verification: "review",
  coordination: "synthesis",
} as const satisfies Record<Capability, Responsibility>

/** What everybody of a kind is told. */
const INSTRUCTIONS_OF = {
  implementation: "Make the change the task asks for, completely and no larger than it must be. Leave the rest alone.",
  review:
    "Read and judge; do not mend. Name each finding with file, line, why it matters and how grave it is. If there is none, say so.",
  exploration: "Look and report what is there, with the places where it is. Change nothing.",
  verification:
    "Run the checks yourself and go by what they print, not by what others say. Report passed or failed for each, with its output.",
  coordination: "Break goals down into tasks, assign roles and watch progress. Never carry out a task yourself.",
} as const satisfies Record<Capability, string>

/** Who does a task and how: a role that tasks ask for, or a type of agent. Both are defined the same way. */
export interface RoleDefinition {
  readonly name: string
  readonly kind: Capability
  readonly responsibility: Responsibility
  readonly effort: Effort
  /** `dynamic`: by the complexity of the task. */
  readonly model: ModelTier | "dynamic"
  readonly expertise: readonly string[]
  /** Whether it may change files at all. */
  readonly writes: boolean
  /** The only tools it may use; empty for all that its agent has. */
  readonly tools: readonly string[]
  readonly instructions: string
  /** Of a role that owns tasks: with a dash behind it, what their ids begin with. */
  readonly prefix?: string
  /** It has tasks one after the other, and does them in that order with what it learned. */
  readonly innerLoop?: boolean
  /** Kept for those who know the old name. */
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

/** The definition of that name, or an error that names the nearest one. */
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

/** The role of a task where it only reads: then nothing that was written for the task is delivered. */
export function findReadOnlyRole<R extends Pick<RoleDefinition, "name" | "writes">>(
  { agentType, role }: Pick<Task, "agentType" | "role">,
  roles: readonly R[],
): R | undefined {
  const own = roles.find(({ name }) => name === agentType) ?? roles.find(({ name }) => name === role)
  return own?.writes === false ? own : undefined
}

/** The model a worker of this role gets for a task. */
export function modelFor({ model }: Pick<RoleDefinition, "model">, complexity: Complexity): ModelTier {
  return model === "dynamic" ? TIER_OF[complexity] : model
}

/**
 * What a task needs somebody to be capable of. `undefined` where the task leaves it open: anybody's work and security
 * work may as well be looking as changing, unless the task owns files.
 */
export function neededCapability({ role, files }: Pick<Task, "role" | "files">): Capability | undefined {
  if (role === "review") return "review"
  if ((role === GENERIC_ROLE || role === "security") && files.length === 0) return undefined
  return "implementation"
}

/** Whoever implements must be able to, and whoever reviews must not be of a type that implements. */
export function assertCapable(
  task: Pick<Task, "role" | "files"> & { readonly id?: string },
  { name, kind }: Pick<RoleDefinition, "name" | "kind">,
): void {
  const needed = neededCapability(task)
  // Who coordinates never carries out a task, whatever it is.
  if (kind === needed || (needed === undefined && kind !== "coordination")) return
  const examples = BUILT_IN_ROLES.filter((each) => each.kind === (needed ?? "implementation")).map((each) => each.name)
  throw new AppError(
    "role.mismatch",
    `${task.id === undefined ? "a task" : `task ${task.id}`} (role ${task.role}) needs somebody capable of ${needed ?? "a task"}, and ${name} is for ${kind}; use for example ${examples.slice(-3).join(", ")}`,
    { taskId: task.id ?? null, needed: needed ?? null, role: name, kind },
  )
}
