import { MAX_ROLE_SPECS } from "../../planning/roles/role-spec.ts"
import {
  bullets,
  describeBefore,
  describeRepository,
  join,
  type PlannerFacts,
  SHARED_RULE,
  section,
} from "../../planning/views/planning-prompt.ts"

/** Asks which capabilities a goal needs, which roles have them, and what depends on what. */
export function coordinatorPrompt({ goal, repository, shared, map, roles, before }: PlannerFacts): string {
  const existing = roles.filter(({ prefix }) => prefix !== undefined)
  return join(
    "You coordinate a team of agents on one git repository. You analyse the goal and decide who is needed; you change nothing.",
    section("Goal", goal),
    describeRepository(repository),
    section("What an explorer found", JSON.stringify(map, null, 1)),
    section(
      "Existing roles",
      bullets(existing.map(({ name, prefix, responsibility }) => `${name} (${prefix}-, ${responsibility})`)),
    ),
    section("Shared files", `${SHARED_RULE}\n${bullets(shared)}`),
    section("Rules", bullets(RULES)),
    before === undefined ? "" : describeBefore(before),
  )
}

const RULES = [
  "First list the capabilities that the goal needs; then the fewest roles that have them all, each clearly separated from the others.",
  `At most ${MAX_ROLE_SPECS} roles, including existing ones. Use an existing role by its name and prefix where it fits.`,
  "responsibility: exploration investigates, analysis judges and decides, implementation builds, synthesis combines results, review judges the work of others.",
  "context, work and validation are what the role reads first, what it does, and how it verifies: concrete for this goal, a few lines each.",
  "ids of tasks begin with the prefix of their role and a dash: SCAN-1, SCAN-2. needs name ids, and only real needs.",
  "Each task is done by one agent that knows only its own task, its role and the results of the tasks it needs: put everything it must know into the description.",
  "files: patterns from the root of what the task may write. No file may belong to two tasks unless one needs the other. Tasks of a review own no files.",
  "acceptance: what must be true at the end, so that another agent can judge it. checks: shell commands that must exit with 0.",
]
