/** Our own commits must not depend on whether the user told git a name. */
export const IDENTITY = {
  GIT_AUTHOR_NAME: "teamwork",
  GIT_AUTHOR_EMAIL: "teamwork@localhost",
  GIT_COMMITTER_NAME: "teamwork",
  GIT_COMMITTER_EMAIL: "teamwork@localhost",
}

/** The same as it stands in a commit. */
export const OURS = `${IDENTITY.GIT_AUTHOR_NAME} <${IDENTITY.GIT_AUTHOR_EMAIL}>`
