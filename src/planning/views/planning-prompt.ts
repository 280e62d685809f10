import type { RoleDefinition } from "../roles/roles.ts"

export interface RepositoryFacts {
  /** Files and folders, up to a limit. */
  readonly files: readonly string[]
  readonly isCut: boolean
  readonly commands: readonly string[]
}

export interface PlanningFacts {
  readonly goal: string
  readonly repository: RepositoryFacts
  /** Every task may change these files. */
  readonly shared: readonly string[]
}

export const MAP_SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["affected", "modules", "shared", "tests", "remarks"],
  properties: {
    affected: list("files that the goal touches, or that have to be made", { path: "from the root", why: "in a line" }),
    modules: list("parts of the code with clear bounds", { path: "folder or file", purpose: "in a line" }),
    shared: { type: "array", items: { type: "string" }, description: "files that many parts use or that all change" },
    tests: list("tests that are there for what is affected", { path: "file or folder", command: "how they are run" }),
    remarks: { type: "string", description: "anything else that a planner must know" },
  },
} as const

function list(description: string, fields: Readonly<Record<string, string>>) {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, what]) => [name, { type: "string", description: what }]),
  )
  const items = { type: "object", additionalProperties: false, required: Object.keys(fields), properties }
  return { type: "array", description, items }
}

export function explorerPrompt({ goal, repository, shared }: PlanningFacts): string {
  return join(
    "You explore a git repository for a planner. Read and report; change nothing.",
    section("Goal", goal),
    describeRepository(repository),
    section("Shared files, which every task may change", bullets(shared)),
    section(
      "Report",
      bullets([
        "affected: the files that have to be changed or made for the goal, and why",
        "modules: the parts of the code they belong to, where one can work without disturbing another",
        "shared: files that more than one part uses or has to change",
        "tests: the tests that exist for these parts, and how they are run",
        "remarks: traps, conventions, and whatever else a plan must respect",
      ]),
    ),
    "Name only what you have seen. Paths are from the repository's root.",
  )
}

export interface PlannerFacts extends PlanningFacts {
  readonly map: unknown
  readonly roles: readonly RoleDefinition[]
  readonly taskRoles: readonly string[]
  /** All tasks are for this type. */
  readonly crew?: { readonly count: number; readonly agentType: string }
  /** An earlier plan, and its problems. */
  readonly before?: { readonly plan: unknown; readonly problems: readonly string[] }
}

export function plannerPrompt(facts: PlannerFacts): string {
  const { goal, repository, shared, map, roles, taskRoles, crew, before } = facts
  return join(
    "You plan work for a team of coding agents on one git repository. Read and plan; change nothing.",
    section("Goal", goal),
    describeRepository(repository),
    section("What an explorer found", JSON.stringify(map, null, 1)),
    section("Roles of tasks", taskRoles.join(", ")),
    section(
      "Agent types",
      bullets(roles.map(({ name, kind, expertise }) => `${name} (${kind}): ${expertise.join(", ")}`)),
    ),
    section("Shared files", `${SHARED_RULE}\n${bullets(shared)}`),
    section("Rules", bullets([...RULES, ...(crew === undefined ? [] : [crewRule(crew)])])),
    before === undefined ? "" : describeBefore(before),
  )
}

export const SHARED_RULE =
  "Every task may change these, several at the same time: changes are merged key by key, lock files are regenerated. A task that needs a dependency or a script adds it itself and names the manifest among its files; plan no task for that alone."

const RULES = [
  "One agent does each task and knows only that task, the results of its needs and the repository: the description must contain everything else.",
  "Tasks run at the same time where they can: few needs, only real ones.",
  "files: patterns from the root, such as src/cart/** or src/cart.ts, of what the task may write. No file belongs to two tasks unless one needs the other, also through others.",
  "A file between two parts goes to the task that changes it most; the others say what they need from it.",
  "Type definitions come before their importers, a schema before its API.",
  "acceptance: what must be true at the end, for a reviewer to judge. checks: shell commands that must exit with 0 and can run in this repository.",
  "role review: tasks that only read and judge; they own no files, their agent type is a reviewer.",
  "complexity: simple is one file and few lines, standard one to three files, complex more, or architecture or security.",
  "Tests belong to the task whose code they test, unless they are a task of their own.",
  "ids: short words or numbers; needs name them.",
]

function crewRule({ count, agentType }: { readonly count: number; readonly agentType: string }): string {
  return `Every task has the agent type ${agentType}, and ${count} of them work at the same time: cut the work so that all have something to do.`
}

export function describeBefore({
  plan,
  problems,
}: {
  readonly plan: unknown
  readonly problems: readonly string[]
}): string {
  return section(
    "Your earlier plan",
    `${JSON.stringify(plan, null, 1)}\n\nIt has these problems. Give a whole plan again, without them:\n${bullets(problems)}`,
  )
}

export function describeRepository({ files, isCut, commands }: RepositoryFacts): string {
  const more = isCut ? "\n(and more, which is not listed)" : ""
  const tests = commands.length === 0 ? "" : `\n\nGates run there:\n${bullets(commands)}`
  return section("Repository", `${files.length === 0 ? "It is empty." : files.join("\n")}${more}${tests}`)
}

export function section(title: string, text: string): string {
  return text === "" ? "" : `## ${title}\n\n${text}`
}

export function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n")
}

export function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n")
}
