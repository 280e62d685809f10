import { copyFiles } from "./copy-files.ts"
import type { Ground } from "./ground.ts"
import { runSetup } from "./run-setup.ts"

/** Brings a fresh checkout into the state that a worker's worktree has: files that git does not track, dependencies. */
export async function prepareCheckout(ground: Ground, folder: string): Promise<void> {
  await copyFiles(ground, ground.source.in(folder), folder)
  await runSetup(ground, { path: folder, log: `${folder}.setup.txt` })
}
