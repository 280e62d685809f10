/** The settings of who owns which files. Part of the table of all settings. */
export const OWNERSHIP_KEYS = {
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
    default: [
      "**/package.json",
      "**/tsconfig*.json",
      "**/.env",
      "**/.env.*",
      "**/*.lock",
      "**/*.lockb",
      "**/*-lock.json",
      "**/*-lock.yaml",
      "**/npm-shrinkwrap.json",
      "**/go.mod",
      "**/go.sum",
      "**/Cargo.toml",
      "**/pyproject.toml",
      "*.config.*",
      ".gitignore",
      ".gitattributes",
      ".gitmodules",
      "pnpm-workspace.yaml",
      "biome.json",
      "teamwork.json",
    ],
    env: "TEAMWORK_OWNERSHIP_SHARED",
    description: "Patterns of files that belong to the lead; no task owns them unless the lead grants it.",
  },
} as const
