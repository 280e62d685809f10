import { AppError } from "../../kernel/errors.ts"
import type { Site } from "../gates/run-command.ts"
import type { ChosenState } from "./choose-state.ts"
import type { Verifier } from "./verifier.ts"

/**
 * Lends this checkout if it has the state, else a new one at the first command. `use` returns whether any ran.
 * Returns the files of this checkout that they changed.
 */
export async function withSite(
  { repository }: Pick<Verifier, "repository">,
  { commit, tree, isHere }: ChosenState,
  use: (site: Site) => Promise<boolean>,
): Promise<readonly string[]> {
  await using checkout = lazily(repository, commit)
  const fresh = await freshPlace(repository, tree)
  if (!isHere) {
    await use({ ...fresh, folder: checkout.folder })
    return []
  }
  const state = await repository.compareSetup(tree)
  const site: Site = {
    tree,
    inUse: (await repository.hasIgnored()) ? repository.folder : null,
    setup: { ...fresh.setup, isHere: state === "same" },
    folder: async () => (state === "outdated" ? orHere(checkout.folder(), repository.folder) : repository.folder),
  }
  return (await use(site)) ? repository.listUncommitted() : []
}

/**
 * Changed dependencies are installed first. If that fails, as before the merge writes the lock file again, the
 * worktree is used, and the gate of the merge judges again.
 */
async function orHere(checkout: Promise<string>, here: string): Promise<string> {
  try {
    return await checkout
  } catch (error) {
    if (error instanceof AppError && error.code === "workspace.setup_failed") return here
    throw error
  }
}

/** Only with what its set-up installs. */
export async function freshPlace(repository: Verifier["repository"], tree: string) {
  return { tree, inUse: null, setup: { key: await repository.describeSetup(tree), isHere: true } }
}

/** Made at the first call. */
function lazily(repository: Verifier["repository"], commit: string): AsyncDisposable & { folder(): Promise<string> } {
  const done = Promise.withResolvers<void>()
  let opened: Promise<string> | undefined
  let closed: Promise<void> | undefined
  let isOpen = false
  const open = async () => {
    const folder = Promise.withResolvers<string>()
    closed = repository.checkedOut(commit, (path) => {
      isOpen = true
      folder.resolve(path)
      return done.promise
    })
    closed.catch(folder.reject)
    return folder.promise
  }
  return {
    folder: () => (opened ??= open()),
    async [Symbol.asyncDispose]() {
      done.resolve()
      // folder() has thrown the error of opening already.
      await closed?.catch((error) => (isOpen ? Promise.reject(error) : undefined))
    },
  }
}
