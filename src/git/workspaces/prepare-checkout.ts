import { copyFiles } from "./copy-files.ts"
import { runSetup } from "./run-setup.ts"
import { type CheckoutPlace, gitWithView } from "./view.ts"
import type { WorkspaceContext } from "./workspace-context.ts"

/** Brings a fresh checkout into the state that a worker's worktree has: files that git does not track, dependencies. */
export async function prepareCheckout(context: WorkspaceContext, place: CheckoutPlace): Promise<void> {
  await copyFiles(context, gitWithView(context.git, place), place.path)
  await runSetup(context, { path: place.path, log: `${place.path}.setup.txt` })
}
