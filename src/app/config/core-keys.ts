import { SHARED_BY_DEFAULT } from "./shared-by-default.ts"

/**
 * The settings that every call goes by. Part of the table of all settings, and the only part that each start loads: what
 * is not read by `configure` in main.ts belongs elsewhere.
 */
export const CORE_KEYS = {
  store: {
    type: "string",
    default: "",
    pattern: "^$|^sqlite:.|^postgres(ql)?://.",
    expects: "sqlite:PATH or postgres://...",
    path: true,
    env: "TEAMWORK_STORE",
    description: "Where the state lives: sqlite:PATH or postgres://...; empty means a SQLite file in the home folder.",
  },
  "defaults.project": {
    type: "string",
    default: "",
    env: "TEAMWORK_PROJECT",
    description: "The project to work on; empty means the repository's own, which is named after its folder.",
  },
  "defaults.team": {
    type: "string",
    default: "",
    env: "TEAMWORK_TEAM",
    description: "The team to work on; empty means the current branch.",
  },
  "team.defaultAgentType": {
    type: "string",
    default: "executor",
    pattern: "\\S",
    expects: "the name of an agent type",
    env: "TEAMWORK_TEAM_DEFAULT_AGENT_TYPE",
    description: "The agent type of a task that names none.",
  },
  "team.defaultModel": {
    type: "string",
    default: "sonnet",
    choices: ["haiku", "sonnet", "opus"],
    env: "TEAMWORK_TEAM_DEFAULT_MODEL",
    description: "The model tier of a task whose complexity is not known.",
  },
  "team.agentTimeoutSeconds": {
    type: "number",
    default: 1800,
    min: 0,
    max: 2_147_483,
    env: "AGENT_TIMEOUT_SECONDS",
    description: "The longest one agent run may take, in seconds; 0 disables.",
  },
  "team.freshStartIntervalSeconds": {
    type: "number",
    default: 3600,
    min: 0,
    max: 2_147_483,
    env: "TEAMWORK_TEAM_FRESH_START_INTERVAL_SECONDS",
    description: "A task claimed for longer than this is started afresh, in seconds; 0 disables.",
  },
  "team.pollIntervalSeconds": {
    type: "number",
    default: 30,
    min: 1,
    max: 2_147_483,
    env: "TEAMWORK_TEAM_POLL_INTERVAL_SECONDS",
    description: "How often a waiting worker says that it waits, in seconds; it sees new work at once.",
  },
  "claim.leaseSeconds": {
    type: "number",
    default: 3600,
    min: 1,
    max: 2_147_483,
    env: "TEAMWORK_CLAIM_LEASE_SECONDS",
    description: "How long a claim made by CLI or MCP holds without a call of its owner, in seconds.",
  },
  "evidence.blockedPatterns": {
    type: "strings",
    default: [
      "should work",
      "probably works",
      "basic implementation",
      "you can extend this",
      "TODO",
      "FIXME",
      "not implemented",
      "placeholder",
    ],
    env: "TEAMWORK_EVIDENCE_BLOCKED_PATTERNS",
    description: "Words that make a result unacceptable; whole words, in any case.",
  },
  "evidence.warnPatterns": {
    type: "strings",
    default: ["WIP", "hack", "temporary"],
    env: "TEAMWORK_EVIDENCE_WARN_PATTERNS",
    description: "Words that give a warning on a result; whole words, in any case.",
  },
  "quality.pass": {
    type: "number",
    default: 80,
    min: 0,
    max: 100,
    env: "TEAMWORK_QUALITY_PASS",
    description: "The weighted score, of 100, from which on QA passes work.",
  },
  "quality.review": {
    type: "number",
    default: 60,
    min: 0,
    max: 100,
    env: "TEAMWORK_QUALITY_REVIEW",
    description: "The weighted score from which on the lead decides; below it, QA fails the work.",
  },
  "qa.dimensions": {
    type: "strings",
    default: [],
    pattern: "^[a-z][a-z0-9_-]*=\\d{1,3}$",
    expects: "dimensions with their weights, which add up to 100, as correctness=60,tests=40",
    env: "TEAMWORK_QA_DIMENSIONS",
    description:
      "What QA scores and how much each counts, for work of every type; empty means by the type of the task.",
  },
  "review.required": {
    type: "boolean",
    default: false,
    env: "TEAMWORK_REVIEW_REQUIRED",
    description:
      "Whether nothing is delivered without the verdict of a review on it. Also has agents review what only scripts or people did.",
  },
  "git.authorName": {
    type: "string",
    default: "",
    env: "TEAMWORK_GIT_AUTHOR_NAME",
    description: "The name under which agents commit; empty means yours in git, or else `teamwork AGENT`.",
  },
  "git.authorEmail": {
    type: "string",
    default: "",
    env: "TEAMWORK_GIT_AUTHOR_EMAIL",
    description: "The address under which agents commit; empty means yours in git, or else one that belongs to nobody.",
  },
  "recordings.maxMegabytes": {
    type: "number",
    default: 50,
    min: 1,
    max: 1_000_000,
    env: "TEAMWORK_RECORDINGS_MAX_MEGABYTES",
    description: "How much of what an agent prints in one run is kept, in megabytes; the beginning gives way.",
  },
  "recordings.maxAgeDays": {
    type: "number",
    default: 14,
    min: 0,
    max: 36_500,
    env: "TEAMWORK_RECORDINGS_MAX_AGE_DAYS",
    description:
      "How long `teamwork gc` leaves finished jobs, recordings and results of gates, in days; 0 keeps them for ever.",
  },
  "ownership.onOverlap": {
    type: "string",
    default: "refuse",
    choices: ["refuse", "serialise"],
    env: "TEAMWORK_OWNERSHIP_ON_OVERLAP",
    description:
      "What happens to a task whose files overlap with those of another that could run at the same time: refuse it, or serialise the two by a need.",
  },
  "ownership.shared": {
    type: "strings",
    default: SHARED_BY_DEFAULT,
    env: "TEAMWORK_OWNERSHIP_SHARED",
    description:
      "Patterns of files of all. In a run every task may change them, and the engine merges the changes; where a session leads the team, they belong to the lead unless it grants them.",
  },
} as const
