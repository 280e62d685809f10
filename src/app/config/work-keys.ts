// What has to do with the work itself: where, and how it is judged.

/** The settings of workers' worktrees. Part of the table of all settings. */
export const WORKSPACE_KEYS = {
  "workspace.setup": {
    type: "string",
    default: "",
    env: "TEAMWORK_WORKSPACE_SETUP",
    description:
      "A command for the shell that sets up each worktree and gate checkout, such as npm ci; empty: what its lock files ask for; none: nothing.",
  },
  "workspace.setupTimeoutSeconds": {
    type: "number",
    default: 900,
    min: 1,
    max: 2_147_483,
    env: "TEAMWORK_WORKSPACE_SETUP_TIMEOUT_SECONDS",
    description: "The longest a program of the set-up may take, in seconds.",
  },
  "workspace.cacheMegabytes": {
    type: "number",
    default: 20_000,
    min: 0,
    env: "TEAMWORK_WORKSPACE_CACHE_MEGABYTES",
    description: "How much of the installed dependencies of checkouts gc keeps, in megabytes.",
  },
  "workspace.portBase": {
    type: "number",
    default: 21_000,
    min: 1024,
    max: 65_000,
    env: "TEAMWORK_WORKSPACE_PORT_BASE",
    description: "The first port that worktrees and gate checkouts get; each gets 20 of its own (TEAMWORK_PORT).",
  },
  "workspace.copy": {
    type: "strings",
    default: [],
    env: "TEAMWORK_WORKSPACE_COPY",
    description:
      "Files git does not track that each worktree gets a copy of, as globs from the repository's root: .env.",
  },
  "workspace.keep": {
    type: "strings",
    default: [],
    env: "TEAMWORK_WORKSPACE_KEEP",
    description: "Ignored files that stay when a worktree moves to the next task, as in .gitignore: node_modules.",
  },
  "workspace.remote": {
    type: "strings",
    default: [],
    env: "TEAMWORK_WORKSPACE_REMOTE",
    isForUserOnly: true,
    description:
      "Remotes of the repository that workers and gates may reach from their own repositories, such as origin; none by default.",
  },
} as const

/** The settings of what reaches the target. Part of the table of all settings. */
export const DELIVERY_KEYS = {
  "delivery.sign": {
    type: "boolean",
    default: true,
    env: "TEAMWORK_DELIVERY_SIGN",
    description: "Whether merge commits are signed where commit.gpgSign is set and that works without a person.",
  },
  "delivery.commitHooks": {
    type: "boolean",
    default: true,
    env: "TEAMWORK_DELIVERY_COMMIT_HOOKS",
    description: "Whether your commit-msg hook runs on the messages of merge commits.",
  },
} as const

function commands<const Env extends string>(env: Env, kind: string) {
  return {
    type: "strings",
    default: [],
    env,
    description: `The ${kind} commands that gates run, each a line for the shell; empty means what the files of the tree suggest.`,
  } as const
}

function isEnabled<const Env extends string>(env: Env, kind: string) {
  return { type: "boolean", default: true, env, description: `Whether gates run the ${kind} commands.` } as const
}

/** The settings of gates. Part of the table of all settings. */
export const GATE_KEYS = {
  "gates.build": commands("TEAMWORK_GATES_BUILD", "build"),
  "gates.lint": commands("TEAMWORK_GATES_LINT", "lint"),
  "gates.test": commands("TEAMWORK_GATES_TEST", "test"),
  "gates.enableBuild": isEnabled("TEAMWORK_GATES_ENABLE_BUILD", "build"),
  "gates.enableLint": isEnabled("TEAMWORK_GATES_ENABLE_LINT", "lint"),
  "gates.enableTest": isEnabled("TEAMWORK_GATES_ENABLE_TEST", "test"),
  "gates.timeoutSeconds": {
    type: "number",
    default: 1200,
    min: 1,
    max: 2_147_483,
    env: "TEAMWORK_GATES_TIMEOUT_SECONDS",
    description: "The longest one command of a gate may take, in seconds.",
  },
  "gates.variables": {
    type: "strings",
    default: [],
    env: "TEAMWORK_GATES_VARIABLES",
    isForUserOnly: true,
    description:
      "Variables that commands of gates get besides the usual ones, such as DATABASE_URL; a name may end in *.",
  },
  "gates.ignoredFiles": {
    type: "strings",
    default: [
      ...["**/*.md", "**/*.mdx", "**/*.rst", "**/*.adoc", "**/CHANGELOG*", "**/LICENSE*"],
      ...["**/*.lock", "**/*.lockb", "**/*-lock.json", "**/*-lock.yaml", "**/npm-shrinkwrap.json", "**/go.sum"],
      ...["**/*.min.*", "**/*.map", "**/*.snap", "**/*.svg", "**/*.generated.*", "**/*_pb2.py", "**/*.pb.go"],
      ...["**/node_modules/**", "**/vendor/**", "**/third_party/**", "**/dist/**", "**/__snapshots__/**"],
    ],
    env: "TEAMWORK_GATES_IGNORED_FILES",
    description: "Files in whose added lines gates do not look for patterns: documentation, and what nobody writes.",
  },
} as const
