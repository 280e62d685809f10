import type { Git } from "./git.ts"

/** For commits that must not depend on the user's settings. */
export const IDENTITY = {
  GIT_AUTHOR_NAME: "teamwork",
  GIT_AUTHOR_EMAIL: "teamwork@localhost",
  GIT_COMMITTER_NAME: "teamwork",
  GIT_COMMITTER_EMAIL: "teamwork@localhost",
}

/** The user's name, or ours if the user configured none. */
export async function commitEnvironment(git: Git): Promise<Readonly<Record<string, string>>> {
  const known = await Promise.all(["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"].map((name) => git.run(["var", name])))
  return known.every(({ exitCode }) => exitCode === 0) ? {} : IDENTITY
}
