import { capture } from "../lib/process/capture.ts"
import { sleep } from "../lib/sleep.ts"
import { type Git, makeGit } from "./git.ts"

/** The git of this machine. */
export function openGit(folder: string, env: Readonly<Record<string, string | undefined>>): Git {
  return makeGit(folder, { capture, env, sleep })
}
