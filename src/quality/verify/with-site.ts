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
  const key = await repository.describeSetup(tree)
  const site: Site = isHere
    ? {
        ...{ tree, inUse: (await repository.hasIgnored()) ? repository.folder : null },
        setup: { key, isHere: await repository.isAsSetUp(tree) },
        folder: async () => repository.folder,
      }
    : { tree, inUse: null, setup: { key, isHere: true }, folder: checkout.folder }
  const hasRun = await use(site)
  return isHere && hasRun ? repository.listUncommitted() : []
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
