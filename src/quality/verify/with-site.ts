import { AppError } from "../../kernel/errors.ts"
import type { Site } from "../gates/run-command.ts"
import type { ChosenState } from "./choose-state.ts"
import type { Verifier } from "./verifier.ts"

/**
 * Lends the place where commands run on a state: this checkout if it is at the state, else one that is made when the
 * first command has to run. `use` says whether any ran; returned are the files of this checkout that they left changed.
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
    ...{ tree, inUse: (await repository.hasIgnored()) ? repository.folder : null },
    setup: { ...fresh.setup, isHere: state === "same" },
    folder: async () => (state === "outdated" ? orHere(checkout.folder(), repository.folder) : repository.folder),
  }
  return (await use(site)) ? repository.listUncommitted() : []
}

/**
 * Work that changed what is installed is judged with what it asks for by now. Where that cannot be set up, as with a lock
 * file that is only made anew at the merge, what the worktree has must do; the gate of the merge judges it again.
 */
async function orHere(checkout: Promise<string>, here: string): Promise<string> {
  try {
    return await checkout
  } catch (error) {
    if (error instanceof AppError && error.code === "workspace.setup_failed") return here
    throw error
  }
}

/** A checkout of a tree that holds nothing but what its set-up installs. */
export async function freshPlace(repository: Verifier["repository"], tree: string) {
  return { tree, inUse: null, setup: { key: await repository.describeSetup(tree), isHere: true } }
}

/** A checkout that is made at the first call, and given back at the end. */
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
      // Why it could not be opened, whoever asked for it was told.
      await closed?.catch((error) => (isOpen ? Promise.reject(error) : undefined))
    },
  }
}
