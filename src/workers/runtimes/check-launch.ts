import { statSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import type { WorkerLaunch } from "./port.ts"

/** Throws where the program or the folder is not there: in a pane nobody would tell. */
export function checkLaunch({ worker, command: [program = ""], cwd, env }: WorkerLaunch): void {
  const refuse = (why: string) => {
    throw new AppError("runtime.failed", `${worker} cannot be started: ${why}`, { worker })
  }
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) refuse(`${cwd} is not a folder`)
  if (Bun.which(program, { cwd, PATH: env.PATH ?? "" }) === null) refuse(`${program} was not found`)
}
