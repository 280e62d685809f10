import { type Env, variable } from "./environment.ts"

/** The setting `ownership.shared` without loading all settings; undefined if a file or variable may set it. */
export function sharedUnlessSet(env: Env, files: readonly string[]): readonly string[] | undefined {
  const isSet = variable(env, "TEAMWORK_OWNERSHIP_SHARED") !== undefined || files.some(maySetIt)
  return isSet ? undefined : SHARED_BY_DEFAULT
}

function maySetIt(file: string): boolean {
  try {
    const text = process.getBuiltinModule("node:fs").readFileSync(file, "utf8")
    // A backslash may start an escaped letter of the key.
    return text.includes("shared") || text.includes("\\")
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ENOENT")
  }
}

/** Every task may change these: the engine merges the changes, or the lead owns them. */
export const SHARED_BY_DEFAULT = [
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
  "**/requirements*.txt",
  "**/Pipfile",
  "**/Gemfile",
  "**/composer.json",
  "**/deno.json",
  "**/deno.jsonc",
  "*.config.*",
  ".gitignore",
  ".gitattributes",
  ".gitmodules",
  "pnpm-workspace.yaml",
  "biome.json",
  "teamwork.json",
] as const
