/** The settings of workers' worktrees. Part of the table of all settings. */
export const WORKSPACE_KEYS = {
  "workspace.setup": {
    type: "string",
    default: "",
    env: "TEAMWORK_WORKSPACE_SETUP",
    description:
      "A command for the shell, run in a worktree once it was made or moved, such as npm ci; empty for none.",
  },
  "workspace.setupTimeoutSeconds": {
    type: "number",
    default: 900,
    min: 1,
    max: 2_147_483,
    env: "TEAMWORK_WORKSPACE_SETUP_TIMEOUT_SECONDS",
    description: "The longest workspace.setup may take, in seconds.",
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
} as const
