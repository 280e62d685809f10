/**
 * Checkouts for workers and gates are beside their git folders: `<name>`, `.repositories/<name>` for the agent,
 * `.views/<name>` for teamwork itself.
 */
export const REPOSITORIES = ".repositories"
export const VIEWS = ".views"

/** Our view of the checkout whose own git folder this is; undefined for any other git folder. */
export function viewBeside(gitDir: string): string | undefined {
  const [, folder, name] = OWN_REPOSITORY.exec(gitDir) ?? []
  return folder === undefined || name === undefined ? undefined : `${folder}/${VIEWS}/${name}`
}

const OWN_REPOSITORY = /^(.+)\/\.repositories\/([^/]+)$/
