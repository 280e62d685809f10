import { copyFiles } from "./copy-files.ts"
import type { Ground } from "./ground.ts"
import { runSetup } from "./run-setup.ts"
import { type CheckoutPlace, lookAt } from "./view.ts"

/** Brings a fresh checkout into the state that a worker's worktree has: files that git does not track, dependencies. */
export async function prepareCheckout(ground: Ground, place: CheckoutPlace): Promise<void> {
  await copyFiles(ground, lookAt(ground.git, place), place.path)
  await runSetup(ground, { path: place.path, log: `${place.path}.setup.txt` })
}
