import type { Processes } from "../../lib/process/process.ts"

export interface Author {
  readonly name: string
  readonly email: string
}

interface Asked {
  readonly workspace: string
  /** Of whoever starts the agent: what git would go by for that person. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** What the configuration says; empty where it says nothing. */
  readonly configured: Author
  /** Who works, for a machine on which nobody has told git a name. */
  readonly worker: string
}

/** An address that belongs to nobody and never will. */
const NO_REPLY = "noreply@teamwork.invalid"
const MAX_GIT_MS = 10_000

/**
 * In whose name an agent commits, as variables: some agents hide the settings of git from the commands they run, and a
 * commit without a name fails. First what the variables say already, then our configuration, then that of git.
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

/** Of the repository and of the person, the nearest last; nothing where there is no git. */
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
