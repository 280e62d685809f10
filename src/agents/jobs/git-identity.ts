import type { Processes } from "../../lib/process/process.ts"

export interface Author {
  readonly name: string
  readonly email: string
}

interface Asked {
  readonly workspace: string
  /** Of the caller. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Empty where nothing is configured. */
  readonly configured: Author
  /** For a machine where git has no name. */
  readonly worker: string
}

const NO_REPLY = "noreply@teamwork.invalid"
const MAX_GIT_MS = 10_000

/**
 * As variables: some agents hide git's settings from their commands, and a commit without a name fails. Existing
 * variables come first, then our configuration, then git's.
 */
export async function gitIdentity(
  processes: Processes,
  { workspace, env, configured, worker }: Asked,
): Promise<Record<string, string>> {
  const git = await readGitSettings(processes, workspace, env)
  const name = (who: "author" | "committer") => configured.name || git[`${who}.name`] || git["user.name"]
  const email = (who: "author" | "committer") => configured.email || git[`${who}.email`] || git["user.email"]
  return {
    GIT_AUTHOR_NAME: env.GIT_AUTHOR_NAME || name("author") || `teamwork ${worker}`,
    GIT_AUTHOR_EMAIL: env.GIT_AUTHOR_EMAIL || email("author") || NO_REPLY,
    GIT_COMMITTER_NAME: env.GIT_COMMITTER_NAME || name("committer") || `teamwork ${worker}`,
    GIT_COMMITTER_EMAIL: env.GIT_COMMITTER_EMAIL || email("committer") || NO_REPLY,
  }
}

/** Empty without git. */
async function readGitSettings(
  processes: Processes,
  cwd: string,
  env: Asked["env"],
): Promise<Readonly<Record<string, string | undefined>>> {
  const command = ["git", "config", "--null", "--get-regexp", String.raw`^(user|author|committer)\.(name|email)$`]
  const { tail } = await processes.run({ command, cwd, env, timeoutMs: MAX_GIT_MS })
  const entries = tail.matchAll(/((?:user|author|committer)\.(?:name|email))\n([^\0]*)\0/g)
  return Object.fromEntries([...entries].map(([, key = "", value = ""]) => [key, value.trim()]))
}
